"""How each language asks for an overview: of the facts about the user, the last chats or the first.

The patterns are in verbose form, for messages as patterns.plain_question() returns them.
"""

# ruff: noqa: RUF001  (curly quotes, Cyrillic, Chinese and Japanese punctuation)

import re
from enum import StrEnum

from . import overview_words_pt_it_pl_ko
from .patterns import joined_lines


class Overview(StrEnum):
    """The kind of overview that a message asks for."""

    ABOUT_USER = "about_user"
    LAST_CHATS = "last_chats"
    FIRST_CHATS = "first_chats"


_YOU = r"(?:you|u|ya)"
_KNOW = r"(?:know|remember|recall|learn(?:ed|t))"
_ALL = r"(?:everything|all|anything|something|stuff|things|facts|a few things|what(?:ever)?)"
_OF_ME = r"(?:about|abt|of|on) (?:me|myself|us)(?: so far)?"
_TALKED = r"(?:talk|chat|sp[eo]ak|discuss|talked|chatted|spoken?|discussed|talking|chatting)"
_TALK = r"(?:conversations?|chats?|talks?|discussions?|sessions?|time|times|stor(?:y|ies))"
_LAST = r"(?:last|previous|past|earlier|recent|latest|most recent|other|old)"
_BEFORE = rf"""(?: (?:(?:the )?last time(?: we (?:talked|spoke|chatted|met))?|last|before
        |earlier
    |previously|recently|lately|so far|until now|up to now|in (?:our|the) {_LAST} {_TALK}
    |when we last (?:talked|spoke|chatted)|(?:last|the other) (?:session|chat)))?"""
_ENGLISH_ABOUT = rf"""
    what (?:all )?(?:do|did|can|could|have|would) {_YOU} (?:all )?
        (?:{_KNOW}|tell me|say|got|have (?:stored|saved|noted)) {_OF_ME}
    |what(?:'s| is) (?:known|stored|saved|in your memory)(?: {_OF_ME})?
    |what (?:do|can) {_YOU} (?:remember|recall)
    |(?:do|can|did) {_YOU} (?:{_KNOW}|recogni[sz]e|know or remember)
        \s(?:me|who i am|(?:{_ALL})(?: {_OF_ME})?)
    |{_YOU} (?:remember|know) (?:me|who i am)
    |(?:tell me )?who (?:am i|i am)(?: to {_YOU})?|what kind of person am i
    |how (?:well|much) do {_YOU} {_KNOW}(?: about)? me
    |(?:(?:can|could|would|will) {_YOU} )?(?:tell me|list|summari[sz]e|recap|name|say|share
        |give me|show me)
        \s(?:{_ALL} )?(?:(?:that|of what) )?(?:{_YOU} (?:{_KNOW}|can {_KNOW})
        (?: {_OF_ME})?|{_OF_ME})
    |(?:tell|surprise) me (?:with )?(?:{_ALL} )?(?:that )?{_YOU} {_KNOW}(?: {_OF_ME})?
    |(?:give me )?(?:a|the) (?:summary|list|overview) of (?:{_ALL} )?
        (?:that )?{_YOU} {_KNOW} {_OF_ME}
    |describe me
    |do {_YOU} have (?:a |any )?memor(?:y|ies)
        (?: of (?:me|us|(?:our |my |the )?(?:{_LAST} )?(?:{_TALK}|messages)))?"""
_ENGLISH_LAST = rf"""
    (?:tell me |remind me |do {_YOU} (?:remember|know|recall) )?
        what (?:(?:did|have|had|were|was) )?(?:we|{_YOU} and (?:i|me))
        \s(?:(?:just|been|all|last) )?{_TALKED}(?: about)?{_BEFORE}
    |(?:tell me |remind me |do {_YOU} (?:remember|know|recall) )?
        what (?:(?:did|was) i (?:last )?(?:tell|telling|say to|saying to) {_YOU}|i (?:last )?(?:told
        |said to|was telling) {_YOU})
        \s(?:last time|last|before|earlier|recently|lately)
    |what did i last (?:tell|say to) {_YOU}|what was i telling {_YOU}
    |what(?:'s|s| is| was) the last thing (?:that )?(?:we {_TALKED} about|i (?:told|said to) {_YOU})
    |what (?:did|were) we (?:do|doing|up to|play|playing) (?:(?:the )?last time|when we last met)
    |what (?:was|were) (?:our|the) {_LAST} {_TALK}(?: about)?
    |what (?:do|can) {_YOU} (?:remember|recall) (?:of|from|about) (?:our|the)\s
        (?:{_LAST} )?{_TALK}
    |(?:do )?{_YOU} (?:remember|recall) (?:(?:our|the|my) )(?:{_LAST} )?(?:few )?
        (?:{_TALK}|messages?)
        (?: (?:we had|together))?
    |(?:(?:can|could|would|will) {_YOU} )?(?:summari[sz]e|recap|give me a (?:summary|recap) of
        |remind me of|tell me about)
        \s(?:(?:our|the|my) (?:{_LAST} )?(?:few )?{_TALK}(?: so far)?
        |what we {_TALKED} about{_BEFORE})
    |(?:let(?:'s| us) )?(?:continue|pick up|carry on|go on|resume) (?:from )?where we\s
        (?:left off|stopped)
    |(?:a )?(?:quick |short )?recap(?: of (?:our|the) {_TALK}(?: so far)?)?
    |where (?:did we (?:leave (?:off|it)|stop|end)|were we(?: last time)?)
    |(?:(?:do )?{_YOU} (?:remember|know) |remind me |tell me )?where we (?:left off|stopped|were)
    |what happened (?:last time(?: in (?:our|the|this) (?:{_TALK}|adventure|game))?
        |before|previously|so far|(?:in|the) {_LAST} {_TALK})
    |(?:the )?story so far"""
_CHINESE_ABOUT = r"""
    (?:关于我|關於我)?你(?:现在|現在|都|还|還|到底)?(?:知道|了解|瞭解|记得|記得|记住|記住)(?:了|过)?(?:关于|關於)?我的?(?:些)?
        (?:什么|什麼|啥|哪些|多少|什么事|什麼事|哪些事|哪些事情|一些什么|事)(?:情)?
    |你(?:都|还|還)?(?:记得|記得|记住了|知道)(?:了)?(?:些)?(?:什么|什麼|啥|哪些事?)
    |(?:说说|說說|讲讲|講講|谈谈|談談|告诉我|告訴我|总结一下|總結一下|介绍一下|介紹一下)
        (?:一下)?你(?:对我的?(?:了解|印象|认识|認識)|(?:所)?(?:知道|记得|記得|了解)的?(?:关于|關於)?我?的?(?:一切|事情|事|所有事)?)
    |你对我(?:有)?(?:多少|多)?(?:了解|瞭解|印象)(?:多少|有多少|吗|嗎|多深)?|你對我(?:了解|瞭解)多少
    |你?(?:还|還)?(?:记不记得|記不記得|记得|記得|认识|認識|认得|認得|知道)我(?:是谁|是誰)?(?:吗|嗎|么|不)?
    |我是(?:谁|誰)|(?:描述|介绍|介紹)一下我(?:吧)?|你有(?:没有)?(?:关于我的|以前的|之前的)?(?:记忆|記憶)(?:吗|嗎)?"""
_CHINESE_LAST = r"""
    (?:你?(?:还|還)?(?:记得|記得)(?:吗|嗎)?)?(?:我们|我們|咱们|咱|我俩)?(?:上次|上回|上一次|之前|以前|最近|前面|前几天|都|刚才)?(?:我们
        |我們|咱们|咱|我俩)?(?:都)?
        (?:聊|谈|談|说|說|讲|講|讨论|討論)(?:到|过|過|了|的)?(?:些|的)?(?:是)?(?:什么|什麼|啥|哪里|哪裡|哪儿|哪|哪些)(?:话题|話題|内容
        |事|了)?(?:来着|來著)?(?:吗|嗎)?
    |你?(?:还|還)?(?:记得|記得)(?:我们|我們|咱们)?(?:上次|上回|之前|以前)(?:的)?(?:聊天|对话|對話|谈话|談話|聊的|说的|說的|聊了什么|聊过的)
        (?:内容)?(?:吗|嗎|么)?
    |我(?:上次|上回|之前|最近|上一次)(?:跟|和|对|對)?你?(?:说|說|讲|講|聊|告诉你?|告訴你?)(?:了|过|過|的)?(?:些|的)?(?:什么|什麼|啥)(?:来着|來著)?
    |(?:接着|接著|继续|繼續)(?:上次|之前)的?(?:聊|话题|話題|说|說|讲|講)?|上次(?:聊|说|說|讲|講)到哪(?:里|裡|儿)?了?
    |(?:总结|總結|回顾|回顧)(?:一下)?(?:我们|我們|咱们)?(?:上次|之前|以前|最近)的?(?:聊天|对话|對話|谈话)(?:内容)?|前情提要"""
_YOU_KNOW_DE = r"wei(?:ß|ss)t(?: du|e)"
_SOFT_DE = r"(?:(?:alles|noch|denn|so|eigentlich|schon|bisher|überhaupt|jetzt|inzwischen|mal) )*"
_OF_ME_DE = r"(?:über mich|von mir|über mein leben)"
_GERMAN_ABOUT = rf"""
    (?:was|wie ?viel) {_YOU_KNOW_DE} {_SOFT_DE}{_OF_ME_DE}(?: (?:alles|noch|so|schon))*
    |was (?:{_YOU_KNOW_DE} noch(?: alles)?
        |(?:hast du|haste) (?:dir )?{_SOFT_DE}(?:{_OF_ME_DE} )?{_SOFT_DE}(?:gemerkt|gespeichert))
    |was ist {_SOFT_DE}{_OF_ME_DE} gespeichert
    |welche (?:sachen|dinge|infos|erinnerungen) (?:{_YOU_KNOW_DE} {_SOFT_DE}{_OF_ME_DE}
        |hast du(?: (?:an|über) mich)?(?: gespeichert)?)
    |was kannst du (?:mir )?{_SOFT_DE}{_OF_ME_DE} (?:erzählen|sagen)
    |was habe? ich dir {_SOFT_DE}{_OF_ME_DE} erzählt
    |(?:woran|an was) (?:erinnerst du dich(?: noch)?|kannst du dich (?:noch )?erinnern)
    |erinnerst du dich(?: (?:noch|überhaupt))*(?: an (?:mich|irgendwas|irgendetwas|etwas)
        (?: noch)?)?
    |kennst du mich(?: (?:noch|eigentlich|überhaupt))*|wer bin ich(?: für dich)?
    |{_YOU_KNOW_DE} {_SOFT_DE}(?:wer ich bin|(?:was|etwas|irgendwas|irgendetwas) über mich)
    |wie gut kennst du mich|beschreib(?:e)? mich|was für ein mensch bin ich
    |was bin ich für ein mensch
    |(?:(?:erzähl|sag|zeig|liste?|zähl|fass|nenn)e? |kannst du |könntest du )?(?:mir )?{_SOFT_DE}
        (?:(?:auf|zusammen|sagen|erzählen|auflisten|zusammenfassen) )?(?:(?:was|etwas) über mich
        |(?:alles )?was du {_SOFT_DE}(?:{_OF_ME_DE} )?(?:noch )?wei(?:ß|ss)t)"""
# "mal" at the end of a message is a filler, so "letztes" may stand without it.
_LAST_DE = r"""(?:(?:(?:das |beim )?letzte[sn]?(?: mal)?|zuletzt|neulich|letztens|vorher|vorhin
    |bisher|früher|in letzter zeit|die (?:letzten )?tage))"""
_TALKED_DE = r"""(?:gesprochen|geredet|geschrieben|gequatscht|gelabert|geplaudert|unterhalten
    |besprochen|beredet)"""
_CHAT_DE = r"(?:gespräch|chat|unterhaltung|sitzung)"
_GERMAN_LAST = rf"""
    (?:(?:{_YOU_KNOW_DE}|erinnerst du dich|fasse?(?: mal)? zusammen)(?: noch)? )?
        (?:worüber|über was|wovon|von was|was|über welche themen)\s
        (?:(?:haben|hatten) wir|wir) (?:uns )?{_SOFT_DE}(?:{_LAST_DE} )?{_SOFT_DE}{_TALKED_DE}
        (?: haben)?
    |(?:worum|(?:um )?was) ging(?:['’]?s| es) (?:nochmal )?
        (?:{_LAST_DE}|(?:in|bei) unsere[mr] letzten {_CHAT_DE})
    |wo (?:waren|sind) wir(?: (?:nochmal|gerade|{_LAST_DE}))?(?: stehen ?geblieben)?
    |wo haben wir (?:{_LAST_DE} )?aufgehört|was war {_LAST_DE}(?: los)?
    |was habe? ich dir {_LAST_DE} (?:erzählt|gesagt)
    |(?:{_YOU_KNOW_DE} )?(?:noch )?was ich dir {_LAST_DE} (?:erzählt|gesagt) habe?
    |was haben wir {_LAST_DE} gemacht
    |(?:erinnerst du dich|{_YOU_KNOW_DE}) (?:noch )?(?:an )?unsere?n? letzte[sn]? {_CHAT_DE}
    |(?:(?:fass|fasse|kannst du) )?(?:mal )?(?:unsere?|das|die) letzte ?s? ?{_CHAT_DE}\s
        (?:zusammen|zusammenfassen)
    |was war(?:en)? unsere? letzte[sn]? (?:themen?|thema|{_CHAT_DE})|was\s
        (?:ist )?bisher (?:geschah|geschehen|passiert)
    |(?:lass uns |mach )?(?:da )?weiter(?:machen)? wo wir aufgehört haben"""
_ES_KNOW = r"(?:sab[eé]s|sabe usted|recuerdas|record[aá]s|conoc[eé]s|te (?:acuerdas|acord[aá]s))"
_ES_TELL = r"(?:dime|dec[ií]me|cu[eé]ntame|cont[aá]me)"
_ES_REMEMBER = r"(?:te (?:acuerdas|acord[aá]s)|recuerdas|record[aá]s)"
_ES_TALKED = r"""(?:hablamos|charlamos|conversamos|platicamos|hablábamos|charlábamos
    |estábamos (?:hablando|charlando)|estuvimos (?:hablando|charlando)
    |(?:hemos|habíamos) (?:hablado|charlado))"""
_ES_LAST = r"(?:la (?:última|otra) vez|la vez pasada|antes|últimamente|hasta ahora|el otro día)"
_SPANISH_ABOUT = rf"""
    (?:qué|q|cuánto) (?:es lo q(?:ue)? )?(?:(?:más|tanto|cosas) )?(?:{_ES_KNOW}
        |has aprendido|aprendiste) (?:todavía )?(?:de|sobre|acerca de) mí
    |(?:de )?(?:qué|q) (?:recuerdas|record[aá]s|te (?:acuerdas|acord[aá]s))
    |(?:todavía |aún )?(?:te (?:acuerdas|acord[aá]s) de mí|me (?:recuerdas|record[aá]s|conoc[eé]s)
        |sab[eé]s quién soy)(?: todavía)?|quién soy(?: yo)?
    |(?:sab[eé]s|recuerdas|record[aá]s|te (?:acuerdas|acord[aá]s) de) algo (?:de|sobre) mí
    |(?:cuánto|(?:qué|q) tan(?:to| bien)) me conoc[eé]s
    |{_ES_TELL} (?:todo )?(?:lo q(?:ue)?|qué|q|algo|algo q(?:ue)?)? ?(?:sab[eé]s
        |recuerdas|record[aá]s)? ?(?:de|sobre|acerca de) mí
    |{_ES_TELL} (?:todo )?lo q(?:ue)? (?:sab[eé]s|recuerdas|record[aá]s)
    |descr[ií]b[ei]me|cómo soy"""
_SPANISH_LAST = rf"""
    (?:{_ES_LAST} )?(?:{_ES_REMEMBER} )?(?:de|sobre) (?:qué|q|lo q(?:ue)?) {_ES_TALKED}
        (?: {_ES_LAST})?
    |(?:qué|q) (?:hablamos|charlamos|hablábamos|platicamos|hicimos) {_ES_LAST}
    |{_ES_REMEMBER} (?:de )?(?:nuestra|la) última (?:conversación|charla|vez)
        (?: que hablamos)?
    |(?:en |por )?dónde (?:nos quedamos|lo dejamos|estábamos|íbamos|nos habíamos quedado)
        (?: {_ES_LAST})?|en (?:qué|q) (?:nos )?quedamos(?: {_ES_LAST})?
    |(?:qué|q) te (?:dije|conté) {_ES_LAST}|(?:qué|q) pasó la última vez
        |resum[eií] nuestra última (?:conversación|charla)"""
_FR_QUESTION = r"(?:qu['’]est[- ]ce que|qu['’]est[- ]ce qu['’]|kesk(?:e|['’])?|keske|que)"
_FR_LAST = r"""(?:(?:la dernière fois|la fois dernière|la fois d['’]avant|avant|récemment
    |l['’]autre jour|jusqu['’]ici|déjà))"""
_FR_TALKED = r"""(?:(?:on (?:a|avait)|avons[- ]nous|nous avons) (?:parlé|discuté|causé)
    |on (?:parlait|discutait|causait))"""
_FR_OF_ME = r"(?:de|sur|à propos de) moi"
_FRENCH_ABOUT = rf"""
    {_FR_QUESTION} ?(?:tu sais|sais[- ]tu|tu connais|tu te (?:souviens|rappelles)
        |(?:tu as|t['’]as) (?:retenu|appris)) (?:encore |d['’]autre )?{_FR_OF_ME}
    |(?:tu |t['’]|t)(?:sais|connais) quoi (?:d['’]autre )?{_FR_OF_ME}
    |(?:tu as|t['’]as|tas) (?:retenu|appris) quoi {_FR_OF_ME}
    |(?:de quoi (?:tu te souviens|te souviens[- ]tu|est[- ]ce que tu te souviens)
        |tu te (?:souviens|rappelles) de quoi)(?: {_FR_OF_ME})?
    |(?:est[- ]ce que )?(?:tu te (?:souviens|rappelles) (?:encore )?de moi
        |te souviens[- ]tu de moi|tu me (?:connais|reconnais)(?: bien)?|me (?:connais
        |reconnais)[- ]tu)(?: encore)?
    |(?:tu sais |sais[- ]tu )?qui (?:suis[- ]je|je suis)|(?:je |j['’]?|ch)suis qui|chuis qui
    |(?:dis|raconte)[- ]moi (?:tout )?ce (?:que tu (?:sais|as retenu)
        |dont tu te souviens)(?: {_FR_OF_ME})?
    |parle[- ]moi (?:un peu )?de moi|décris[- ]moi"""
_FRENCH_LAST = rf"""
    (?:{_FR_LAST} )?(?:tu te (?:souviens|rappelles) )?(?:de quoi|ce dont|de ce dont)\s
        (?:est[- ]ce qu['’])?{_FR_TALKED}(?: {_FR_LAST})?
    |(?:{_FR_LAST} )?{_FR_TALKED} de quoi(?: {_FR_LAST})?
    |tu te (?:souviens|rappelles) (?:de )?ce qu['’]on (?:a dit|s['’]est dit)(?: {_FR_LAST})?
    |(?:tu te (?:souviens|rappelles)|te souviens[- ]tu) de notre dernière\s
        (?:conversation|discussion)
    |où (?:en étions[- ]nous|en était[- ]on|est[- ]ce qu['’]on (?:en était
        |s['’]était arrêtés?)|on s['’]est arrêtés?|on en était)(?: {_FR_LAST})?
    |on en était où(?: {_FR_LAST})?
    |qu['’]est[- ]ce qu(?:e je t['’]ai|['’]on (?:a|s['’]est)) (?:dit|raconté) {_FR_LAST}
    |(?:on (?:a|s['’]est)|je t['’]ai) (?:dit|raconté) quoi {_FR_LAST}
    |résume notre dernière (?:conversation|discussion)"""
_WHAT_RU = r"(?:что|ч[еёо]|шо|сколько)"
_OF_ME_RU = r"(?:обо мне|про меня)"
_KNOW_RU = r"(?:знаешь|помнишь|запомнила?|узнала?)"
_SOMETHING_RU = r"(?:что|ч[её])[- ]?(?:нибудь|то)"
_SOFT_RU = r"(?:(?:ещё|еще|вообще|уже|там|хоть) )*"
_RUSSIAN_ABOUT = rf"""
    (?:напомни |расскажи |скажи )?{_WHAT_RU} ты {_SOFT_RU}(?:{_OF_ME_RU} {_SOFT_RU}{_KNOW_RU}
        |{_KNOW_RU} {_SOFT_RU}{_OF_ME_RU}|помнишь|запомнила?)
    |{_WHAT_RU} (?:тебе (?:{_OF_ME_RU} известно|известно {_OF_ME_RU})
        |я (?:тебе )?(?:о себе )?(?:рассказывала?|говорила?)(?: (?:тебе )?о себе)?(?<=о себе)
        |я тебе о себе (?:рассказывала?|говорила?))
    |(?:ты )?(?:хоть )?{_SOMETHING_RU} (?:{_OF_ME_RU} {_KNOW_RU}|{_KNOW_RU} {_OF_ME_RU})
    |(?:ты )?{_KNOW_RU} (?:хоть )?{_SOMETHING_RU} {_OF_ME_RU}
    |какие у тебя (?:есть )?воспоминания {_OF_ME_RU}|у тебя есть (?:память|воспоминания {_OF_ME_RU})
    |(?:ты )?(?:меня|ещё|еще) (?:меня |ещё |еще )*(?:помнишь|знаешь|узна[её]шь)
    |(?:ты )?(?:помнишь|знаешь|узна[её]шь)(?: ли ты)? ?(?:меня
        |кто я)|ты меня (?:ещё |еще )?(?:помнишь|знаешь|узна[её]шь)
    |кто я(?: (?:такой|такая|есть))?|какой я человек|опиши меня
    |(?:насколько|как) хорошо ты меня знаешь
    |(?:расскажи|скажи|перечисли)(?: мне)? (?:вс[её],? )?(?:(?:что-нибудь|что-то|немного) )?
        (?:{_WHAT_RU} (?:ты )?(?:{_OF_ME_RU} )?(?:знаешь|помнишь)(?: {_OF_ME_RU})?|{_OF_ME_RU})"""
_LAST_RU = (
    r"(?:(?:в (?:прошлый|последний) раз|в последнее время|раньше|до этого|недавно|уже|там) ?)"
)
_TALKED_RU = r"(?:говорили|разговаривали|общались|болтали|беседовали|трепались)"
_RUSSIAN_LAST = rf"""
    (?:(?:ты )?помнишь,? |напомни,? |кратко )?(?:о ч[её]м|про (?:что|ч[еёо])) (?:мы )?(?:с тобой )?
        {_LAST_RU}?(?:мы )?{_TALKED_RU}(?: {_LAST_RU})?
    |о ч[её]м был наш (?:последний|прошлый) разговор
    |(?:ты )?помнишь наш(?:у|и)? (?:последн(?:ий|юю|ие)|прошл(?:ый|ую|ые)) (?:разговор
        (?:ы)?|беседу|чат)
    |(?:напомни )?(?:на ч[её]м|где) (?:мы )?(?:в прошлый раз )?
        (?:остановились|закончили)(?: в прошлый раз)?
    |{_WHAT_RU} (?:я тебе (?:рассказывала?|говорила?)|(?:мы )?обсуждали|было) в прошлый раз
    |(?:давай )?продолжим (?:с того места,? )?(?:где|на ч[её]м) (?:мы )?остановились
    |(?:перескажи|подытожь|подведи итог) (?:мне )?наш(?:и|его)? (?:последн\w+ |прошл\w+ )?
        (?:разговор[аы]?|бесед[уы]|чат[аы]?)"""
_ME_JA = "(?:私|わたし|あたし|僕|ぼく|俺|おれ)"
_REMEMBERS_JA = r"(?:知って|覚えて|おぼえて|分かって|わかって)"
_DOES_JA = r"(?:い)?(?:る|ます|ん)(?:のか|か|の|かな)?"
_ALL_JA = r"(?:全部|ぜんぶ|すべて|全て)?(?:を)?"
_TELL_JA = (
    r"(?:教えて|話して|説明して|まとめて|聞かせて|言って)(?:ください|くれる|ほしい|みて|よ|ね)?"
)
_JAPANESE_ABOUT = rf"""
    {_ME_JA}(?:の(?:こと|事|何)|について)?(?:で)?(?:を|は|って|が)?(?:何|なに|どんなこと|どれくらい|どのくらい|どこまで|どれだけ|まだ|ちゃんと)?(?:を|か)?
        {_REMEMBERS_JA}{_DOES_JA}
    |{_ME_JA}(?:は|って)?(?:誰|だれ|どんな人)(?:です|でしょう)?(?:か|だっけ|だと思う)?
    |{_ME_JA}(?:の(?:こと|事|情報)|について)(?:で|を)?(?:(?:知って|覚えて)(?:い)?(?:る)?(?:こと|事)(?:を)?)?{_ALL_JA}{_TELL_JA}
    |(?:今まで|これまで)?{_ME_JA}?(?:が)?(?:今まで|これまで|前)?(?:に)?(?:話した|言った|伝えた)こと(?:を|は)?(?:まだ|ちゃんと|全部)?
        (?:覚えて|おぼえて){_DOES_JA}
    |(?:何|なに|どんなこと)(?:を|か)?(?:覚えて|おぼえて){_DOES_JA}|記憶(?:は|って)?(?:ある|あります)(?:の|か)?"""
_WHEN_JA = (
    r"(?:前回|この前|この間|こないだ|前に?|以前|最近|最後に|さっき|今まで|これまで)(?:は|って)?"
)
_WE_JA = "(?:私たち|うちら|僕たち|俺たち|僕ら|俺ら)?(?:は|って)?"
_ENDS_JA = r"(?:(?:て(?:い)?)?た(?:んだ)?(?:っけ)?(?:の|か)?|ました(?:か|っけ)?)"
_WHAT_SAID_JA = rf"""(?:(?:何|なに|どんなこと|どんな話)(?:を|について|の話を?)?
        (?:話し|はなし|しゃべっ|喋っ|言っ){_ENDS_JA}
    |(?:何の|なんの|どんな)話を?し{_ENDS_JA})"""
_JAPANESE_LAST = rf"""
    {_WHEN_JA}、?{_WE_JA}(?:{_WHAT_SAID_JA}|(?:何|なに)を?し(?:た|ました)(?:か|の|っけ)?)
    |(?:私たち|うちら|僕たち|俺たち|僕ら|俺ら)(?:は|って)?{_WHAT_SAID_JA}
    |最後に(?:話した|しゃべった)(?:の|こと)(?:は|って)?(?:何|なん|なに)(?:だっけ|でしたっけ|だった|ですか)?
    |(?:前回|この前|この間|前|以前|これまで)の(?:会話|話|チャット)(?:の内容)?(?:を|は)?(?:まだ)?
        (?:(?:覚えて|おぼえて)(?:い)?(?:る|ます)(?:か)?|{_TELL_JA})
    |(?:前回は?)?どこまで(?:話した|話しました|話したっけ|話しましたっけ|いった)(?:か)?
    |(?:前回|この前|前)の(?:続き|まとめ)(?:から)?(?:を)?(?:話そう|お願い|して|しよう?)?|続きから(?:話そう|しよう?|お願い)"""
_MET = r"(?:met|talked|spoke|chatted|texted|wrote|talk|speak|chat|meet)"
_FIRST = (
    rf"""(?:(?:do )?{_YOU} (?:remember|recall|know) |remember |tell me (?:about )?
        |remind me (?:of )?
        |(?:how|what|when) was )?(?:of )?
        (?:the (?:very )?first time (?:that )?(?:(?:we|i and {_YOU}|{_YOU} and i) (?:ever )?{_MET}
        |i (?:ever )?(?:talked|spoke|wrote) (?:to|with) {_YOU})
        |our (?:very )?first {_TALK}|our first (?:meeting|message)|(?:how|when) we (?:first )?{_MET}
        |(?:the )?first (?:thing|words?|message) (?:that )?i (?:ever )?(?:said|told|wrote|sent)
            (?: to)?(?: {_YOU})?)(?: about| was)?
    |(?:how|when) did we (?:first )?{_MET}(?: first)?|when did we start (?:talking|chatting)
    |what (?:was|were) (?:our|the) first (?:{_TALK}|message)(?: about)?
    |what (?:was|is) the first (?:thing|message) (?:that )?i (?:ever )?(?:said|told|wrote)
        (?: to)?(?: {_YOU})?
    |what did we (?:first )?talk about (?:first|the first time|in our first {_TALK})""",
    r"""(?:你?(?:还|還)?(?:记得|記得)(?:吗|嗎)?)?(?:我们|我們|咱们|咱|我)(?:跟你|和你|與你|与你)?
        (?:的)?第一次(?:跟你|和你)?(?:聊天|见面|見面|对话|對話|说话|說話|认识|認識|相遇|聊)
        (?:的?(?:时候|時候|情景|场景))?(?:是)?(?:什么时候|什麼時候|哪天|在哪里?|[聊说說讲]了?(?:什么|什麼|啥|些什么))?
        (?:的)?(?:吗|嗎|么)?
    |(?:你?(?:还|還)?(?:记得|記得))?(?:我们|我們|咱们)(?:是)?(?:怎么|怎麼|什么时候|什麼時候|如何)(?:认识|認識|相遇)的?(?:吗|嗎)?
    |(?:你?(?:还|還)?(?:记得|記得))?我(?:跟|和|对)你说的第一句话(?:是什么|是啥)?(?:吗|嗎)?""",
    r"""(?:erinnerst du dich (?:noch )?an|wei(?:ß|ss)t du noch|wie war|was war|wann war)\s
        (?:unser erstes? (?:gespräch|treffen|chat|mal)|unsere erste (?:unterhaltung|nachricht)
        |wie wir uns kennengelernt haben)
    |(?:wie|wann|wo) haben wir uns kennengelernt
    |(?:worüber|was) haben wir (?:das erste mal|beim ersten mal|zuerst) (?:geredet|gesprochen)""",
    r"""(?:(?:te acuerdas de|recuerdas|cómo fue|como fue) )?(?:cuando nos conocimos
        |la primera vez que (?:nos (?:vimos|conocimos|hablamos)|hablamos|te hablé)
        |nuestra primera (?:conversación|charla|vez))
    |(?:cómo|como|cuándo|cuando|dónde) nos conocimos|de qué hablamos la primera vez""",
    r"""(?:(?:tu te souviens|te souviens[- ]tu|tu te rappelles) )?(?:de )?
        (?:la première fois (?:qu['’]on|que nous) (?:s['’]est|nous sommes|a|avons)\s
        (?:vus?|rencontrés?|parlé|discuté)|notre première (?:conversation|rencontre|discussion)
        |comment on s['’]est (?:rencontrés?|connus?))
    |(?:comment|quand|où) (?:on s['’]est|nous sommes[- ]nous) (?:rencontrés?|connus?)""",
    r"""(?:ты )?(?:помнишь,? )?(?:как|когда|где) мы (?:с тобой )?(?:впервые )?
        (?:познакомились|встретились|заговорили)
    |(?:ты )?помнишь наш(?:у|е)? перв(?:ую|ый|ое) (?:встречу|разговор|беседу|знакомство)
    |о ч[её]м мы (?:говорили|разговаривали) (?:в (?:самый )?первый раз|впервые)
    |с чего началось наше (?:общение|знакомство)|когда мы начали (?:общаться|переписываться)""",
    r"""(?:私たち|僕たち|うちら)?(?:が|の)?(?:初めて|最初に|最初の)(?:会った|話した|出会った|会話)(?:時|とき|日)?
        (?:の?こと|の)?(?:を|は|って)?(?:まだ)?(?:覚えて(?:い)?(?:る|ます)(?:か)?|いつ(?:だっけ|でしたか)?
        |何を話した(?:っけ)?)
    |(?:私たち|僕たち|うちら)の出会い(?:を|って)?(?:覚えて(?:い)?(?:る|ます)(?:か)?|は?いつだっけ)
    |(?:どうやって|いつ|どこで)(?:知り合った|出会った)(?:んだ|の)?(?:っけ|か)?|最初に?何(?:を|の話)?(?:話した|しゃべった|した)(?:んだ)?(?:っけ)?""",
)
_ABOUT = (
    _ENGLISH_ABOUT, _CHINESE_ABOUT, _GERMAN_ABOUT, _SPANISH_ABOUT, _FRENCH_ABOUT, _RUSSIAN_ABOUT,
    _JAPANESE_ABOUT, *overview_words_pt_it_pl_ko.ABOUT_USER,
)  # fmt: skip
_LAST_CHATS = (
    _ENGLISH_LAST, _CHINESE_LAST, _GERMAN_LAST, _SPANISH_LAST, _FRENCH_LAST, _RUSSIAN_LAST,
    _JAPANESE_LAST, *overview_words_pt_it_pl_ko.LAST_CHATS,
)  # fmt: skip
OVERVIEWS = {
    Overview.LAST_CHATS: re.compile(joined_lines(_LAST_CHATS)),
    Overview.FIRST_CHATS: re.compile(joined_lines(_FIRST)),
    Overview.ABOUT_USER: re.compile(joined_lines(_ABOUT)),
}
# Without a question mark, these may also be statements: "you know me".
ALSO_SAID = re.compile(
    r"(?:you|u|ya) (?:know|remember) me|ты меня \w+|tu me (?:connais|reconnais)(?: bien)?"
    r"|me (?:conoc[eé]s|recuerdas|record[aá]s)|你?(?:记得|記得|认识|認識|知道)我"
)
_WAS_SAID = (
    rf"""(?:do {_YOU} (?:remember|know) )?what (?:(?:did|was|were|have) )?(?:i|we)
        (?: (?:tell|told|say|said|talk|talked|mention|mentioned|telling|saying|discussing))+
        (?: to)?(?: {_YOU})?(?: about)?|what happened|what (?:was|were) (?:it|that) about""",
    r"""你?(?:还|還)?(?:记得|記得)?(?:我|我们|我們|咱们)(?:跟你|和你|对你)?(?:说|說|讲|聊|告诉你)
        (?:了|过)?(?:些)?(?:什么|什麼|啥)(?:吗|来着)?""",
    r"was habe? ?(?:ich|wir) (?:dir )?(?:gesagt|erzählt|gemacht|besprochen)|was war(?: los)?",
    r"(?:qué|q) (?:te )?(?:dije|conté|dijimos|hicimos|hablamos)|(?:qué|q) pasó",
    r"""(?:qu['’]est[- ]ce qu(?:e |['’])|de quoi )(?:je t['’]ai|on (?:a|s['’]est)|j['’]ai)
        \s(?:dit|raconté|parlé|fait)
    |(?:je t['’]ai|on (?:a|s['’]est)) (?:dit|raconté|fait) quoi""",
    rf"""(?:(?:ты )?помнишь,? |напомни,? )?(?:{_WHAT_RU}|о ч[её]м|про что) (?:(?:я|мы) )?
        (?:с тобой )?(?:тебе )?(?:говорила?|рассказывала?|сказала?|{_TALKED_RU}|делали|обсуждали)
    |(?:ты )?помнишь наш разговор""",
    rf"""(?:私は?|僕は?|俺は?|私たち|うちら)?(?:は|に|って)?{_WHAT_SAID_JA}
    |の?話(?:を|は)?(?:覚えて|おぼえて)(?:い)?(?:る|ます)(?:か)?""",
)
WHAT_WAS_SAID = re.compile(joined_lines(_WAS_SAID))
