"""How each language asks for a part of one's own life: "what are my hobbies", "我有宠物吗".

The patterns are for clauses as patterns.plain_question() returns them.
"""

# ruff: noqa: RUF001  (curly quotes, Cyrillic, Chinese and Japanese punctuation)

import re
from functools import cache

from .patterns import joined_lines, one_of
from .subject_statements import OwnSubject


def _own(lead_in: str, nouns: str) -> str:
    """Returns a pattern of the lead-in, an adjective or none, and one of the nouns."""
    adjectives = "(?:own |new |current |first |full |real |old |neue[rn]? |nuevo |nueva |nouveau )?"
    return rf"(?:{lead_in}) {adjectives}(?:{nouns})"


# What may stand before "my name", "meinen Namen" and the like.
_RECALL = r"(?:know|remember|recall|forgot|forgotten|tell me|remind me(?: of)?|list|describe)"
_ABOUT = (
    r"(?:know|remember|recall|tell me|talk|list|summari[sz]e|describe|said|told you)"
    r"(?: (?:everything|all|something|anything|what|more))?(?: you (?:know|remember))? about"
)
_EN = (
    rf"(?:what(?:'?s| is| are| was)?|when(?:'?s| is)?|where(?:'?s| is)?|who(?:'?s| is| are)?"
    rf"|what day is|{_RECALL}|{_ABOUT}) my"
)
_DE = (
    r"(?:(?:wie|was|wann|wo) (?:ist|is|war|sind|heißen|heissen|lautet)|welche[rs]?"
    r"|kennst du|mir|wei(?:ß|ss)t du|erzähl mir (?:was )?(?:von|über)|was wei(?:ß|ss)t du über|an)"
    r" mein(?:e[nmrs]?)?"
)
_ES = (
    r"(?:(?:cu[aá]l(?:es)?|cu[aá]ndo|qu[eé] d[ií]a|d[oó]nde|c[oó]mo) (?:es|son|era|cae|est[aá])"
    r"|sab[eé]s|recuerdas|record[aá]s|(?:acuerdas|acord[aá]s) de|dime|dec[ií]me|qu[eé] sab[eé]s de"
    r"|h[aá]blame de|cu[eé]ntame de|cont[aá]me de) mis?"
)
_FR = (
    r"(?:(?:c'est|c'était|c) (?:quoi|quand)|quel(?:le)?s? (?:est|sont)|quand (?:est|c'est)"
    r"|sais|connais|(?:souviens|rappelles) de|rappelles|que sais tu de|parle moi de)"
    r" (?:mon|ma|mes)"
)
_RU = (
    r"(?:помнишь|знаешь|напомни|забыла?|как(?:ой|ая|ое|ие) у меня|как(?:ой|ая|ое|ие)"
    r"|когда (?:у меня|мой|моя)|(?:расскажи|что ты знаешь) (?:о|про))"
    r" (?:мо[йяеёию]|моей|мою|моих)? ?"
)
_RU_HAVE = r"есть ли у меня"
_JA_I = r"(?:私|僕|俺|わたし|あたし|自分)"
_SPACED = {
    OwnSubject.NAME: (
        _own(_EN, r"(?:sur)?name(?: is)?"),
        r"what (?:am i|i'?m|i am) called|what do (?:you|people|they) call me",
        r"(?:was|wie) (?:nennt man|nennen|rufen|ruft) mich(?: \w+){0,2}",
        r"c[oó]mo me (?:dicen|llaman)(?: todos)?|comment on m'appelle|как меня (?:называют|кличут)",
        r"wie (?:ich )?(?:heiß|heiss)e?(?: ich)?(?!\w)",
        _own(_DE, "(?:vor|nach)?namen?"),
        r"c[oó]mo me llamo",
        _own(_ES, "nombre"),
        r"comment (?:est ce que )?je m'app?el+e?|comment je m'app?elé",
        r"j(?:e )?m'app?el+e comment",
        r"mon (?:pré)?nom (?:déjà )?c'est quoi",
        r"comment m'appelé je",
        _own(_FR, "nom|prénom"),
        r"как меня зовут|меня как зовут|меня зовут как|как мо[её] имя|мо[её] имя как(?:ое)?",
        rf"{_RU}имя",
    ),
    OwnSubject.PEOPLE: (
        _own(_EN, "(?:family|friends|relatives|kids|children|siblings)(?: members)?"),
        r"who(?:'s| is| are)? in my family",
        r"do i have (?:any )?(?:siblings|kids|children|brothers|sisters|family)(?: or sisters)?",
        _own(_DE, "familie|freunde"),
        r"wer gehört zu meiner familie|habe? ich (?:geschwister|kinder)",
        _own(_ES, "familia|gente"),
        r"tengo (?:hijos|hermanos)",
        _own(_FR, "famille|amis"),
        r"(?:est ce que )?j'ai des (?:enfants|frères)(?: (?:et|ou) (?:des )?s(?:œ|oe)urs)?",
        rf"{_RU}(?:семь[еюя]|друзьях|друзья)|кто (?:есть )?(?:у меня )?в (?:моей )?семье",
        rf"{_RU_HAVE} (?:дети|братья|с[её]стры|брат|сестра|семья)(?: или с[её]стр[аы])?",
        r"кто мои (?:друзья|родные|родственники)",
    ),
    OwnSubject.PETS: (
        _own(_EN, r"(?:pets?|animals?)(?:'s)?(?: (?:names?|called))?"),
        r"(?:do i (?:have|own)|have i got|i have) (?:any |a )?(?:pets?|animals?)(?: at home)?",
        r"(?:what|which) (?:pets?|animals?) do i (?:have|own)",
        r"habe? ich (?:ein |irgendwelche )?(?:haus)?tiere?"
        r"|(?:was|welche|was für) (?:haus)?tiere habe? ich|(?:was|welche) haustiere",
        _own(_DE, "haustiere?"),
        r"tengo (?:alguna )?mascotas?|qué mascotas? tengo",
        r"(?:est ce que )?j'ai (?:un |des )animaux(?: de compagnie)?",
        r"ai je des animaux(?: de compagnie)?",
        rf"(?:у меня есть|{_RU_HAVE}) (?:какие[- ]?нибудь )?(?:домашн\w+ )?"
        r"(?:животн(?:ые|ое)|питомцы|питомец)",
        r"какие у меня (?:есть )?(?:домашн\w+ )?(?:животные|питомцы)|кто у меня из животных",
    ),
    OwnSubject.HOME: (
        r"(?:where|(?:what|which) (?:city|town|country|place|street|state|village|area))"
        r" (?:do )?(?:i|we) (?:live|reside)(?: in| at| on)?",
        r"where (?:am i|are we|i am|i'?m|we're) (?:living|based)",
        r"where (?:did|have|am|are) (?:i|we) (?:move|moved|moving)(?: to)?",
        r"where (?:i|we)(?:'ve)? moved(?: to)?",
        _own(_EN, r"(?:home |new |current )?ad+res+(?: (?:is|be|will be|gonna be))?|home"),
        r"(?:wo|in welche[rm] (?:stadt|ort|straße|viertel)) (?:ich )?(?:wohn|leb)e?(?: ich)?",
        r"wo bin ich (?:zu ?hause|daheim)",
        r"wo(?:hin)? (?:bin ich|sind wir|ich) (?:hin|um)?gezogen(?: bin)?",
        _own(_DE, "adresse|wohnort"),
        r"(?:a?d[oó]nde|en qu[eé] (?:ciudad|barrio|pueblo|calle)) (?:viv(?:o|ía)|vivimos)(?: yo)?",
        r"a?d[oó]nde (?:me (?:he )?mud(?:é|ado)|nos (?:hemos )?mud(?:amos|ado))",
        _own(_ES, "direcci[oó]n|casa"),
        r"(?:où|dans quelle ville) (?:est ce que )?(?:j'habite|je vis|on habite|habité je"
        r"|j'ai (?:dé|em)ménagé)|j(?:e )?vis où",
        r"j'?habite (?:où|quelle ville|dans quelle ville)",
        r"mon adresse (?:déjà )?c'est quoi",
        _own(_FR, "adresse"),
        r"(?:где|в каком городе|на какой улице|в каком районе) (?:я|мы) (?:живу|живём|живем)",
        r"(?:я|мы) (?:живу|живём|живем) (?:где|в каком городе)|куда (?:я|мы) переехал[аи]?",
        rf"{_RU}адрес|мой адрес (?:какой|напомни)|где у меня (?:дом|квартира)",
    ),
    OwnSubject.ORIGIN: (
        r"where (?:am i|i am|i'?m) (?:originally )?from(?: originally)?",
        r"where (?:do i come from|i come from|was i (?:born|raised)|i was (?:born|raised))",
        r"where (?:did i grow up|i grew up|i grow up)",
        r"(?:what|which) (?:country|city|town|place|village)"
        r" (?:(?:am i|i'?m) from|(?:was i|i was) born in|(?:did i grow|i grew) up in)",
        _own(_EN, "home ?town|home country|nationality|birth ?place"),
        r"aus welche[rm] (?:stadt|land|ort|dorf) (?:ich )?komme?(?: ich)?",
        r"woher (?:ich )?komme?(?: ich)?|wo (?:ich )?(?:komme? ich her|herkomme?)",
        r"wo (?:bin ich|ich) (?:geboren|aufgewachsen|groß geworden)(?: bin)?",
        r"de d[oó]nde (?:soy|vengo)(?: yo)?|d[oó]nde (?:nac[ií]|crec[ií]|me cri[eé])",
        r"d'où (?:est ce que )?(?:je viens|viens je)|je viens d'où",
        r"où (?:est ce que )?(?:je suis née?|j'ai grandi)|(?:j'ai grandi|je suis née?) où",
        r"откуда я(?: родом)?|где я (?:родил(?:ся|ась)|выросл?а?)|я (?:родом )?откуда",
    ),
    OwnSubject.AGE: (
        r"how old (?:am i|i am|i'?m|will i be|do i (?:turn|get)|i turn|i get)",
        _own(_EN, "age"),
        r"wie alt (?:ich )?(?:bin|werde?)(?: ich)?",
        _own(_DE, "alter"),
        r"cu[aá]ntos (?:años )?(?:tengo|cumplo|hago|me caen)|(?:qu[eé]|q) edad tengo",
        _own(_ES, "edad"),
        r"quel âge (?:est ce que )?(?:j'?ai|je vais avoir)|quel âge ai je|j'?ai quel âge",
        _own(_FR, "âge"),
        r"ça me fait (?:combien|quel âge)(?= cette année| maintenant)|j'ai combien d'années",
        r"(?:сколько|скока|скок) мне (?:лет|будет|исполн\w+|стукнет)(?: лет)?"
        r"|мне (?:сколько|скока)(?: лет)?|(?:сколько|скока) лет мне|какой у меня возраст",
        r"сколько мне в этом году (?:лет|будет|исполн\w+|стукнет)",
    ),
    OwnSubject.BIRTHDAY: (
        _own(_EN, "(?:birth|b) ?day(?: is)?|birth ?date|date of birth|dob"),
        r"when (?:was i|i was) born|when (?:do )?i turn(?: \d+)?",
        r"wann (?:ich )?(?:habe? )?(?:ich )?geburtstag(?: habe?)?|wann (?:bin ich|ich) geboren",
        r"wann werde? ich \d+|an welchem tag (?:habe? ich geburtstag|bin ich geboren)",
        _own(_DE, "geburtstag|geburtsdatum"),
        r"cu[aá]ndo cumplo(?: años)?|cu[aá]ndo nac[ií]",
        _own(_ES, "cumple(?:años)?"),
        _own(_FR, "anniv(?:ersaire)?"),
        r"mon anniv(?:ersaire)? (?:c'est|c) quand",
        r"quand (?:est ce que )?c'est mon anniv(?:ersaire)?",
        r"quand (?:est ce que )?je suis née?|je suis née? quand",
        rf"{_RU}(?:день рожд\w+|днюха|др)|(?:день рожд\w+|днюха|др) у меня когда",
        r"когда я родил(?:ся|ась)|какого числа я родил(?:ся|ась)",
    ),
    OwnSubject.WORK: (
        _own(
            _EN,
            "(?:job|work|profession|occupation|career|studies|employer|workplace|line of work"
            "|position|job title)(?: is)?",
        ),
        r"what (?:do )?i do (?:for (?:a living|work|a job|money)|professionally|as a job)",
        r"what (?:do )?i work (?:as|in)|what (?:kind|sort) of (?:job|work) (?:do )?i (?:have|do)",
        r"how (?:do )?i (?:earn|make) (?:my |a )?(?:money|living)",
        r"(?:where|who) (?:do )?i work(?: for| at)?|where (?:am i|i'm) working",
        r"was (?:arbeite ich|ich arbeite|ich (?:beruflich )?mache?|mache? ich) ?(?:beruflich)?"
        r"(?<=beruflich)|was arbeite ich|als was (?:arbeite ich|ich arbeite)",
        r"was ich (?:beruflich mache?|arbeite?)|was bin ich von beruf",
        r"(?:wo|für wen|bei wem|(?:bei|in) welche[rm] (?:firma|betrieb))"
        r" (?:ich )?arbeite?(?: ich)?",
        r"womit (?:verdiene? ich|ich) mein geld(?: verdiene?)?",
        _own(_DE, "beruf|job|arbeit"),
        r"(?:en qu[eé]|en q|de qu[eé]|de q|d[oó]nde|para qui[eé]n) (?:trabajo|laburo|chambeo)",
        r"a (?:qu[eé]|q) me dedico",
        r"qu[eé] (?:puesto|trabajo|cargo|curro|laburo) tengo(?: en .{1,20})?",
        r"c[oó]mo me gano la vida",
        _own(_ES, "trabajo|profesi[oó]n|puesto|oficio|curro|laburo|chamba"),
        r"(?:(?:qu'est )?ce que je fais|j(?:e )?fais quoi)"
        r" (?:dans la vie|comme (?:travail|métier|boulot|taf))",
        r"(?:où|pour qui|chez qui) (?:est ce que )?je (?:travaille|bosse)",
        r"mon (?:métier|travail|boulot|taf|job) (?:déjà )?c'est quoi",
        r"j(?:e )?(?:travaille|bosse) (?:où|dans quoi|comme quoi)|comment je gagne ma vie",
        _own(_FR, "métier|travail|boulot|taf|job"),
        r"(?:кем|где|на кого) я работаю|я работаю (?:кем|где)|кто я по профессии",
        r"чем я (?:зарабатываю|занимаюсь)(?: на жизнь| по жизни)?|что у меня за работа",
        r"как(?:ая|ой) у меня (?:профессия|должность|специальность)",
        rf"{_RU}(?:работ[ау]|професси[яю]|должность)",
    ),
    OwnSubject.HOBBIES: (
        _own(_EN, "hobby|hobbies|interests|pastimes|free time"),
        r"do i have (?:any |a )?(?:hobbies|hobby)",
        r"what (?:do )?i (?:like to do|like doing|enjoy doing|do)"
        r" (?:for fun|in my (?:free|spare) time)",
        _own(_DE, "hobbys|hobbies|interessen"),
        r"was mache? ich (?:gerne?(?: in meiner freizeit)?|in meiner freizeit)",
        r"welche hobb(?:y|ie)s habe? ich",
        _own(_ES, "aficiones|hobbies|pasatiempos"),
        r"(?:qu[eé]|q) me gusta hacer|qu[eé] (?:hobbies|aficiones|pasatiempos) tengo",
        _own(_FR, "loisirs|hobbies|passe temps|passions"),
        r"qu'est ce que j'aime faire",
        rf"{_RU}(?:хобби|увлечения)|чем я увлекаюсь",
    ),
    OwnSubject.TASTES: (
        r"what (?:(?:foods?|things|kinds? of things) )?(?:do )?i (?:like|love|enjoy)"
        r"(?: to (?:do|eat)| doing| most)?",
        _own(_EN, "tastes?|preferences|likes(?: and dislikes)?"),
        r"was mag ich(?: gerne?)?(?! nicht)|was esse? ich gerne?",
        r"qu[eé] me gusta(?! hacer)",
        r"qu'est ce que j'aime(?! faire| pas)|j'aime quoi",
        r"(?:что|ч[её]|чо|шо) (?:я люблю|мне нравится)(?: (?:есть|кушать|делать|пить))?",
    ),
    OwnSubject.DISLIKES: (
        r"what (?:(?:foods?|things) )?(?:do )?i (?:hate|dislike|not like|can't stand)",
        r"what (?:(?:foods?|things) )?(?:don't|do not) i (?:like|eat|want)",
        r"was mag ich nicht|was hasse? ich|was kann ich nicht (?:leiden|ausstehen)",
        r"qu[eé] (?:no me gusta|odio)(?: (?:de )?(?:comer|tomar|beber))?",
        r"qu'est ce que (?:je n'aime pas|j'aime pas|je déteste)(?: manger)?",
        r"j'aime pas quoi(?: (?:comme (?:bouffe|plats?)|à manger))?",
        r"(?:что|чего|ч[её]|чо|шо) (?:я (?:не (?:люблю|ем)|терпеть не могу)|мне не нравится)",
    ),
    OwnSubject.HEALTH: (
        _own(_EN, "health(?: (?:issues|problems))?|medical history|allerg(?:y|ies)"),
        _own(_DE, "gesundheit|allergien"),
        r"(?:welche |irgendwelche )?allergien habe? ich|habe? ich (?:irgendwelche )?allergien",
        r"(?:wogegen|gegen was|worauf) bin ich (?:alles )?allergisch",
        r"qu[eé] alergias tengo",
        _own(_FR, "allergies"),
        r"j'ai quelles allergies",
        r"на что у меня аллергия|у меня на что аллергия|как(?:ая|ие) у меня аллерги[яи]",
        rf"{_RU_HAVE} (?:на что[- ]нибудь )?аллергия(?: на что[- ]нибудь)?",
        r"(?:что|чего) мне нельзя(?: есть| кушать| пить)?|что у меня со здоровьем",
    ),
    OwnSubject.TRAVEL: (
        r"where (?:did|have|do) (?:i|we) (?:go|been|gone|travel(?:l?ed)?)(?: to)?"
        r" (?:on |for )(?:vacation|holidays?)",
        r"where have i (?:been|travell?ed)(?: to)?|what trips have i (?:taken|made)",
        _own(_ABOUT + " my", "travels|trips|vacations?|holidays?"),
        r"wo (?:war ich|waren wir) (?:schon )?im urlaub",
        r"d[oó]nde (?:fui|fuimos|he ido) de vacaciones",
        r"où (?:est ce que )?(?:je suis|on est|suis je) (?:allé|parti)e?s? en vacances",
        r"где я (?:была?|отдыхала?) в отпуске|куда я (?:ездила?|летала?) (?:в отпуск|отдыхать)",
    ),
    OwnSubject.PLANS: (
        _own(_EN, "plans|goals"),
        r"what do i have (?:planned|coming up)|do i have (?:any )?plans|what(?:'s| is) coming up",
        r"was habe? ich vor|was habe? ich für pläne|habe? ich pläne",
        _own(_DE, "pläne"),
        _own(_ES, "planes"),
        r"qu[eé] planes tengo",
        _own(_FR, "projets|plans"),
        r"j'ai quoi de prévu",
        rf"{_RU}планы|что у меня (?:запланировано|в планах)",
    ),
}
_WHAT = r"(?:什么|什麼|啥|哪些)"
_WHERE = r"(?:哪(?:里|裡|儿|兒|个城市|座城市|个地方|个区|個區|一块|一塊)?)+|什么地方|什麼地方"
_KNOWN = r"(?:知道|记得|記得|告诉我|告訴我|说说|說說|提醒我)"
_UNSPACED = {
    OwnSubject.NAME: (
        rf"我(?:叫|的?名字(?:是|叫)?|姓){_WHAT}(?:名字)?|{_KNOWN}我的?(?:名字|叫{_WHAT})"
        r"|(?:大家|别人|人家)?都?(?:怎么|怎麼)(?:喊|叫|称呼|稱呼)我",
        rf"{_JA_I}の名前|{_JA_I}(?:は|って)?(?:なんて|何て|何という)(?:名前|言う|いう)",
    ),
    OwnSubject.PEOPLE: (
        r"我家里?(?:都)?有(?:谁|誰|哪些人|几口人|什么人)"
        r"|我的?(?:家人|家庭|朋友)(?:都)?(?:有)?(?:是谁|谁|有哪些|哪些|叫什么)",
        rf"{_JA_I}の(?:家族(?:構成)?|友達)(?:は|について|を|って|だれ|誰|(?=覚え))"
        rf"|{_JA_I}(?:に)?(?:は|って)?(?:兄弟|姉妹|子供|子ども|きょうだい)(?:は|って|が)?(?:いる|います|いた)",
    ),
    OwnSubject.PETS: (
        rf"我(?:家)?(?:有没有|有沒有|有|养了|養了|养|養)(?:{_WHAT}|几只)?(?:宠物|寵物|动物|動物)(?:没有|沒有)?"
        r"|我的(?:宠物|寵物)(?:是什么|叫什么)",
        rf"{_JA_I}(?:は|って|の)?(?:ペット|動物)(?:は|を|が|って)?(?:飼って(?:い)?(?:る|ます|た)|い(?:る|ます))?",
    ),
    OwnSubject.HOME: (
        rf"我(?:们|們)?(?:现在|現在|目前)?(?:家)?(?:住|搬到|搬去)(?:在|了)?(?:{_WHERE})"
        rf"|我家(?:现在|現在)?在(?:{_WHERE})|我的?(?:地址|住址)是?(?:什么|什麼|哪里|哪儿)",
        rf"{_JA_I}?(?:は|って|が)?(?:今|いま)?(?:は)?どこに?住んで(?:い)?(?:る|ます)",
        rf"{_JA_I}の(?:住所|家)(?:は|って|を|どこ|(?=覚え))|{_JA_I}が(?:今)?住んで(?:い)?る(?:の|ところ|場所)(?:は|って)?どこ",
        rf"{_JA_I}?(?:は|って)?どこ(?:に|へ)?引っ越した",
    ),
    OwnSubject.ORIGIN: (
        r"我(?:是)?(?:从)?(?:哪里|哪裡|哪儿|哪)(?:来的?|人|的人)|我的?(?:老家|家乡|家鄉)(?:是|在)?(?:哪里|哪裡|哪儿|哪)",
        rf"{_JA_I}の(?:出身|出身地|故郷)|{_JA_I}(?:は|って)?どこ(?:出身|の出身|生まれ)",
    ),
    OwnSubject.AGE: (
        r"我(?:今年|现在|現在)?(?:多大|几岁|幾歲|多少岁)",
        rf"{_JA_I}(?:は|って)?(?:今|今年)?(?:で)?(?:何歳|いくつ)|今年(?:で)?(?:いくつ|何歳)になる"
        rf"|{_JA_I}の(?:年齢|歳|とし|年)(?:は|って|を|いくつ|(?=覚え))",
    ),
    OwnSubject.BIRTHDAY: (
        r"我的?生日(?:是)?(?:在)?(?:哪天|哪一天|什么时候|什麼時候|几月几号|几号|几月)|"
        rf"{_KNOWN}我的?生日|我(?:什么时候|几月几号|哪天)(?:过)?生日",
        rf"{_JA_I}の誕生日",
    ),
    OwnSubject.WORK: (
        rf"我是?(?:在)?(?:做|干|幹)(?:{_WHAT}|哪行)(?:工作|职业|職業)?(?:的)|我做(?:{_WHAT})(?:工作|职业|職業)"
        rf"|我是?(?:干嘛|干吗|做嘛)的|我的?(?:工作|职业|職業)是?{_WHAT}|我在(?:{_WHERE})(?:上班|工作)"
        rf"|{_KNOWN}我的?(?:工作|职业|職業)",
        rf"{_JA_I}の(?:今の)?(?:仕事|職業|勤め先|会社)(?:は|って|なん|何|を|(?=覚え))"
        rf"|{_JA_I}(?:は|って)?どこで働いて(?:い)?(?:る|ます)"
        rf"|{_JA_I}(?:は|って)?(?:何|なん)の仕事(?:を)?して(?:い)?(?:る|ます)",
    ),
    OwnSubject.HOBBIES: (
        rf"我(?:有|的)?{_WHAT}?(?:爱好|愛好|兴趣爱好|兴趣|興趣)(?:是什么|是什麼|有哪些)?",
        rf"{_JA_I}の趣味",
    ),
    OwnSubject.TASTES: (
        r"我(?:最)?(?:喜欢|喜歡|爱|愛)(?:做|干|吃)?(?:什么|什麼|啥|哪些东西)",
        rf"{_JA_I}(?:は|って|の)?(?:何が好き|好きな(?:もの|物|こと|食べ物))",
    ),
    OwnSubject.DISLIKES: (
        rf"我(?:最)?(?:讨厌|討厭|不喜欢|不喜歡|不爱|不愛)(?:吃)?{_WHAT}",
        rf"{_JA_I}(?:は|って)?何が(?:嫌い|苦手|食べられない)"
        rf"|{_JA_I}の(?:嫌い|苦手)な(?:もの|物|こと|食べ物)(?:は|って|を|何|なん|(?=覚え))",
    ),
    OwnSubject.HEALTH: (
        r"我(?:的)?(?:身体|身體|健康)(?:怎么样|状况|有什么问题|有什么毛病)",
        rf"{_JA_I}(?:は|って|の)?(?:何|なん|なに)?(?:の)?アレルギー(?:は|って|を|が)?"
        r"(?:だっけ|なん|何|覚え|あった|ある|持って|だった)",
    ),
    OwnSubject.TRAVEL: (
        r"我(?:们)?(?:都)?去过(?:哪里|哪儿|哪些地方)(?:旅游|玩)?|我(?:们)?去哪(?:里|儿)(?:旅游|玩)过?",
    ),
    OwnSubject.PLANS: (
        rf"我(?:最近)?有{_WHAT}?(?:计划|計劃|打算|安排)",
        rf"{_JA_I}の予定",
    ),
}


@cache
def question_pattern(*subjects: OwnSubject) -> re.Pattern[str]:
    """Returns a pattern of the questions for any of these subjects."""
    spaced = joined_lines(line for subject in subjects for line in _SPACED[subject])
    unspaced = (line for subject in subjects for line in _UNSPACED.get(subject, ()))
    return re.compile(joined_lines((rf"(?<!\w)(?:{spaced})(?!\w)", *unspaced)))


@cache
def any_question_in_ascii() -> re.Pattern[str]:
    """Returns a pattern of all of them in ASCII, which searches for the English lead-in once."""
    lines = [line for listed in _SPACED.values() for line in listed]
    lead_in = _own(_EN, "").removesuffix("(?:)")
    nouns = [line.removeprefix(lead_in) for line in lines if line.startswith(lead_in)]
    rest = [line for line in lines if not line.startswith(lead_in)]
    return one_of(joined_lines((f"{lead_in}(?:{joined_lines(nouns)})", *rest)))
