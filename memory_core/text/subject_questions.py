"""Recognises questions about a whole part of one's own life: "what are my hobbies", "我有宠物吗".

Such a question names no hobby and no animal, so its words find nothing. A message or a clause of it
counts only as a whole: "do I have pets that may travel" asks for something else.
"""

# ruff: noqa: RUF001  (curly quotes, Cyrillic, Chinese and Japanese punctuation)

import re
from enum import StrEnum

from .overview_questions import joined_lines, plain_question

_MAX_CHARS = 120  # of a question
_MAX_MESSAGE = 400  # characters of a message that asks among other things
_CLAUSE_END = re.compile(r"[.!?,;:…()\n]+|[。！？，；：（）、]|\s-+\s")


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


_EN = r"""(?:(?:do you (?:know|remember|recall)|(?:(?:can|could) you )?(?:tell|remind) me) )?"""
_ABOUT_MY = (
    r"(?:(?:what (?:else )?(?:do|can) you (?:know|remember|recall|tell me) about"
    r"|(?:tell me|list|summari[sz]e|describe)(?: (?:everything|all|something|what))?"
    r"(?: you (?:know|remember))?(?: about)?|talk about) my )"
)
_ZH = r"(?:你(?:还|還)?(?:知道|记得|記得)(?:吗|嗎)?|(?:告诉|告訴|提醒)我|(?:说说|說說))?"
_ZH_END = r"(?:呢|吗|嗎|啊|呀|来着)?"
_NAME = (
    rf"{_EN}what(?:'?s| is)? my (?:first |full |real )?name(?: is)?"
    r"|(?:do you (?:know|remember|recall)|(?:tell|remind) me) my name",
    rf"{_ZH}我(?:叫|的名字(?:是|叫)?|姓)(?:什么|什麼|啥)?(?:名字)?{_ZH_END}",
    r"(?:wei(?:ß|ss)t du(?: noch)? )?wie (?:heisse ich|ich heisse)|wie ist mein name",
    r"(?:sabes |recuerdas |te acuerdas de )?(?:c[oó]mo me llamo|cu[aá]l es mi nombre|mi nombre)",
    r"(?:tu (?:sais|te souviens|te rappelles) )?(?:comment (?:je m'appelle|m'appelé je)"
    r"|c'est quoi mon (?:nom|prénom)|quel est mon (?:nom|prénom))",
    r"(?:ты (?:помнишь|знаешь) )?(?:как меня зовут|мо[её] имя)",
    r"(?:私|僕|俺)の名前(?:は|を)?(?:何|なに)?(?:覚えて(?:い)?る|知って(?:い)?る|ですか|だっけ)?",
)
_PEOPLE = (
    rf"{_ABOUT_MY}(?:family|friends|relatives|kids|children|siblings)(?: members)?"
    rf"|{_EN}(?:who(?:'s| is| are)? in my family|who are my (?:friends|relatives|family))"
    r"|do i have (?:any )?(?:siblings|kids|children|brothers|sisters|family)(?: or sisters)?",
    rf"{_ZH}(?:我家里?(?:都)?有(?:谁|誰|哪些人|几口人|什么人)"
    rf"|我的?(?:家人|家庭|朋友)(?:都)?(?:有)?(?:是谁|谁|有哪些|哪些|叫什么)){_ZH_END}",
    r"(?:erzähl mir (?:was )?(?:von|über)|was wei(?:ß|ss)t du über) meine[rn]? (?:familie|freunde)"
    r"|wer gehört zu meiner familie|habe? ich (?:geschwister|kinder)",
    r"(?:qué sabes de|h[aá]blame de|cu[eé]ntame de) mi (?:familia|gente)|tengo (?:hijos|hermanos)",
    r"(?:que sais tu de|parle moi de) (?:ma famille|mes amis)|est ce que j'ai des (?:enfants"
    r"|frères)",
    r"(?:расскажи|что ты знаешь) (?:о|про) мо(?:ей семье|ю семью|их друзьях)",
    r"(?:私|僕|俺)の家族(?:は|について)?(?:誰|知って(?:い)?る|覚えて(?:い)?る)?",
)
_PETS = (
    rf"{_ABOUT_MY}(?:pets?|animals)|{_EN}(?:do i (?:have|own)|i have|have i got) (?:any |a )?"
    rf"(?:pets?|animals?)"
    r"(?: at home)?|(?:what|which) (?:pets?|animals?) do i (?:have|own)"
    rf"|{_EN}(?:what(?:'?s| is| are)|who(?:'?s| is| are)) my pets?(?:'s?)?(?: (?:names?|called))?",
    rf"{_ZH}我(?:家)?(?:有没有|有沒有|有|养了|養了|养|養)(?:什么|什麼|哪些|几只)?(?:宠物|寵物|动物|動物)(?:没有|沒有)?{_ZH_END}"
    rf"|{_ZH}我的(?:宠物|寵物)(?:是什么|叫什么){_ZH_END}",
    r"habe? ich (?:ein |irgendwelche )?haustiere?|(?:was|welche) (?:sind meine )?haustiere"
    r"(?: habe? ich)?",
    r"tengo (?:alguna )?mascotas?|qué mascotas? tengo",
    r"(?:est ce que )?j'ai (?:un |des )animaux(?: de compagnie)?|ai je des animaux"
    r"(?: de compagnie)?",
    r"(?:а )?у меня есть (?:какие нибудь )?(?:домашн\w+ )?(?:животные|питомцы|питомец)",
    r"(?:私|僕|俺)(?:は|って)?(?:ペット|動物)(?:は|を|が)?(?:飼って(?:い)?(?:る|ます)|い(?:る|ます))?(?:か|っけ)?",
)
_NOW_EN = r"(?: now| nowadays| currently| these days| at the moment| again)?"
_HOME = (
    rf"{_EN}(?:where|(?:what|which) (?:city|town|country|place|street|state|village)"
    rf") (?:do )?(?:i|we) (?:currently |now )?(?:live|reside)(?: in| at)?{_NOW_EN}"
    rf"|{_EN}where (?:am i|are we|i am|i'm|we're) (?:currently |now )?living{_NOW_EN}"
    rf"|{_EN}where (?:did|have|am|are) (?:i|we) (?:move|moved|moving)(?: to)?{_NOW_EN}"
    rf"|{_EN}where(?:'?s| is) my home{_NOW_EN}|{_EN}what(?:'?s| is| will)?"
    r" my (?:home |new |current )?"
    rf"ad+res+(?: (?:is|be|will be|gonna be|going to be))?{_NOW_EN}",
    rf"{_ZH}我(?:们|們)?(?:现在|現在|目前)?(?:家)?(?:住|搬到|搬去)(?:在|了)?"
    rf"(?:(?:哪(?:里|裡|儿|兒|个城市|座城市|个地方|个区|個區|一块|一塊)?)+|什么地方|什麼地方){_ZH_END}"
    rf"|{_ZH}我家(?:现在|現在)?在哪(?:里|裡|儿|兒)?{_ZH_END}"
    rf"|{_ZH}我的?(?:地址|住址)是?(?:什么|什麼|哪里|哪儿)?{_ZH_END}",
    r"(?:wei(?:ß|ss)t du(?: noch)?,? )?(?:(?:wo|in welcher stadt) (?:wohne|lebe) ich"
    r"(?: jetzt| gerade| zurzeit| aktuell| eigentlich| nochmal)*"
    r"|wo ich (?:jetzt |gerade )?(?:wohne|lebe)|wohin bin ich (?:um)?gezogen"
    r"|wie ist meine adresse)",
    r"(?:sabes |recuerdas |te acuerdas de )?"
    r"(?:(?:d[oó]nde|en qu[eé] ciudad) vivo(?: yo)?(?: ahora)?"
    r"|a?d[oó]nde me (?:he mudado|mud[eé])|cu[aá]l es mi direcci[oó]n)",
    r"(?:tu (?:sais|te souviens|te rappelles) )?(?:(?:où|dans quelle ville) (?:est ce que )?"
    r"(?:j'habite|je vis|j'ai (?:dé|em)ménagé)|j'habite où|où habité je|quelle est mon adresse)"
    r"(?: maintenant| en ce moment)?",
    r"(?:ты (?:помнишь|знаешь),? )?(?:(?:где|в каком городе) я (?:сейчас |теперь )?живу"
    r"(?: сейчас| теперь)?|куда я переехала?|какой у меня адрес)",
    r"(?:私|僕|俺|わたし)(?:は|って|が)?(?:今|いま)?(?:は)?どこに住んで(?:い)?(?:る|ます)(?:か|の|っけ|んだっけ)?"
    r"(?:覚えて(?:い)?る|知って(?:い)?る)?",
)
_ORIGIN = (
    rf"{_EN}where (?:am i|i am|i'm) (?:originally |really )?from(?: originally)?"
    rf"|{_EN}where (?:do i come from|was i born|i was born|did i grow up|i grew up)"
    rf"|{_EN}(?:what|which) (?:country|city|town|place)"
    rf" (?:am i from|was i born in|did i grow up in)"
    rf"|{_EN}what(?:'?s| is)? my (?:home ?town|home country|nationality)",
    rf"{_ZH}我(?:是)?(?:从)?(?:哪里|哪裡|哪儿|哪)(?:来)?(?:的)?(?:人)?{_ZH_END}"
    rf"|{_ZH}我的?(?:老家|家乡|家鄉)(?:是|在)?(?:哪里|哪裡|哪儿|哪)?{_ZH_END}",
    r"(?:wei(?:ß|ss)t du(?: noch)?,? )?(?:woher (?:komme ich|ich komme)|wo bin ich"
    r" (?:geboren|aufgewachsen))",
    r"(?:sabes |recuerdas )?(?:de d[oó]nde (?:soy|vengo)|d[oó]nde (?:nac[ií]|crec[ií]))",
    r"(?:tu (?:sais|te souviens) )?d'où (?:est ce que )?(?:je viens|viens je)"
    r"|où (?:est ce que )?(?:je suis née?|j'ai grandi)",
    r"(?:ты (?:помнишь|знаешь),? )?(?:откуда я(?: родом)?|где я (?:родил(?:ся|ась)|выросл?а?))",
    r"(?:私|僕|俺|わたし)の(?:出身|出身地|故郷)(?:は)?(?:どこ)?(?:ですか|だっけ|覚えて(?:い)?る)?",
)
_AGE = (
    rf"{_EN}how old (?:am i|i am)(?: now)?|{_EN}what(?:'?s| is)? my age",
    rf"{_ZH}我(?:今年|现在|現在)?(?:多大|几岁|幾歲|多少岁)(?:了)?{_ZH_END}",
    r"(?:wei(?:ß|ss)t du(?: noch)?,? )?wie alt (?:bin ich|ich bin)",
    r"(?:sabes |recuerdas )?(?:cu[aá]ntos años tengo|qu[eé] edad tengo)",
    r"(?:tu (?:sais|te souviens) )?(?:quel âge (?:est ce que )?j'ai|j'ai quel âge|quel âge ai je)",
    r"(?:ты (?:помнишь|знаешь),? )?сколько мне лет",
    r"(?:私|僕|俺|わたし)(?:は|って)?(?:何歳|いくつ)(?:ですか|だっけ|か)?",
)
_BIRTHDAY = (
    rf"{_EN}(?:when(?:'?s| is)?|what day is) my (?:birthday|bday)"
    rf"|{_EN}when (?:was i|i was) born|{_EN}when(?:'?s)? my (?:birthday|bday) is",
    rf"{_ZH}我的?生日(?:是)?(?:在)?(?:哪天|什么时候|什麼時候|几月几号|几号)?{_ZH_END}",
    r"(?:wei(?:ß|ss)t du(?: noch)?,? )?(?:wann (?:habe? ich|ich) geburtstag(?: habe)?"
    r"|wann ist mein geburtstag|wann bin ich geboren)",
    r"(?:sabes |recuerdas )?(?:cu[aá]ndo es mi cumpleaños|cu[aá]ndo cumplo años)",
    r"(?:tu (?:sais|te souviens) )?(?:c'est quand|quand est) mon anniversaire",
    r"(?:ты (?:помнишь|знаешь),? )?когда у меня день рождения",
    r"(?:私|僕|俺|わたし)の誕生日(?:は)?(?:いつ)?(?:ですか|だっけ|覚えて(?:い)?る)?",
)
_WORK = (
    rf"{_ABOUT_MY}(?:job|work|career|profession|studies)"
    rf"|{_EN}what (?:do )?i do(?: for (?:a living|work))|{_EN}what (?:do )?i (?:work as"
    rf"|do professionally)"
    rf"|{_EN}what(?:'?s| is| was)? my (?:job|profession|occupation|career|line of work)(?: is)?"
    rf"|{_EN}what(?:'?s| is)? my (?:current|new) (?:job|position|job title)"
    rf"|{_EN}where (?:do )?i work{_NOW_EN}",
    rf"{_ZH}我是?(?:做|干|幹)(?:什么|什麼|啥|哪行)(?:工作|职业|職業)?的?{_ZH_END}"
    rf"|{_ZH}我的?(?:工作|职业|職業)是?(?:什么|什麼|啥){_ZH_END}|{_ZH}我在哪(?:里|裡|儿)?(?:上班|工作){_ZH_END}",
    r"was (?:arbeite ich|mache? ich beruflich)|(?:was|wie) ist mein (?:beruf|job)|wo arbeite ich"
    r"|als was arbeite ich",
    r"(?:en qué trabajo|a qué me dedico|cu[aá]l es mi (?:trabajo|profesión|puesto)"
    r"|qué (?:puesto|trabajo|cargo) tengo(?: ahora| ahorita| actualmente)?(?: en .{1,20})?"
    r"|d[oó]nde trabajo(?: ahora)?)",
    r"(?:qu'est ce que je fais|je fais quoi) (?:dans la vie|comme (?:travail|métier|boulot))"
    r"|(?:quel est|c'est quoi) mon (?:métier|travail|boulot)|où (?:est ce que )?je travaille",
    r"кем я работаю|где я работаю|какая у меня (?:работа|профессия)",
    r"(?:私|僕|俺)の(?:仕事|職業)(?:は|って)?(?:何|なに)?(?:ですか|だっけ|覚えて(?:い)?る)?",
)
_HOBBIES = (
    rf"{_ABOUT_MY}(?:hobby|hobbies|interests|free time)"
    rf"|{_EN}what(?:'?s| is| are)? my (?:hobby|hobbies|interests|pastimes)(?: are)?"
    rf"|do i have (?:any |a )?(?:hobbies|hobby)|{_EN}what (?:do )?i (?:do|like to do"
    rf"|enjoy doing|like doing)"
    r" (?:for fun|in my (?:free|spare) time)",
    rf"{_ZH}我(?:有|的)?(?:什么|什麼|哪些|啥)?(?:爱好|愛好|兴趣爱好|兴趣|興趣)(?:是什么|是什麼|有哪些)?{_ZH_END}",
    r"was sind meine (?:hobbys|hobbies|interessen)|was mache? ich gerne?(?: in meiner freizeit)?",
    r"cu[aá]les son mis (?:aficiones|hobbies|pasatiempos)|qué me gusta hacer",
    r"quels sont mes (?:loisirs|hobbies|passe temps)|quelles sont mes passions"
    r"|qu'est ce que j'aime faire",
    r"какие у меня (?:хобби|увлечения)|чем я увлекаюсь",
    r"(?:私|僕|俺)の趣味(?:は|って)?(?:何|なに)?(?:ですか|だっけ|覚えて(?:い)?る)?",
)
_TASTES = (
    rf"{_EN}what (?:(?:foods?|things|kinds? of things) )?(?:do )?i (?:like|love|enjoy)(?: "
    rf"(?:to do|to eat|doing|most))?"
    rf"|{_ABOUT_MY}(?:tastes?|preferences|likes(?: and dislikes)?)",
    rf"{_ZH}我(?:最)?(?:喜欢|喜歡|爱|愛)(?:做|干|吃)?(?:什么|什麼|啥|哪些东西){_ZH_END}",
    r"was mag ich(?: gerne?)?",
    r"qué me gusta",
    r"qu'est ce que j'aime|j'aime quoi",
    r"что я люблю|что мне нравится",
    r"(?:私|僕|俺)(?:は|って|の)?(?:何が好き|好きなもの)(?:は)?(?:何|なに)?(?:ですか|だっけ)?",
)
_DISLIKES = (
    rf"{_EN}what (?:(?:foods?|things) )?(?:do )?i (?:hate|dislike|not like|can't stand)"
    rf"|{_EN}what (?:(?:foods?|things) )?(?:don't|do not) i (?:like|eat|want)",
    rf"{_ZH}我(?:最)?(?:讨厌|討厭|不喜欢|不喜歡|不爱|不愛)(?:吃)?(?:什么|什麼|啥){_ZH_END}",
    r"was mag ich nicht|was hasse ich",
    r"qué (?:no me gusta|odio)",
    r"qu'est ce que (?:je n'aime pas|je déteste)",
    r"что я не люблю|что мне не нравится",
    r"(?:私|僕|俺)(?:は|って)?何が(?:嫌い|苦手)",
)
_HEALTH = (
    rf"{_ABOUT_MY}(?:health|medical history|allerg(?:y|ies))|{_EN}(?:what(?:'?s| is| are)? my "
    rf"(?:allergies|health (?:issues|problems)))",
    rf"{_ZH}我(?:的)?(?:身体|身體|健康)(?:怎么样|状况|有什么问题|有什么毛病){_ZH_END}",
    r"was wei(?:ß|ss)t du über meine gesundheit|welche allergien habe? ich",
    r"qué alergias tengo",
    r"quelles sont mes allergies|j'ai quelles allergies",
    r"на что у меня аллергия",
)
_TRAVEL = (
    rf"{_EN}where (?:did|have|do) (?:i|we) (?:go|been|gone|travel(?:l?ed)?)(?: to)?(?: (?:on"
    rf"|for) (?:vacation|holidays?))"
    rf"|{_EN}(?:where have i (?:been|travell?ed)(?: to)?|what trips have i (?:taken|made))"
    rf"|{_ABOUT_MY}(?:travels|trips|vacations?|holidays?)",
    rf"{_ZH}我(?:们)?(?:都)?去过(?:哪里|哪儿|哪些地方)(?:旅游|玩)?{_ZH_END}|{_ZH}我(?:们)?去哪(?:里|儿)(?:旅游"
    rf"|玩)过?{_ZH_END}",
    r"wo war ich(?: schon)? im urlaub|wo waren wir im urlaub",
    r"d[oó]nde (?:fui|fuimos|he ido) de vacaciones",
    r"où (?:est ce que )?(?:je suis|on est|suis je) (?:allé|parti)e?s? en vacances",
    r"где я (?:был|была) в отпуске",
)
_PLANS = (
    rf"{_EN}(?:what(?:'?s| is| are)? my plans|what do i have (?:planned|coming up)|do i have "
    rf"(?:any )?plans|what(?:'s| is) coming up)"
    rf"|{_ABOUT_MY}(?:plans|goals)",
    rf"{_ZH}我(?:最近)?有(?:什么|什麼|啥|哪些)?(?:计划|計劃|打算|安排){_ZH_END}",
    r"was habe? ich vor|was sind meine pläne",
    r"cu[aá]les son mis planes|qué planes tengo",
    r"quels sont mes (?:projets|plans)",
    r"какие у меня планы",
    r"(?:私|僕|俺)の予定は?(?:何|なに)?",
)
_PATTERNS = {
    subject: re.compile(joined_lines(patterns))
    for subject, patterns in (
        (OwnSubject.NAME, _NAME),
        (OwnSubject.PEOPLE, _PEOPLE),
        (OwnSubject.PETS, _PETS),
        (OwnSubject.HOME, _HOME),
        (OwnSubject.ORIGIN, _ORIGIN),
        (OwnSubject.AGE, _AGE),
        (OwnSubject.BIRTHDAY, _BIRTHDAY),
        (OwnSubject.WORK, _WORK),
        (OwnSubject.HOBBIES, _HOBBIES),
        (OwnSubject.TASTES, _TASTES),
        (OwnSubject.DISLIKES, _DISLIKES),
        (OwnSubject.HEALTH, _HEALTH),
        (OwnSubject.TRAVEL, _TRAVEL),
        (OwnSubject.PLANS, _PLANS),
    )
}


def own_subject_asked_for(text: str, names: tuple[str, ...] = ()) -> OwnSubject | None:
    """Returns the part of the user's life that the message or one of its clauses asks for, or None.

    Ignores `names` around it.
    """
    if len(text) > _MAX_MESSAGE:
        return None
    clauses = [clause for clause in _CLAUSE_END.split(text) if clause.strip()]
    asked = (text, *clauses) if len(clauses) > 1 else (text,)
    found = (_asked_for(clause, names) for clause in asked if len(clause) <= _MAX_CHARS)
    return next(filter(None, found), None)


def _asked_for(clause: str, names: tuple[str, ...]) -> OwnSubject | None:
    plain = plain_question(clause, names)
    return next((kind for kind, pattern in _PATTERNS.items() if pattern.fullmatch(plain)), None)
