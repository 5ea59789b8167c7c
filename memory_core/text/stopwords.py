"""Function words of many languages, which carry no topic.

The lists in Latin letters leave out words that are a content word, name or abbreviation in another
language: German "die", "man", "war", "mit", "hat", French "son", "et", "la", "un", "dans", Spanish
"sin", "para", "su", Portuguese "tua", "onde", Italian "sono", "lei", Polish "jest", "ale", Turkish
"bir", "sana" and Dutch "van", "hem", "kan". Accents stay: "té" is tea, "te" is you.
"""

# ruff: noqa: RUF001

# Articles, pronouns, auxiliaries, question words and the remains of contractions.
ENGLISH = (
    "a about all am an and any are aren as at be been being but by can cannot could couldn d "
    "did didn do does doesn doing don for from had hadn has hasn have haven he her hers him "
    "his how i if in into is isn it its just ll m me might my no nor not of off on or our "
    "ours out re s she should shouldn so some such t than that the their theirs them then "
    "there these they this those to too us ve very was wasn we were weren what when where "
    "which who whom whose why will with won would wouldn you your yours "
)
# Contractions that are often typed without their apostrophe and do not become another word by
# that, as ill, id, well, were and shell do. Then abbreviations of chat messages.
CONTRACTIONS = (
    "what's what're where's how's who's when's why's that's there's here's let's i'm i've you're "
    "you've you'll they're they've they'll we've it'll that'll he's she's isn't aren't wasn't "
    "weren't don't doesn't didn't hasn't haven't hadn't can't couldn't wouldn't shouldn't won't "
    "ain't mustn't needn't y'all should've would've could've "
)
HURRIED = {"u": "you", "ur": "your", "r": "are", "pls": "please", "plz": "please"}
GERMAN = (
    "ich du sie es wir ihr mich dich sich ihn ihm ihnen uns euch mein meine meinen meinem "
    "meiner dein deine deinen deinem deiner seinen seinem seiner ihre ihren ihrem ihrer unser "
    "unsere unseren unserem unserer euer eure der das dem ein eine einen einem einer kein "
    "keine keinen keinem keiner diese diesen diesem dieser dieses welche welcher welches "
    "welchen und oder aber denn sondern weil wenn dass wie wo wer wem wann warum wieso woher "
    "wohin nicht nichts auch noch schon sehr doch dann dort zu zum zur von vom beim nach aus "
    "auf für über unter vor ohne gegen durch seit zwischen ist bist seid habe hast haben habt "
    "hatte hatten wird wirst werde werden wurde wurden kann kannst können könnt konnte könnte "
    "muss musst müssen soll sollst sollte darf möchte etwas damit daran darauf dafür davon "
    "dazu dabei darüber bitte "
)
FRENCH = (
    "je tu elle nous vous ils elles te moi toi lui leur leurs eux notre votre le une du de au "
    "aux ce cette ces ça cela ceci celui celle ceux qui que quoi où ou quel quelle quels "
    "quelles quand pourquoi puisque lorsque à avec sous chez entre depuis en ne très aussi "
    "déjà comme parce es suis sommes êtes sont étais était étions étaient être avons avez "
    "avait avais avaient avoir peux "
)
# French and Italian words that lose their vowel before another, and the words after them.
ELISIONS = (
    "l d j m t s n c qu jusqu lorsqu puisqu un dell nell all sull dall quell quest gl dov com cos "
)
BEHIND_ELISION = (
    "ai as a est es ont un une avait avais aura en on y il ils elle elles eu è era ho ha "
)
SPANISH = (
    "tú ellos ellas nosotros nosotras usted ustedes vosotros te se mi mí tu tus sus nuestro "
    "nuestra nuestros nuestras una unos unas de que qué quién quien quiénes cuál cuáles cual "
    "cuándo cuando dónde donde cómo como cuánto cuánta cuántos cuántas por sobre entre desde "
    "pero porque si sí más muy también tampoco esto esta estos estas eso ese esa esos aquel "
    "aquella aquello es eres somos eran está estás estoy están estaba estaban estar había "
    "habían puedo puedes conmigo contigo "
)
PORTUGUESE = (
    "você vocês ele ela eles elas lhe lhes mim um uma umas meu minha meus minhas teu teus tuas "
    "seu sua seus suas nosso nossa nossos nossas das em na pela pelas numa ao aos às até quê "
    "quem qual quais porquê mas nem não também muito já estas esse essa esses essas isto isso "
    "aquele aquela aquilo é és são eram sou estou estão estava estavam há sem tem tenho tinha "
    "pra deles delas comigo pode posso "
)
ITALIAN = (
    "noi loro gli mio miei tuo tuoi suo suoi nostro nostri nostre vostro vostra di tra fra "
    "dello della dei degli delle allo alla agli alle dallo dalla dagli dalle nello nella nei "
    "negli nelle sullo sulla sui sugli sulle però che cui perché quale quali quanto quanta "
    "quanti quante più anche ancora già molto questo questa questi queste quello quella quelli "
    "è siamo erano essere stato abbiamo avete hanno aveva avevo avere "
)
POLISH = (
    "ja ona mnie mną cię ciebie tobie tobą jego jemu nim nią jej ją niej nich nimi wam się "
    "sobie siebie mój moja moje mojego mojej moim moją moich twój twoja twoje twojego twojej "
    "twoim twoją twoich swój swoja swoje swojego swojej swoim swoją nasz nasza nasze wasz "
    "wasza wasze tego tej tym tę tą tych za przez przy nad przed między dla oraz albo lub lecz "
    "więc że żeby aby gdy gdyby jeśli czy czego czym kto kogo komu gdzie kiedy jak jaki jaka "
    "jakie jaką jakich który która które którego której którzy dlaczego czemu nie tak także "
    "też już jeszcze tylko bardzo są był była było były być będę będzie będą jestem jesteś "
    "jesteśmy masz mają miał miała może mogę możesz ze "
)
TURKISH = (
    "bu şu bunu şunu bunun şunun şuna bunlar şunlar onlar onu bizi sizi onları bize benim "
    "senin onun bizim sizin onların siz veya için ile gibi fakat çünkü ancak eğer mı mü mısın "
    "misin musun müsün neden niçin niye nasıl nerede nereye nereden nerde kimin hangi kaç yok "
    "değil çok daha hiç şey diye sonra önce olarak olan oldu oluyor evet hayır "
)
DUTCH = (
    "ik jij hij zij ze wij jullie mij jou mijn jouw zijn uw het een deze dit dat wat waar "
    "wanneer waarom welk welke maar dus omdat toen nog niet geen niets voor naar aan bij uit "
    "tussen onder zonder wel ook geweest heb hebt heeft hebben hadden gehad kun kunt kunnen "
    "moet moeten zal zou zullen zouden wilt wordt worden werd nee eens daar "
)
LATIN = (GERMAN, FRENCH, SPANISH, PORTUGUESE, ITALIAN, POLISH, TURKISH, DUTCH)

RUSSIAN = (
    "и в во не что он на я с со как а то все она так его но да ты к у же вы за бы по только ее "
    "ей мне от меня мной еще нет о об из ему когда даже ну ли если уже или ни быть был была "
    "было были него до вас вам вами нибудь там тут себя себе собой они где есть для мы нас нам "
    "нами тебя тебе тобой их им ими них ним ней нее чем чего чему кто кого кому без тоже также "
    "под над при про через будет буду будешь будут тогда этот эта это эти этого этой этом эту "
    "тот та те того той том тех такой такая такое такие какой какая какое какие какого какую "
    "каком который которая которое которые потому почему зачем чтобы здесь мой моя мое мои "
    "моего моей мою моих твой твоя твое твои твоего твоей твою твоих свой своя свое свои "
    "своего своей свою своих наш наша наше наши ваш ваша ваше ваши куда откуда чей чья чье чьи "
    "сколько очень может могу можешь можно "
)
UKRAINIAN = (
    "і й що з як це він вона вони ми ви ти мене мені тебе тобі його її їх йому їй від але або "
    "чи якщо бо тому коли де хто чому який яка яке які цей ця ці той була було були є буде "
    "бути дуже вже ще теж також тільки ні мій моє мої твій твоє твої свій чий чия скільки "
)
GREEK = (
    "ο η το οι τα τον τη την του της των τους τις ένας ένα μια μία ενός και κι ή αλλά όμως να "
    "θα δεν δε μη μην που πώς τι ποιος ποια ποιο ποιοι ποιον πότε όταν γιατί αν επειδή σε στο "
    "στη στην στον στα στις στους με για από προς χωρίς ως σαν εγώ εσύ αυτός αυτή αυτό αυτοί "
    "αυτές αυτά εμείς εσείς μου σου μας σας εμένα εσένα είναι είμαι είσαι είμαστε είστε ήταν "
    "ήμουν έχω έχεις έχει έχουμε έχετε έχουν είχα είχε εδώ εκεί πολύ πιο μόνο όχι ναι πόσο "
    "πόσα πόσοι "
)
ARABIC = (
    "في من إلى على عن مع هذا هذه ذلك تلك هو هي هم أنا أنت نحن أنتم ما ماذا متى أين كيف لماذا "
    "هل لا لم لن ليس قد كان كانت يكون أن إن لأن أو ثم يا حتى إذا لو التي الذي الذين له لها لي "
    "لك به بها فيه فيها منه لمن كم أي و "
)
HINDI = (
    "मैं मेरा मेरी मेरे मुझे हम हमें हमने हमारा हमारी हमारे तू तुम तुम्हें तुम्हारा तुम्हारी "
    "तुम्हारे आप आपका आपकी आपके वह वो यह ये वे उस उसका उसकी उसके उसे इस इसका इसकी इसके का की "
    "के को से में पर तक ने और या भी ही तो कि क्या कौन कब कहाँ क्यों कैसे कैसा कैसी कितना कितने "
    "कितनी जो जब है हैं हूँ हो था थी थे थीं नहीं न मत किस किसे "
)
# Keys are names of stemmers.
BY_LANGUAGE = {
    "russian": RUSSIAN + UKRAINIAN,
    "greek": GREEK,
    "arabic": ARABIC,
    "hindi": HINDI,
}

# Chinese: particles and pronouns, which say nothing alone or in pairs; characters and question
# words that separate their neighbours as a blank does.
CHINESE = "是了在有和与就都也很我你您他她它们咱这那个不没为與們這個沒為"
CHINESE_BORDERS = "的么麼吗嗎呢吧啊呀嘛什怎哪谁誰几幾"
CHINESE_QUESTIONS = "什么时候 什麼時候 多少 多久 为何 為何 如何 是否 来着 來著"
# Japanese: pronouns written with one kanji, and hiragana whose pairs are grammar.
KANJI = "私僕俺君何誰事"
HIRAGANA = (
    "です ますか ました ましょう ません でした でしょう だった だけど ている ていた ていない "
    "てる てください ので のに のは のが のを には では とは への との でも ても から まで "
    "より ない なかった なの なんだ たい たの たら って という こと これ それ あれ どれ ここ "
    "そこ どこ この その あの どの そう どう はい いいえ ありがとう ございます します "
    "する して される いる ある なる れる られる よう かな よね だよ だね だっけ んだっけ "
    "それは これは どうですか りました べました きました めました れました ついて "
    "いです はどう はどこ "
)
# Korean: particles by the sound before them, verb endings, words, and words that take particles.
AFTER_VOWEL = "는 가 를 와 랑 로 라고"
AFTER_CONSONANT = "은 이 을 과 이랑 으로 이라고"
AFTER_ANY = "에서는 에서 에게 한테 까지 부터 처럼 보다 하고 에는 에도 께서 에 의 도 만"
ENDINGS = (
    "습니다 입니다 합니다 어요 아요 해요 었어요 았어요 했어요 예요 이에요 네요 군요 나요 까요 "
    "세요 었어 았어 했어 었다 았다 했다 있어요 있었 이지 니까 지만 "
)
KOREAN = (
    "내 내가 제 제가 네 네가 그 이 것 거 수 누가 왜 어떻게 무슨 어느 몇 그게 그건 이게 "
    "이건 은 는 가 을 를 에 의 와 과 도 만 로 아니요 그리고 그런데 하지만 그래서 "
    "정말 아주 너무 좀 더 안 못 "
)
KOREAN_PRONOUNS = "나 저 너 우리 저희 뭐 무엇 누구 어디 언제 그것 이것"
