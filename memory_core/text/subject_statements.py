"""Recognises statements of one's own name, home, origin, age, birthday, work and dislikes.

They often share no word with the question: "where do I live" and "we've just moved to Porto".
"""

# ruff: noqa: RUF001  (curly quotes, Cyrillic, Chinese and Japanese punctuation)

import re
from enum import StrEnum
from functools import cache

_MAX_READ = 2_000  # characters of a statement


class OwnSubject(StrEnum):
    """The part of the user's life that a message asks for."""

    NAME = "name"
    PEOPLE = "people"
    PETS = "pets"
    HOME = "home"
    ORIGIN = "origin"
    AGE = "age"
    BIRTHDAY = "birthday"
    WORK = "work"
    HOBBIES = "hobbies"
    TASTES = "tastes"
    DISLIKES = "dislikes"
    HEALTH = "health"
    TRAVEL = "travel"
    PLANS = "plans"


# "I'm German" and "I'm Catholic" begin like "I'm Sam".
_NATIONAL = (
    r"(?:Spanish|English|British|Irish|Scottish|Swedish|Danish|Finnish|Polish|Turkish|Jewish|Kurdish"
    r"|[A-Z][a-z]*(?:nese|guese|amese|ican|ralian|talian|zilian|nadian|ndian|ssian|rsian|ysian|egian"
    r"|lgian|rdic)|German|French|Dutch|Welsh|Swiss|Greek|Czech|Thai"
    r"|Catholic|Christian|Muslim|Protestant|Hindu|Buddhist|Ok|Okay)\b"
)
_NO_RUSSIAN_NAME = (
    r"(?:дома|тут|здесь|снова|опять|не|вернул\w+|приш\w+|устал\w*|проснул\w+|готов\w*|уже)\b"
)
_OF_AGE = r"(?:1[4-9]|[2-8]\d)"
_HELLO = r"hi+|hey+|hello|heya|moin|hallo|servus|hola|buenas|salut|bonjour|coucou|привет"
_I_AM = r"(?:i['’]?m|it['’]?s|this is|ich bin|je suis|moi c['’]est|soy|я|aquí|ici)"
# "hey im tess." and "moin. jannik, 34, pfleger aus bochum"
_INTRODUCED = (
    rf"\A\W*(?:(?:{_HELLO}|so|ok|yo|there|well)\b\W*){{0,3}}"
    rf"(?:{_I_AM}\s+)?[^\W\d_]+(?:\s+[^\W\d_]+)?,\s*{_OF_AGE}"
    r"(?:\s*(?:,|\.|yo\b|jahre|años|ans|лет|год)|\s*$)"
)
_GREETED = (
    rf"\A\W*(?:{_HELLO})\b\W*(?:so\s+)?"
    rf"{_I_AM}\s+(?!(?:back|home|here|so|not|just|in|at|new)\b|{_NO_RUSSIAN_NAME})[^\W\d_]+\s*(?:[,.!]|$)"
)
_NAME = (
    r"\b(?:my (?:first |full |real )?name(?: is|'s|’s)|(?:call|called) me|i(?:'m| am|’m) called)\b"
    rf"|\b(?:i['’]?m|i\s+am|soy|je\s+suis)\s+(?-i:(?!{_NATIONAL})[A-Z][a-zß-ÿ]+)\b"
    rf"|{_GREETED}|{_INTRODUCED}"
    r"|\bit['’]?s\s+(?-i:[A-Z][a-z]+),?\s+(?:with\s+an?|not|without)\b"  # misspelt by others
    r"|\bit['’]?s\s+\w+\s+btw\b|\b(?:everyone|everybody|people|they|friends)\s+calls?\s+me\b"
    r"|\b(?:nennt|nennen|rufen|ruft)\s+mich\b|\bme\s+(?:dicen|llaman)\b|\b(?:on|ils)\s+m['’]appelle(?:nt)?\b"
    r"|\b(?:все\s+)?(?:зовут|называют)\s+меня\b|(?:都|们)(?:喊|叫|管)我|[とて]呼ばれて"
    r"|はじめまして[、。!！\s]+[^\s、。]{1,10}(?:です|だよ|[、。!！\s]|$)"
    r"|(?:私|僕|俺|わたし|あたし)[^、。\s]{0,10}っていう(?:名前|んだ|の$)"
    r"|\bа\s+я\s+(?-i:[А-ЯЁ][а-яё]+)\b"
    r"|\bname's\b|\b(?:ich (?:heiße?|heisse?)|mein name ist|nenn mich)\b"
    r"|\b(?:me llamo|mi nombre es|llámame)\b"
    rf"|\bmoi,?\s+c['’]est\s+(?-i:(?!{_NATIONAL})[A-Z][a-zß-ÿ]+)\b"
    r"|\bje m['’]app?el+e\b|\bmon (?:nom|prénom)(?: est|[,.]|$| enfin)|\bappelle-moi\b"
    r"|меня зовут|зов[иу] меня|звать меня|мо[её] имя|(?:\A|[,.!]\s*)зовут\s+[^\W\d_]+"
    r"|\A\W*(?:привет\w*|здравствуй(?:те)?|хай)\W+(?:я|это)\s+"
    rf"(?!{_NO_RUSSIAN_NAME})[^\W\d_]+(?=,?\s+мне\s+\d|\s*[,.!]|\s*$)"
    r"|我叫|我的名字|我姓|叫我(?![不别別去来來吃要做再把起帮幫回早先快买買])"
    r"|名前は|と申します|って呼んで|といいます|と言います"
)
_DISLIKES = (
    r"\b(?:hate|dislike|can['’]?t stand|detest|loathe"
    r"|(?:don['’]?t|do not|never) (?:like|eat|drink|enjoy))\b"
    r"|\b(?:hasse|mag (?:\w+ ){0,3}nicht|mag kein\w*|ekelhaft|esse kein\w*)\b"
    r"|\b(?:odio|detesto|no (?:me gusta|soporto|como))\b"
    r"|\b(?:déteste|n['’]aime pas|supporte pas)\b"
    r"|ненавижу|не люблю|не нравится|терпеть не могу|не переношу|\bбес(?:ит|ят)\b"
    r"|讨厌|討厭|不喜欢|不喜歡|不爱|不愛|不吃|嫌い|苦手"
    r"|好きじゃない|(?:まじ|マジ|ほんと|[ァ-ヴー]{2,})(?:は|が|も)?無理|食べら?れない"
)
_EN_ADVERBS = (
    r"(?:(?:now|still|currently|just|finally|actually|recently|already|both|all|officially)\s+)*"
)
_HOME = (
    rf"\b(?:i|we)(?:['’](?:m|re|ve)|\s+(?:am|are|have))?\s+{_EN_ADVERBS}(?:"
    r"(?:live|living|reside|settled)\s+(?:\w+\s+)?(?:in|at|on|near|by|outside|with|above|alone)\b"
    r"|(?:moved|moving|relocat(?:ed|ing))\s+(?:back\s+|house\s+|out\s+)?(?:in|into|to)\b"
    r"|(?:found|rented|bought|got)\s+(?:an?|our|my)\s+(?:\w+\s+){0,2}"
    r"(?:flat|apartment|house|room|studio)\s+(?:in|near|on|at)\b)"
    rf"|^\W*{_EN_ADVERBS}(?:moved|moving|living)\s+(?:in|into|to)\b"
    r"|\b(?:got|picked\s+up|collected)\s+(?:the\s+|our\s+)keys\b"
    r"|\b(?:the|my|our)\s+new\s+(?:flat|place|house|apartment|home|room|studio|address)\b"
    r"|\b(?:in|of)\s+(?:the|my|our)\s+(?:new\s+)?(?:flat|apartment|house)\s+(?:in|on)\s+(?-i:[A-Z])"
    r"|\b(?:i|we)(?:['’]re|\s+are|['’]m|\s+am)?\s+(?:still\s+)?unpack(?:ing|ed)\b"
    r"|\bmy\s+(?:new\s+)?(?:address|home|flat|apartment)(?:\s+is|['’]s)\b"
    r"|\b(?:wohnen?|leben?)\s+(?:\w+\s+){0,3}?(?:in|bei|am|im|auf|mit)\b"
    r"|\b(?:sind|bin|haben?)\b.{0,30}\bumgezogen\b"
    r"|\b(?:die|meine?|unsere?|der|in)r?\s+neuen?\s+(?:wohnung|bude|wg|haus|zuhause)\b"
    r"|\b(?:nach|in|zu)\b.{1,40}\b(?:um)?gezogen\b|\b(?:ich\s+ziehe|wir\s+ziehen)\b.{0,30}\b(?:nach|in)\b"
    r"|\b(?:vivo|vivimos)\s+(?:\w+\s+)?(?:en|con)\b|\b(?:me\s+(?:he\s+)?mud(?:é|ado|o)|nos\s+(?:hemos\s+)?muda(?:mos|do))\b"
    r"|\bpor\s+fin\s+mudad[oa]s?\b|\b(?:mi|nuestro|el)\s+(?:nuevo\s+(?:piso|depa|apartamento)|piso\s+nuevo)\b"
    r"|\b(?:mi|nuestra|la)\s+(?:nueva\s+casa|casa\s+nueva)\b|\bestamos\s+(?:ya\s+)?en\s+(?-i:[A-ZÁÉÍÓÚ])"
    r"|\bpos[ée]\s+(?:les|nos|mes)\s+(?:cartons|valises)\b|\b(?:mon|notre|l['’])\s?(?:nouvel\s+)?appart\w*\s+(?:à|est|de)\b"
    r"|\b(?:mon|notre|le)\s+nouvel\s+appart\w*|\b(?:ma|notre|la)\s+nouvelle\s+maison\b"
    r"|\b(?:j['’]habite|on\s+habite|nous\s+habitons|j['’]ai\s+(?:dé|em)ménagé|je\s+déménage"
    r"|(?:je\s+vis|on\s+vit)\s+(?:\w+\s+)?(?:à|en|dans|chez|au|avec))\b"
    r"|\b(?:живу|живём|живем)\s+(?:\w+\s+)?(?:в|во|на|с|у)\b|\bпере(?:ехал|езжа)\w*\s+(?:\w+\s+)?(?:в|во|на|к)\b"
    r"|(?:\A|[.!?,]\s*)(?:всё,?\s+|наконец\s+|мы\s+|я\s+){0,2}переехал[аи]?\b|\bновой\s+квартире\b|\bмой\s+(?:новый\s+)?адрес\b"
    r"|(?:\A|[,.!]\s*|\b(?:я|мы|наконец|уже)\s+)(?:снял[аи]?|снимаю|снимаем|наш[её]л|нашл[аи]|купил[аи]?)\s+(?:\w+\s+){0,2}"
    r"(?:квартиру|комнату|дом|студию|однушку|двушку|жиль[её])\b|\bмы\s+теперь\s+(?:в|на)\b"
    r"|(?:我|咱)(?![妈媽爸姐哥弟妹奶爷爺婆公岳外老女儿兒孙孫同朋的])[^，。！？,.!?]{0,8}(?:住(?!院|了?[一两几]?天?院)|搬(?:到|去|进|進|来|來|家|完))"
    r"|^\W*(?:终于|總算|总算|刚|刚刚)?搬(?:完|到|来|进|家)|(?:我的?|我们|咱|的)新(?:家|房子)|现在在[^，。！？,.!?]{1,8}(?:这边|这里|生活|定居)"
    r"|に(?:住んで|引っ越|引越)|で暮らして|引っ?越し(?:終わ|した|完了)|(?:うちの|私の)?新居"
    r"|住み(?:で|です|だよ|$|[、。\s])|住んで(?:い)?(?:る|ます)(?!の|か|[?？])|(?:一人|ひとり|実家|二人)暮らし"
    r"|引っ?越し(?:ます)|引っ?越(?:した|す[！!。、\s]|す$)|(?:部屋|家|アパート|マンション)(?:を|が)?(?:借り|見つ)"
    r"|[にも]住む|住所は"
)


_ORIGIN = (
    r"\bi(?:['’]m|\s+am)\s+(?:(?:originally|actually|also|really)\s+|(?-i:[A-Z][a-z]+),?\s+)?from\s+(?!work\b|home\b|the\s+(?:future|office|shop))"
    r"|\bi\s+(?:\w+\s+)?(?:come|hail)\s+from\b|\bi\s+(?:grew\s+up|was\s+(?:born|raised))\b"
    r"|\bmy\s+(?:home\s?town|home\s+country|nationality|childhood)\b"
    r"|\b(?:as|being|when\s+i\s+was)\s+(?:a|just\s+a)\s+(?:little\s+)?(?:kid|child|boy|girl|lad|lass|wean|teenager)\s+(?:in|on|at|near)\b"
    r"|\bich\s+(?:\w+\s+)?(?:komme|stamme)\b.{0,20}\baus\b|\bbin\b.{1,40}\b(?:aufgewachsen|geboren)\b"
    r"|\b(?:in|auf|bei)\b.{1,40}\bals\s+(?:kind|kleine[rs]?|lütte[rn]?|junge|mädchen)\b|\bmeiner?\s+(?:kindheit|heimat)\b"
    r"|\bsoy\s+de\b|\bnac[ií]\s+en\b|\bme\s+cri[eé]\b|\bcrec[ií]\s+en\b"
    r"|\bmi\s+infancia\b|\b(?:de|cuando\s+era)\s+(?:chic[oa]|niñ[oa])\s+en\b"
    r"|\bje\s+(?:viens|suis\s+originaire)\s+(?:de|du|des|d['’])|\bje\s+suis\s+née?\b|\bj['’]ai\s+grandi\b"
    r"|\bmon\s+enfance\b|\bquand\s+j['’]étais\s+(?:petite?|gosse|gamine?|môme)\s+(?:à|en|dans|au|aux|sur)\b"
    r"|\bя\s+(?:родом\s+)?из\b|\bя\s+(?:родил(?:ся|ась)|вырос(?:ла)?)\b|\b(?:в|моё|мое|моего)\s+детств[еоа]\b"
    r"|(?:\A|[,.!]\s*)(?:родил(?:ся|ась)|вырос(?:ла)?)\s+в\b|\bмоя\s+(?:малая\s+)?родина\b|\bдетство\s+пр(?:ош|ов)\w+"
    r"|我(?:是|来自|來自|出生在|在)[^，。！？]{1,12}(?:人(?![家的])|长大|長大|出生)|我(?:来自|來自|出生)|我的?(?:老家|家乡|家鄉)"
    r"|(?:从小|小时候|小時候)(?:在|住)|出身|で生まれ|で育|私の(?:地元|実家)"
    r"|(?<=[^\s年月日])生まれ(?=です|だ|で[^す]|$|[、。\s])"
    r"|(?:^|[、。\s]|私の|うちの)(?:(?:生まれ|育ち|実家)は|地元(?:は|が)?(?![のにでへ民])[^\s、。？?])"
)
# "turning 40 on the 9th of march": tells the age and often the birthday.
_TURNING = (
    rf"(?:\A|[,.!?]\s*|\b(?:i|ugh|gonna|i['’]ll|i['’]m|i\s+am|and|about\s+to)\s+)(?:be\s+|officially\s+|finally\s+)?"
    rf"(?:turn(?:ing|ed)?|hit(?:ting)?)\s+(?:the\s+big\s+)?{_OF_AGE}\b"
    r"|\bmy\s+(?:[2-9]\d(?:st|nd|rd|th)\b|1[3-9]th\b)(?!\s+(?:floor|day|week|try|attempt|time|cup))"
    rf"|\b(?:today|heute|hoy|сегодня|aujourd['’]hui)\s+{_OF_AGE}\b"
    r"(?!\s*(?:°|grad|degr|град|euro|€|min|km|%))"
    rf"|\b{_OF_AGE}(?:\s+ans)?\s+(?:today|heute|aujourd['’]hui|сегодня)\b"
    rf"|\bwerde?\s+(?:ich\s+)?{_OF_AGE}\b|\b{_OF_AGE}\s+werde?\s+ich\b"
    rf"|\b(?:me\s+caen|cumpl[oí])\s+(?:los\s+)?{_OF_AGE}\b"
    rf"|\bje\s+(?:passe\s+à|fête\s+mes|vais\s+avoir)\s+{_OF_AGE}\b"
    rf"|\bмне\s+(?:\w+\s+)?(?:стукнет|исполн\w+|будет)\s+{_OF_AGE}\b"
    r"|我(?:就|快|要|就要)?满[\d一二三四五六七八九十]{1,3}"
    rf"|来月(?:で)?{_OF_AGE}"
    r"|(?:\A|[、。])\W*(?:来月の?|\d+月)(?:\d+日)?で(?:とうとう|ついに|もう)?(?:\d{2}|[二三四五六七八]十路)(?:歳|だ)"
)
_AGE = (
    r"\bi(?:['’]m|\s+am|\s+(?:just\s+)?(?:turned|turn)|['’]ll\s+be|['’]m\s+turning|\s+will\s+be)\s+"
    r"(?:\w+\s+)?\d{1,2}\b(?!\s*(?:%|:|min|hour|hr|sec|day|week|month|km|mile|kg|lb|cm))"
    rf"|{_INTRODUCED}|{_TURNING}"
    r"|\bmy\s+age\b|\bi\s+was\s+born\b"
    r"|\bbin\s+(?:\w+\s+)?\d{1,2}(?:\s+jahre)?\b"
    r"|\btengo\s+\d{1,2}\s+años\b|\bj['’]ai\s+\d{1,2}\s+ans\b"
    r"|\bмне\s+(?:\w+\s+)?\d{1,2}\b"
    r"|我(?:今年|快|刚|已经)?\s*[\d一二三四五六七八九十]{1,3}\s*[岁歲]"
    r"|(?:\A|[,.!]\s*)(?:исполнилось|стукнуло)\s+\d{1,2}\b|\b\d{1,2}\s+лет\s+мне\b"
    r"|(?:私|僕|俺).{0,4}\d{1,2}歳|^\W*\d{1,2}歳に?(?:です|なり|なった|だよ?|$)|^\W*\d{2}になった"
    r"|(?:^|[、。\s]|私は?|僕は?|俺は?)(?:今年|今月|来月|先月|もうすぐ|もう)(?:で)?\d{2}(?:歳)?に?(?:なる|なった|なります|だよ|です)"
)
_BIRTHDAY = (
    r"\bmy\s+(?:own\s+|next\s+|last\s+|\d{1,2}(?:st|nd|rd|th)\s+)?(?:birthday|bday)\b"
    r"|\bi\s+was\s+born\b"
    r"|\bi\s+(?:had|have|celebrate\w*)\s+(?:\w+\s+){0,3}birthday\b"
    rf"|{_TURNING}"
    r"|\bmein\w*\s+(?:\d+\.?\s+)?geburtstag\b|\bhabe?\b.{0,30}\bgeburtstag\b|\bbin\b.{1,40}\bgeboren\b"
    r"|\bmi\s+cumple(?:años)?\b|\bcumplo\s+(?:\w+\s+)?años\b|\bmon\s+anniv(?:ersaire)?\b|\bje\s+suis\s+née?\b"
    r"|\b(?:у\s+меня|мой|моя)\s+(?:\w+\s+)?(?:день\s+рождения|днюха|др)\b|我的?(?:农历|阳历|公历|\d{1,2}岁)?生日|(?:私|僕|俺|わたし)の誕生日|^\W*誕生日は"
    r"|(?:\A|[,.!]\s*)(?:день\s+рождения|др|днюха)\s+(?:у\s+меня\s+)?\d|(?:\A|[,.!]\s*|\bя\s+)родил(?:ся|ась)\s+\d"
    r"|^\W*(?:\d+月)?\d+日生まれ|私.{0,6}日生まれ|^\W*誕生日\s?\d|(?:明日|今日|来週|昨日)(?:は|が)?誕生日(?!プレ|パー|会|の)"
)
_EN_JOB = r"(?:job|position|role|employer|contract|apprenticeship|internship|traineeship|promotion)"
_WORK = (
    rf"\bi(?:['’]?m|\s+am|['’]?ve\s+been|\s+have\s+been)?\s+{_EN_ADVERBS}(?:a\s+|an\s+)?(?:work(?:ing|ed)?|employed)\s+"
    r"(?:as|at|for|in|with|on)\b|\b(?:been|i['’]?m|i\s+am|as|become|became)\s+(?:now\s+)?(?:an?|the)\s+(?:\w+\s+){0,2}?"
    r"(?:\w{3,}(?:er|or|ist|ian|eer|ant)|nurse|chef|cook|clerk|guard|pilot|judge|midwife|plumber|vet|temp)\b"
    r"(?!\s+(?:person|fan|lover)\b)"
    r"|\bfirst\s+(?:day|week|shift|month)\s+(?:at|as|in|with|on)\b(?!\s+(?:the\s+)?(?:new\s+)?(?:flat|house|place))"
    rf"|\b(?:my|the|a|this|got|new)\s+(?:\w+\s+){{0,2}}{_EN_JOB}\b|\bmy\s+(?:shift|boss|manager|classroom|pupils|students|patients|clients|customers)s?\b"
    r"|\bpromoted\b|\b(?:quit(?!\s+(?:smok|vap|breath|drink|the\s+gym))|resigned|got\s+(?:fired|hired|laid\s+off)|handed\s+in\s+my\s+notice)\b|\bi(?:\s+start(?:ed)?|['’]?m\s+starting|\s+am\s+starting)\s+(?:at|as)\b(?!\s+\d)"
    r"|\bi\s+(?:now\s+|currently\s+)?(?:teach(?!\s+(?:him|her|them|you|it|my\w*)\b)|bartend|drive\s+(?:an?\s+|the\s+)?(?:ambulance|bus|lorry|truck|tram|train|taxi"
    r"|cab|uber|forklift)|(?:run|own|manage)\s+(?:an?|my|the|our)\s+(?:\w+\s+){0,2}(?:shop|store|bakery|caf[eé]|salon|bar"
    r"|pub|restaurant|farm|company|business|studio|garage|nursery))\b"
    r"|\b(?:fahre?|unterrichte|leite|führe)\s+(?:\w+\s+){0,2}(?:bus|lkw|laster|taxi|kranken?wagen|rettungswagen|laden|café"
    r"|bäckerei|praxis|salon)\b"
    r"|\b(?:arbeite|jobbe)\s+(?:\w+\s+){0,3}(?:als|bei|in|im|am|auf|für)\b|\b(?:mein|neue[rn]?|erster)\s+(?:job|chef|arbeitgeber|arbeitstag|stelle|schicht)\b"
    r"|\bich\s+bin\s+(?:jetzt\s+)?(?:\w{3,}(?:er|erin|ist|istin|eur|eurin)|koch|arzt|ärztin)\b|\b(?:befördert|gekündigt|ausbildung\s+(?:als|zu[mr]?))\b"
    r"|\btrabajo\s+(?:de|en|como|para)\b|\bmi\s+(?:jef[ea]|turno|curro|laburo|puesto)\b|\b(?:nuevo|primer)\s+(?:trabajo|laburo|curro|puesto|sueldo|recibo)\b"
    r"|\b(?:me\s+(?:contrataron|ascendieron|echaron)|renunci[eé]|entré\s+(?:a|en|de|como))\b"
    r"|\bje\s+(?:bosse|travaille)\s+(?:à|au|aux|en|dans|chez|comme|pour)\b|\bmon\s+(?:patron|chef|boulot|taf|métier|employeur|poste)\b"
    r"|\b(?:nouveau\s+(?:boulot|taf|poste|job)|premier\s+jour|(?:ils\s+m['’]ont|j['’]ai\s+été)\s+(?:embauchée?|promue?|virée?|prise?)|j['’]ai\s+démissionné)\b"
    r"|работаю\b|\bустроил(?:ся|ась)\b|\bповысили\b|\bуволил(?:ся|ась)\b|\b(?:моя|мой|новая|новой|первый)\s+(?:работа|работе|начальник\w*|смена|должность|рабочий)\b"
    r"|我(?:是|当|做|在)[^，。！？]{0,12}(?:上班|工作|当班|师|員|员|工|骑手|司机|医生|护士)|(?:升|提拔|入职|辞职|跳槽|离职|轉正|转正)|当(?:上|了|店长|组长|经理)"
    r"|(?:働いて|勤めて|勤務)|(?:転職|就職|入社|昇進|配属|退職)|(?:私の|うちの)(?:職場|会社|上司)"
    r"|\bя\s+(?:по\s+профессии\s+)?(?:\w{3,}(?:ист|истка|тель|тельница|щик|щица|олог)|бариста|врач|медсестра"
    r"|медбрат|повар|водитель|инженер|бухгалтер|студент\w*|менеджер|юрист|продавец|курьер|дизайнер)\b"
    r"|\bпо\s+профессии\b|\bменя\s+(?:уволили|взяли\s+на\s+работу|повысили)\b|\bнов(?:ую|ой)\s+работ[уе]\b|\bучусь\s+на\b"
    r"|\bвыхожу\s+(?:на\s+(?:новую\s+)?работу|(?:в|на)\s+\w+\s+с)\b"
    r"|(?:で|から)働(?:く|き始め|いた)|バイト(?:を)?(?:始め|して|辞め|やめ)|(?:会社|仕事|店|カフェ)を?(?:辞め|やめ)|クビ|内定"
    r"|(?:^|[、。\s]|私は?|僕は?|俺は?)\S{0,8}(?:店員|社員|会社員|看護師|教師|エンジニア|公務員|美容師|保育士|医者|営業)"
    r"(?:です|だよ|だ[。、\s]|してる|してます|をして|やって|$)"
)
_PATTERNS = {
    OwnSubject.WORK: _WORK,
    OwnSubject.NAME: _NAME,
    OwnSubject.HOME: _HOME,
    OwnSubject.ORIGIN: _ORIGIN,
    OwnSubject.AGE: _AGE,
    OwnSubject.BIRTHDAY: _BIRTHDAY,
    OwnSubject.DISLIKES: _DISLIKES,
}


def states(subject: OwnSubject, text: str) -> bool:
    """Returns whether the wording of the text states this of its speaker.

    Always True for subjects that have no typical wording, such as pets.
    """
    return subject not in _PATTERNS or bool(_compiled(subject).search(text[:_MAX_READ]))


@cache
def _compiled(subject: OwnSubject) -> re.Pattern[str]:
    """Returns the pattern, compiled when first used, as most messages need none."""
    return re.compile(_PATTERNS[subject], re.IGNORECASE | re.MULTILINE)
