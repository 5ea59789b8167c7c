"""Recognises "forget what I said about …" in plain words. Such a message forgets nothing.

The user would believe a character that answers "forgotten!". So the prompt tells the model which
command forgets, and which memories may be meant.
Only requests about what the user said, about personal data or about the memory itself count; as a
whole message, "forget that" and "forget everything", too; as a whole sentence, "forget that Biscuit
is allergic". "Forget it", "forget about him" and "don't forget what I said" are talk.
"""

# ruff: noqa: RUF001  (Chinese punctuation)

import re
from itertools import islice

from ..patterns import quick_search
from ..sentences import sentences
from .remember_words import PLEASE, RUSSIAN_PLEASE

LONGEST_WISH = 500  # a longer message only happens to have such words
may_ask_to_forget = quick_search(
    "forget|unremember|want (?:you|u) to remember"
    "|erase|delete|remove|wipe|clear|reset|vergiss|vergess|lösch|streich|entfern|olv[ií]d"
    "|b[oó]rr[aáe]|oubli|efface|supprim|забудь|удали"
    "|забыть|забыл|сотри|стереть|убери|выкинь|очист|[忘删刪清消削]|リセット"
    "|esque|apag|delet|dimentic|scord|cancell|elimin"
    "|zapomn|usu[ńn]|skasu|wyma|잊어|지워|삭제"
)
_SAID = r"(?:said|told|tell|mentioned|wrote|talked|shared|say)"
_ENGLISH = rf"""
    (?:(?:\A|[.!?,;…\n])\s*(?:(?:just|then)\s)?
      |\b(?:{PLEASE}|now|and|so|ok|okay)\b
      |(?<!how\s)\b(?:can|could|would|will|should|must)\s+(?:you|u|ya)\b
      |(?:\A|[.!?,;…\n])\s*(?:you|u)\s+(?:can|should|must)\b
      |(?<!t\s)(?<!ever\s)\b(?:want|need|like)\s+(?:you|u)\s+to\b)
    \s*(?:(?:{PLEASE}|just|also)\s+)?
    (?:(?:forget|delete|erase)\s+(?:about\s+)?
        (?:what(?:ever)?|everything|anything|all(?:\s+of\ that)?|the\ (?:things?|stuff|part|bit))
        \s+(?:that\s+)?(?:i|we)(?:['’](?:ve|d)|\s+have|\s+had)?\s+(?:(?:just|ever|once)\s+)?{_SAID}\b
      |(?:delete|erase|remove|wipe|forget)\s+(?:the|this|that|your|any|every)\s+memor(?:y|ies)
        \s+(?:of|about|that|where)\b
      |(?:delete|erase|remove|wipe)\b[^.!?\n]{{1,60}}\bfrom\ (?:your|ur)\ memory\b
        (?!\s+(?:card|stick|drive))
      |(?:delete|erase|remove|wipe|forget)\s+(?:that\s+)?i\s+(?:(?:just|ever|once)\s+)?
        (?:told|mentioned)\s+(?:you\s+)?(?!(?:anything|something|it|that|this)\b)\w
      |(?:delete|erase|remove|wipe|forget|clear)\s+(?:everything|anything|all(?:\s+of)?|whatever)\s+
        (?:(?:the\s+)?(?:things|stuff|data|info(?:rmation)?|memories|facts)\s+)?(?:that\s+)?
        (?:(?:you|u|ya)(?:['’]ve|\s+have)?\s+(?:know|remember|stored|saved|learned|got|have|noted)\b
          |(?:about|abt|on|of)\s+me\b)
      |(?:delete|erase|remove|wipe|forget)\s+(?:all\s+)?(?:of\s+|that\s+)?my\s+(?:\w+\s+)?
        (?:address|number|password|passcode|pin|e-?mail|data|info(?:rmation)?|details|surname|diagnosis
          |(?:real|last|full)\s+name|messages?|memories|history)\b(?!\s+(?:card|stick|drive|book))
      |(?<!and\s)forget\s+that\s+(?:my|i\s+(?:live|work|have))\s+(?!.*\bfor\s+(?:a|one|now)\b)\w
      |(?:clear|reset|wipe|delete|erase)\s+(?:all\s+(?:of\s+)?)?(?:your|our)\s+
        (?:memory|memories|chats?|conversations?|history)\b(?!\s+(?:card|stick|drive)))"""
_GERMAN = r"""
    (?:\A|[.!?,;…\n]|\b(?:bitte|und|dann|also|kannst\ du|könntest\ du)\b)\s*
    (?:vergiss|vergesst|lösche?)(?:,\s*|\s+)(?:(?:bitte|mal|einfach|doch|jetzt|wieder)\b\s*)*,?\s*
    (?:(?:(?:alles|das)\s*,?\s+)?was\s+(?:ich\b|du\s+(?:über\s+mich|von\s+mir)\b)
      |dass\s+(?:ich|mein\w{0,2})\s|(?:das|die\s+sache)\s+mit\s+\w
      |alles\s+(?:über\s+mich|von\s+mir)\b|alle\s+(?:deine\s+)?erinnerungen\b
      |(?:alle\s+)?(?:deine?|meine?n?)\s+(?:erinnerung(?:en)?|gedächtnis|daten|adresse|(?:telefon|handy)?nummer
        |passwort|nachrichten|(?:nach)?namen?|geburtstag)\b(?!\s+nicht\b))
    |\b(?:lösche?|streiche?|entferne?)\b[^.!?\n]{1,60}\baus\s+deinem\s+(?:gedächtnis|speicher)\b
    |(?:(?<!wie\s)\b(?:kannst|könntest|würdest)\s+du|\bdu\s+(?:sollst|kannst))\s+(?:(?:bitte|mal|alles)\s+)*
      (?:(?:vergessen|löschen)\s*,?\s+(?:was\s+ich|dass\s+(?:ich|mein\w{0,2}))\b
        |meine?n?\s+(?:daten|adresse|(?:telefon|handy)?nummer|passwort|nachnamen)
          \s+(?:(?:bitte|wieder)\s+)*(?:vergessen|löschen)\b)
    |\b(?:will|möchte)\s*,?\s+dass\s+du\s+(?:(?:bitte|alles|das)\s+)*vergisst\s*,?\s+was\s+ich\b"""
_SPANISH = r"""
    (?:\A|[.!?¡¿,;…\n]|\b(?:por\ favor|porfa(?:vor)?|y|entonces|mejor)\b)\s*
    (?:olv[ií]d[aá](?:te)?|borr[aá]|(?:me\s+)?(?:puedes|pod[eé]s|podr[ií]as)\s+(?:olvidar|borrar))
    (?:,?\s+(?:por\s+favor|porfa)\s*,?)?\s+(?:de\s+)?
    (?:(?:todo\s+)?(?:lo|eso)\s+q(?:ue)?\s+(?:(?:yo\s+)?(?:te\s+)?
      (?:he\s+|hab[ií]a\s+)?(?:dij|dich|cont|mencion|habl)
      |(?:sab[eé]s|recuerdas|record[aá]s)\s+(?:de|sobre)\s+m[ií])
      |(?<=borra\s)lo\sdel?\s\w
      |(?<!\by\solvida\s)que\s+(?:mis?|yo|soy|vivo|trabajo|tengo)\s+\w
      |(?:todos\s+)?(?:mis?|tus?)\s+(?:memoria|recuerdos|datos|direcci[oó]n|n[uú]mero
        |contraseña|mensajes)\b)"""
_FRENCH = r"""
    (?:\A|[.!?,;…\n]|\b(?:te\ pla[iî]t|stp|et|alors)\b)\s*
    (?:(?:oublie|efface|supprime)z?|(?:tu\s+(?:peux|pourrais)|(?:peux|pourrais)[-\s]tu)
      \s+(?:oublier|effacer|supprimer))(?:,?\s+(?:s['’]il\s+(?:te|vous)\s+pla[iî]t|stp)\s*,?)?\s+(?:(?:tout\s+)?ce\s+que\s+(?:(?:je|j['’]|jt['’]?)[^.!?\n]{0,15}
      (?:dit|dire|racont|parl|mention)|tu\s+sais(?:\s+(?:de|sur)\s+moi\b|(?=\W*\Z)))
      |(?:toutes?\s+|tous\s+)?(?:mon|ma|mes|ta|tes)\s+(?:m[ée]moire|souvenirs|donn[ée]es|adresse|num[ée]ro
        |mot\s+de\s+passe|messages)\b)"""
_RUSSIAN_TOLD = r"(?:говорил|сказал|рассказ|упоминал|писал|давал)"
_RUSSIAN = rf"""
    (?:\A|[.!?,;…\n]|\b(?:{RUSSIAN_PLEASE}|и|ну|а|просто|лучше)\b)\s*
    (?:(?:забудь|удали|сотри)(?:те)?|(?:ты\s+)?(?:можешь|могла?\s+бы)\s+(?:забыть|удалить|стереть)
      |(?:я\s+)?хочу\s*,?\s+чтобы?\s+ты\s+(?:забыла?|удалила?))
    \s*,?\s+(?:{RUSSIAN_PLEASE}\s*,?\s+)?
    (?:(?:вс[её]\s*,?\s+)?(?:(?:про\s+)?то\s*,?\s+|последнее\s*,?\s+)?что\s+(?:я\s+
      (?:\w+\s+){{0,2}}{_RUSSIAN_TOLD}
      |(?:ты\s+)?(?:обо\s+мне\s+)?(?:знаешь|помнишь)\s+обо\s+мне|ты\s+обо\s+мне\s+(?:знаешь|помнишь))
      |(?:вс[её]\s+обо\s+мне|обо\s+мне\s+вс[её])(?=\W*\Z)
      |(?:про\s+|о\s+)?(?:все\s+)?(?:мой|мою|мои|моих|мо[её]м|моей|свою)\s+(?:(?:старый|прошлый|прежний|новый)\s+)?
        (?:адрес|номер|память|данны[ех]|пароль|сообщения|телефон|диагноз)\w{{0,2}}\b(?!\s+не\b)
      |про\s+\w+\s*,?\s+(?:о\s+)?котор\w+\s+я\s+(?:\w+\s+){{0,2}}{_RUSSIAN_TOLD})
    |\b(?:удали|сотри|убери|выкинь)(?:те)?\s+(?:[^.!?\n]{{1,60}}\s)?из\s+(?:своей\s+)?памяти\b
      (?!\s+(?:телефон|карт|устройств))"""
_CHINESE = r"""
    (?:(?:\A|[，。！!,、；\s]|[请請](?:你|您)?|麻[烦煩](?:你|您)?|[帮幫]我
        |(?<![不么麼我他她它们們])(?:可以|能))
      (?:忘掉|忘[记記]|忘了|[删刪](?:掉|除))(?:我|咱|我们|我們)[^。！!？?\n]{0,12}
      (?:[说說讲講提聊]|告[诉訴])(?![^。！!\n]*(?:[吗嗎？?]|什[么麼]|[没沒]有))
    |(?:(?<=[请請]你)|(?<=[请請]您)|(?<![别別你您他她它们們都])(?<!不要)(?<!不能))把(?:我|咱|[刚剛]才|之前)[^。！!？?\n]{0,20}
      (?:[说說讲講提聊]|告[诉訴])[^。！!？?\n]{0,30}(?:忘掉|忘[记記]|忘了|[删刪](?:掉|除))
      (?![^。！!\n]*[吗嗎？?])
    |(?:\A|[，。！!,、；\s]|[请請](?:你|您)?|[帮幫]我)
      (?:忘掉|忘[记記]|[删刪](?:掉|除)|清除|清空)(?:你)?(?:知道|[记記]得)?的?
      (?:(?:所有|全部)?(?:关于|關於)[^。！!？?\n，,]{1,12}的(?:所有|全部)?[记記][忆憶]
        |(?:所有|全部)?(?:关于|關於)我的?(?:一切|所有|全部|信息|訊息|事情?|[记記][忆憶]|[数數]据)
        |我的(?:地址|住址|[电電][话話]|手机号|密码|密碼|邮箱|信息|[数數]据|隐私)
        |(?:你的?|所有|全部)(?:的)?[记記][忆憶])(?!卡)
    |(?<![怎么麼])(?:能不能|可不可以|能|可以)(?:忘掉|忘[记記]|[删刪](?:掉|除))(?:我|咱)[^。！!？?\n]{0,12}
      (?:[说說讲講提聊]|告[诉訴])[^。！!？?\n什没沒]{0,8}[吗嗎？?]
    |(?:\A|[，。！!,、；\s]|[请請](?:你|您)?|[帮幫]我)把(?:我|咱|[关關][于於])[^。！!？?\n，,]{1,12}的?
      (?:事情?|[记記][忆憶]|信息)(?:都|全部?)?(?:忘掉|忘[记記]|忘了|[删刪](?:掉|除|了)|清除)(?:了?吧|(?=[。！!\s]|\Z))
    |(?:\A|[，。！!,、；\s]|[请請](?:你|您)?)(?:忘掉|[删刪]掉)我(?!们|們)[^。！!？?\n说說没沒]{1,8}的(?:事|事情|话|話)(?=\W|吧|\Z)
    |(?<![他她它])把我的(?:地址|住址|(?:[电電][话話]|手[机機])(?:[号號][码碼]?)?|密码|密碼|邮箱|信息|[数數]据|[记記][忆憶]|事)(?:都|全部?)?
      (?:忘掉|忘[记記]|[删刪](?:掉|除)|清除))"""
_JAPANESE_FORGET = r"(?:忘れて|消して|削除して|消去して)"
_JAPANESE_END = r"(?=くれ|くだ|下さ|ほし|欲し|もらえ|ね|よ|[。！!？?、\s]|\Z)"
_JAPANESE_OWN = (
    r"(?:住所|電話番号|番号|パスワード|暗証番号|メール(?:アドレス)?|アドレス|本名|名前|データ|情報"
    r"|個人情報|記憶|病気|仕事)"
)
_JAPANESE = rf"""
    (?:言った|話した|伝えた|教えた)(?:こと|話|の|{_JAPANESE_OWN}|\w{{1,6}}の(?:こと|話))?(?:の(?:こと|話))?
      (?:は|を|も)?、?(?:もう|全部|すべて)?忘れて{_JAPANESE_END}
    |(?:私|僕|俺|わたし|あたし|うち|前)の(?:前の)?{_JAPANESE_OWN}(?:は|を|も)?
      (?:全部|すべて)?{_JAPANESE_FORGET}{_JAPANESE_END}
    |(?:私|僕|俺|わたし|あたし)(?:のこと|に(?:関する|ついての)(?:こと|情報|記憶))(?:は|を|も)?
      (?:全部|ぜんぶ|すべて|全て){_JAPANESE_FORGET}{_JAPANESE_END}
    |(?:さっき|今|前|この前|昨日)の(?:\w{{1,8}}の)?(?:話|発言|メッセージ|記憶)(?:は|を|も)?{_JAPANESE_FORGET}{_JAPANESE_END}
    |最後の(?:メッセージ|発言|記憶|話|やつ|の)?(?:は|を)?(?:消して|削除して|忘れて){_JAPANESE_END}
    |(?:記憶|メモリー?)から(?:全部|すべて)?(?:消して|削除して|消去して){_JAPANESE_END}
    |(?:君の|あなたの)?記憶を(?:全部|すべて)?(?:消して|削除して|消去して|リセットして){_JAPANESE_END}"""
_PORTUGUESE = r"""
    (?:\A|[.!?,;…\n]|\b(?:por\ favor|pfvr?|e|ent[ãa]o)\b)\s*
    (?:esque[çc][ae]|apag(?:a|ue)|delet[ae]|(?:(?:voc[êe]|vc)\s+)?(?:pode|poderia)\s+(?:esquecer|apagar|deletar))
    (?:,?\s+por\s+favor\s*,?)?\s+(?:de\s+)?
    (?:(?:tudo\s+)?o?\s*que\s+(?:eu\s+)?(?:j[áa]\s+)?(?:te\s+)?(?:disse|falei|contei|mencionei|escrevi)
      |tudo\s+(?:o\s+)?que\s+(?:voc[êe]|vc|tu)\s+(?:sabes?|lembras?)\s+(?:de|sobre)\s+mim
      |(?:tod[oa]s\s+)?(?:[oa]s?\s+)?(?:meus?|minhas?|suas?|tuas?)\s+(?:mem[óo]rias?|lembran[çc]as
        |dados|endere[çc]o|n[úu]mero|senha|mensagens)\b)"""
_ITALIAN = r"""
    (?:\A|[.!?,;…\n]|\b(?:per\ favore|e|allora)\b)\s*
    (?:dimentica(?:ti)?|scorda(?:ti)?|cancella|elimina|(?:puoi|potresti)\s+(?:dimenticare|cancellare|eliminare))
    (?:,?\s+per\s+favore\s*,?)?\s+(?:di\s+)?
    (?:(?:tutto\s+)?(?:quello|quel|ci[òo])\s+che\s+(?:(?:ti|vi)\s+)?(?:ho|avevo)\s+(?:detto|raccontato|scritto|menzionato)
      |(?:tutto\s+)?(?:quello|quel|ci[òo])\s+che\s+(?:sai|ricordi)\s+(?:di|su)\s+(?:di\s+)?me\b
      |(?:tutt[ei]\s+)?(?:il|la|i|le)\s+(?:mi[oae]|miei|tu[ao]|tuoi)\s+(?:memoria|ricordi|dati|indirizzo
        |numero|password|messaggi)\b)"""
_POLISH = r"""
    (?:\A|[.!?,;…\n]|\b(?:prosz[ęe]|i|wi[ęe]c)\b)\s*
    (?:zapomnij|usu[ńn]|skasuj|wyma[żz]|(?:mo[żz]esz|m[óo]g[łl]by[śs])\s+(?:zapomnie[ćc]|usun[ąa][ćc]|skasowa[ćc]))
    (?:,?\s+prosz[ęe]\s*,?)?\s+(?:o\s+)?
    (?:(?:wszystk(?:o|im)\s*,?\s+)?(?:t(?:o|ym)\s*,?\s+)?(?:co|o\s+czym)\s+(?:ja\s+)?(?:ci\s+)?
      (?:powiedzia|m[óo]wi|opowiedzia|opowiada|pisa|napisa)[łl][ae]m
      |wszystk(?:o|im)\s*,?\s+co\s+(?:o\s+mnie\s+wiesz|wiesz\s+o\s+mnie)
      |(?:wszystkie\s+)?(?:m[óo]j|moj[eaą]|moich|swoj[eaą]|twoje)\s+(?:pami[ęe][ćc]|wspomnienia|dane|danych
        |adres|numer|has[łl]o|wiadomo[śs]ci)\b)"""
_KOREAN_ERASE = r"(?:잊어|지워|삭제해)\s?(?:줘|주세요|줄래|버려)"
_KOREAN = rf"""
    (?:내가|제가)\s[^.!?\n]{{0,20}}(?:말한|말했던|얘기한|얘기했던|이야기한|한\s말|했던\s말)[^.!?\n]{{0,12}}{_KOREAN_ERASE}
    |(?:나|저)에\s?대(?:한|해서?)\s[^.!?\n]{{0,20}}{_KOREAN_ERASE}
    |(?:내|제)\s(?:주소|전화번호|비밀번호|개인\s?정보|정보|이름)(?:은|는|을|를)?\s(?:다\s|전부\s)?{_KOREAN_ERASE}"""
# 全忘了 alone says that the user forgot it all.
_CHINESE_ALL = "一切|所有(?:的?[事东東][情西]?)?|全部"
_THAT_ALONE = re.compile(
    rf"""\W*(?:(?:(?:ok(?:ay)?|no|oh|oops|sorry|wait|actually|{PLEASE}|just|now)\b\W*)*
      (?:(?:can|could|would|will)\s+you\s+)?(?:(?:{PLEASE}|just)\s+)*
      (?:(?:forget|delete|erase)\s+(?:(?:that|this)(?:\s+(?:one|message|again))?
          |everything|all\s+(?:of\s+)?(?:it|that|this|(?:(?:your|the|my)\s+)?memories)
          |(?:it|that|this)\s+all)
        |wipe\s+(?:everything|it\s+all)|unremember\s+(?:that|everything))
      (?:\W+(?:{PLEASE}|ok(?:ay)?|again|now|thanks))*
    |(?:(?:nein|ach|sorry|ok|bitte)\b\W*)*
      (?:(?:vergiss|lösche?|streiche?)\s+(?:(?:bitte|mal)\s+)?
        (?:das(?:\s+(?:letzte|von\s+(?:eben|gerade|vorhin|gestern)))?
          |die\s+letzte\s+nachricht|(?:das\s+(?:(?:bitte|jetzt|mal)\s+)*)?alles)
        (?:\W+(?:bitte|wieder|mal|jetzt))*
      |(?:kannst|könntest)\s+du\s+(?:das|alles)\s+(?:(?:bitte|wieder|mal)\s+)*(?:vergessen|löschen)
      |das\s+(?:kannst|sollst)\s+du\s+(?:bitte\s+)?wieder\s+(?:vergessen|löschen)
      |(?:das\s+)?bitte\s+(?:das\s+)?(?:wieder\s+)?(?:vergessen|löschen))
    |(?:(?:no|ay|ok|perdona?|por\ favor|porfa)\b\W*)*
      (?:(?:olvid[aá]|borr[aá]|elimin[aá])\s+(?:es[oe]|todo(?:\s+(?:es[oe]|esto))?
          |toda\s+(?:tu|la)\s+memoria|(?:todos\s+)?tus\s+recuerdos)
        |(?:olv[ií]date|olvidate)\s+de\s+todo(?:\s+(?:es[oe]|esto))?|(?:olv[ií]d|b[oó]rr)[ae]lo\s+todo
        |(?:puedes|pod[eé]s)\s+(?:olvidar|borrar)\s+todo)
      (?:\W+(?:por\ favor|porfa|ya))?
    |(?:(?:non|oh|ok|pardon|stp)\b\W*)*
      (?:(?:oublie|efface|supprime)(?:\s+|-)(?:[çc]a|cela|tout(?:\s+(?:[çc]a|cela))?
          |tous\s+tes\s+souvenirs|toute\s+ta\s+m[ée]moire)
        |(?:tu\s+(?:peux|pourrais)|(?:peux|pourrais)[-\s]tu)\s+oublier\s+(?:[çc]a|cela)
        |(?:tu\s+(?:peux|pourrais)|(?:peux|pourrais)[-\s]tu)\s+tout\s+(?:oublier|effacer|supprimer))
      (?:\W+(?:stp|s['’]il\ te\ plaît))?
    |(?:(?:нет|ой|ок|ну|так|{RUSSIAN_PLEASE})\b\W*)*
      (?:(?:забудь|удали|сотри)(?:те)?\s+(?:{RUSSIAN_PLEASE}\s+)?
          (?:это(?:\s+сообщение)?|вс[её]|вс[её]\s+это|это\s+вс[её]|про\s+вс[её]
          |последн(?:ее|юю)(?:\s+(?:сообщение|запись|фразу))?|вс[её]\s+из\s+памяти)
        |(?:ты\s+)?(?:можешь|могла?\s+бы)\s+(?:это\s+|вс[её]\s+)(?:забыть|удалить|стереть)
        |(?:очисти|сотри|удали)(?:те)?\s+(?:(?:всю|свою|твою)\s+)*память
        |(?:удали|сотри)(?:те)?\s+(?:все\s+)?(?:свои\s+)?воспоминания)
      (?:\W+{RUSSIAN_PLEASE})?
    |(?:(?:por\ favor|pfvr?|ok|n[ãa]o)\b\W*)*(?:esque[çc][ae]|apag(?:a|ue)|delet[ae])\s+tudo
      (?:\s+iss?t?o)?(?:\W+por\ favor)?
    |(?:(?:per\ favore|ok|no)\b\W*)*(?:dimentica|cancella|elimina)\s+tutto
      (?:\s+questo)?(?:\W+per\ favore)?
    |(?:(?:prosz[ęe]|ok|nie)\b\W*)*(?:zapomnij\s+o\s+(?:tym\s+)?wszystkim
        |(?:skasuj|usu[ńn]|wyma[żz])\s+(?:to\s+)?wszystko)(?:\W+prosz[ęe])?
    |(?:다|전부|모두|모든\s?(?:기억|걸|것을?))\s?(?:잊어|지워|삭제해)\s?(?:줘|주세요|줄래)
    |(?:请|請|那|麻烦)?(?:你|您)?(?:(?:忘掉|忘记|忘記|忘了|删掉|删除|刪掉|刪除)(?:这个|那个|这件事|這個|那個|這件事|这句话|這句話)
      |把(?:这个|那个|这件事|這個|那個|這件事|这句话|這句話)(?:忘掉|忘记|忘記|忘了|删掉|删了|删除|刪掉|刪除)
      |(?:把)?(?:上一[条條]|[刚剛]才(?:那[条條]|那句[话話]?|[说說]的)|最[后後]一[条條])(?:都|也|给我|給我)?
        [删刪](?:掉|了|除)
      |(?:忘掉|忘[记記]|[删刪](?:掉|除))(?:上一[条條]|我?[刚剛]才(?:那[条條]|那句[话話]?|我?[说說]的[话話]?)|最[后後]一[条條])
      |(?:忘掉|忘[记記]|[删刪](?:掉|除)|清除|清空)
        (?:一切|所有(?:的?(?:[事东東][情西]?|[记記][忆憶]))?|全部(?:的?[记記][忆憶])?|[记記][忆憶])
      |把(?:你|您)?(?:知道|[记記]得|[记記]住)?的?(?:所有|全部)?(?:关于|關於|有关|有關)我的(?:一切|所有|全部|信息|事情?|[记記][忆憶])?
        (?:都|全都?|全部)?(?:忘掉|忘[记記]|忘了|[删刪](?:掉|了|除)|清除|清空)
      |把(?:{_CHINESE_ALL})(?:都|全部?)?(?:忘掉|忘[记記]|忘了|[删刪](?:掉|了|除)|清除|清空)
      |(?:全都?|(?:{_CHINESE_ALL})(?:都|全部?)?)
        (?:(?:忘掉|忘[记記]|[删刪](?:掉|除)|清除|清空)(?!了(?!吧))|[忘删刪]了(?=吧))|[记記][忆憶](?:全部|都)?清[空除])[了吧]{{0,2}}
    |(?:(?:今|さっき|それ|これ)(?:の)?(?:は|を)?、?|(?:(?:今まで|これまで)の?(?:こと|話)?(?:は|を)?、?)?
        (?:全部|ぜんぶ|すべて|全て)(?:のこと)?(?:を)?、?)
      {_JAPANESE_FORGET}(?:ください|下さい|くれ(?:る|ない|ます)?|もらえ(?:る|ます)?|ほしい|欲しい|ね|よ|か)*)\W*""",
    re.IGNORECASE | re.VERBOSE,
)
_OPENING = rf"""
    \W*(?:(?:ok(?:ay)?|no|oh|oops|sorry|wait|actually|hey|also|and|{PLEASE}|just|now)\b\W*)*
    (?:(?:can|could|would|will)\s+(?:you|u)\s+|(?:i\s+)?(?:want|need)\s+(?:you|u)\s+to\s+
      |(?:you|u)\s+(?:can|should|must)\s+)?
    (?:(?:{PLEASE}|just|also|now)\s+)*"""
_VERBS = r"""(?:is|are|was|were|has|have|had|can|could|will|does|did
    |isnt|arent|wasnt|cant|doesnt|didnt|\w+n['’]t|got|went|died|broke|cheated|left|lost|told|said
    |called|likes?|loves?|hates?|lives?|works?|wants?|needs?|eats?|drinks?|plays?|drives?|takes?|studies|speaks?)"""
# As a whole sentence: "forget that Biscuit is allergic", "forget everything about Sam".
_ABOUT_STATEMENT = re.compile(
    rf"""(?!.*\bfor\ (?:a|an|one|now|the)\b|.*\blet['’]?s\b|.*\b(?:love|miss|hate)\s+(?:you|u)\b)
    (?:{_OPENING}
      (?:forget\s+(?:about\s+)?that\s+
          (?:(?:(?:i|we)(?:['’]?(?:m|ve|d|ll|re))?)\s+(?!(?:asked|exist|said|even|ever)\b)\w
            |(?!(?:it|this|that|there|you|u|i|we)\b)[\w-]+(?:['’]s)?\s+(?:[\w'’-]+\s+){{0,3}}?{_VERBS}\b
            |(?!(?:it|that|there)\b)[\w-]+['’]s\s+\w)
        |(?:forget|delete|erase|remove|wipe)\s+(?:everything|anything|all|what(?:ever)?)\s+
          (?:that\s+)?(?:(?:you|u)(?:['’]ve|\s+have)?\s+(?:know|remember|heard|learned|saved|stored|noted)\s+)?
          (?:about|abt|on)\s+(?!(?:it|that|this|him|her|them|us|you|u)\b)\w
        |(?:delete|erase|remove)\s+(?:that|this|the\ (?:last|previous))\s+(?:memory|note)\b
        |i\s+(?:do\s?n['’]?t|do\s+not)\s+want\s+(?:you|u)\s+to\s+remember\s+(?:that\s+)?(?:i|my)\b)
    |(?:(?:bitte|also|ok|und)\b\W*)*vergiss(?:,?\s+(?:bitte|mal|einfach|doch|jetzt|wieder))*,?\s+dass\s+(?!es\b|du\b)\w
    |(?:(?:bitte|also|ok|und)\b\W*)*(?:vergiss|lösche?)(?:\s+(?:bitte|mal))*\s+
      alles\s+(?:was\s+du\s+)?über\s+(?!(?:ihn|sie|uns|das)\b)\w
    |(?:(?:por\ favor|porfa)\W*)?olv[ií]d[aá](?:te)?\s+(?:de\s+)?
      q(?:ue)?\s+(?!(?:te|lo|existo|es|est[oa])\b)\w
    |(?:(?:por\ favor|porfa)\W*)?(?:olv[ií]d|borr|elimin)[aá]\s+todo\s+
      (?:lo\s+que\s+sab[eé]s\s+)?(?:sobre|de)\s+(?!(?:ella|[eé]l|ellos|es[oe]|nosotros)\b)\w
    |(?:oublie|efface)z?\s+que\s+(?!c['’]est|je\s+t['’]ai\s+demand)\w
    |(?:oublie|efface|supprime)z?\s+tout\s+(?:ce\s+que\s+tu\s+sais\s+)?(?:sur|de)\s+(?!(?:lui|elle|eux|nous)\b)\w
    |(?:{RUSSIAN_PLEASE}\W*)?забудь(?:те)?\s*,?\s+что\s+(?!это\b)\w
    |(?:{RUSSIAN_PLEASE}\W*)?(?:забудь|удали|сотри)(?:те)?\s+вс[её]\s+(?:,?что\s+знаешь\s+)?про\s+
      (?!(?:него|не[её]|них|нас|это)\b)\w
    |(?:[请請]你?|麻[烦煩]你?)(?:忘掉|忘[记記]|忘了|[删刪](?:掉|除))(?:我(?!吧)|[^，。！？\s]{{1,6}}[是有对對在])
      (?!.*[谁誰吗嗎没沒])[^，。！？\n]{{2,20}}
    |(?:能不能|能|可以)(?:忘掉|忘[记記])我[^。！!？?\n]{{1,16}}[吗嗎][?？]?
    |(?:忘掉|忘[记記]|忘了|[删刪](?:掉|除))(?!.*[谁誰吗嗎没沒])
      (?:我[^，。！？\n]{{2,20}}(?:[这這那]件?事|的事情?)|[^，。！？\n]{{4,20}}[这這那]件事)(?:吧)?
    |[^。！？\n]{{1,40}}(?:[たるい]|だ|って|という)(?:こと|事)(?:は|を)?(?:もう)?忘れて(?:ください|下さい|ほしい|ね)?(?=[。！!\s]*\Z)
    )[^?？\n]*""",
    re.IGNORECASE | re.VERBOSE,
)
# What is left of a wish without these words names its subject.
_WORDS_OF_WISHES = re.compile(
    rf"""\b(?:forget|unremember|delete|erase|remove|wipe|clear|{PLEASE}|said|told|tell|mentioned|wrote|talked
        |shared|say|know|remember|stored|saved|noted|memor(?:y|ies)|everything|anything|whatever|things?|stuff
        |want|need|thanks|thx|okay|sorry|actually
      |vergiss|vergesst|vergessen|lösche?n?|streiche?n?|entferne?n?|bitte|gesagt|erzählt|erwähnt|geschrieben
        |haben?|weißt|weisst|alles|gedächtnis|kannst|könntest
      |olv[ií]d\w+|borr\w+|elimin\w+|dij\w+|dich\w+|cont(?:é|ado)|mencion\w+|habl\w+|todo|lo|sab[eé]s
        |por\ favor|porfa|puedes|pod[eé]s
      |oubli\w+|effac\w+|supprim\w+|dit|racont\w+|parl\w+|mentionn\w+|tout|sais|stp|sur|mon|ma|mes|peux
      |забудь\w*|забыть|удали\w*|сотри\w*|стереть|говорил\w*|сказал\w*|рассказ\w+|упоминал\w*|писал\w*
        |знаешь|помнишь|памяти|{RUSSIAN_PLEASE}|можешь|вс[её]|про)\b
    |[请請]|麻[烦煩]|[帮幫]我|能不能|可以|把|忘掉|忘[记記]|忘了|[删刪][掉除了]|清[除空]|我?(?:[刚剛]才|之前)?[说說讲講提聊]过?的?
    |我?告[诉訴]过?你的?|[关關]于|[这這那]件?事|的?事情?|的?[记記][忆憶]|你|都|吧|了|[吗嗎]
    |さっき|言った|話した|伝えた|教えた|忘れて|消して|削除して|ください|下さい|ほしい|という|って|だ?こと|の?話|[はをもね]""",
    re.IGNORECASE | re.VERBOSE,
)
# "Forget what I said about Friday, the party is on Saturday" tells something new.
_PAUSE = re.compile(
    r"\s*[,;:，；：、…—–]\s*|\s-\s|\.{2,}\s*|(?=但|因为|因為)"
    r"|\s(?:(?=because|cuz|weil|porque|parce que|потому)|(?:but|aber|pero|mais|но)\s)",
    re.IGNORECASE,
)
_MAX_PAUSES = 8
_TELLS = re.compile(r"(?:\W*\b\w[\w'’-]*+){3}|\W*[\u3040-\u9fff]{4}")
_TELLS_NOTHING = re.compile(
    r"""\W*(?:(?:because|cause|cuz|bc|since|but|and|weil|aber|porque|pero|parce\sque|mais|потому\sчто|но|因为|因為)\s?)?(?:
      (?:it|that|this)(?:['’]?s|\s(?:is|was))\s(?:(?:just|only|really|so|too|all)\s)?
        (?:an?\s(?:joke|lie|secret|mistake)|private|personal|embarrassing|wrong|not\strue|none\b|nothing\b)
      |i\s(?:do\s?n['’]?t\swant|should\s?n['’]?t|should\snot|was\s(?:\w+\s)?(?:drunk|joking|kidding|lying)|lied|regret|made\s(?:it|that)\sup)
      |(?:(?:please|pls)\s)?(?:do\s?n['’]?t|do\snot|never)\s|(?:can|could|will|would)\s(?:you|u)\b|if\s(?:you|u)\b
      |(?:das|es)\s(?:war|ist)\s(?:nur\s)?(?:ein\s(?:scherz|witz|fehler)|privat|geheim|peinlich|gelogen|nicht\swahr)
      |ich\s(?:will|möchte|hätte)\b.*\bnicht\b|wenn\sdu\b
      |(?:era|es|fue)\s(?:(?:solo|una?)\s){0,2}(?:broma|mentira|secreto|privado|error)|no\s(?:quiero|deb[íi])|si\spuedes
      |c['’](?:est|était)\s(?:une?\s)?(?:blague|secret|priv[ée]|faux|erreur)|je\s(?:ne\s)?veux\spas|j['’]aurais\spas|si\stu\s
      |это\s(?:была\s)?(?:шутка|личное|секрет|неправда)|я\s(?:не\sхочу|пошутил)
      |(?:[那这這])?(?:只是|是)?(?:开玩笑|開玩笑|玩笑|秘密|隐私|隱私|[骗騙]你)|我不(?:想|[该該])|[别別](?:再)?[提说說告]|不要再?[提说說告]
      |(?:[^、。]{0,4})?(?:冗談|秘密|内緒|恥ずかし)
      |[\w'’-]+\s(?:and|or|und|oder|y|o|et|ou|и|или)\s[\w'’-]+\W*\Z)""",
    re.IGNORECASE | re.VERBOSE,
)
# A command that does not begin its message: "lol /forget last".
_SLASH_INSIDE = r"(?:\A|\s)[/／](?:forget\s+\w|(?:忘记|忘記)\s+\w)"
_FIRST_LANGUAGES = (_ENGLISH, _GERMAN, _SPANISH, _FRENCH, _RUSSIAN, _CHINESE, _JAPANESE)
_ASKS = re.compile(
    "|".join((*_FIRST_LANGUAGES, _PORTUGUESE, _ITALIAN, _POLISH, _KOREAN, _SLASH_INSIDE)),
    re.IGNORECASE | re.VERBOSE,
)


def asks_to_forget(text: str) -> bool:
    """Returns whether the message asks, in plain words, to forget what the user once said."""
    if len(text) > LONGEST_WISH:
        return False
    lines = filter(None, (" ".join(line.split()) for line in text.splitlines()))
    shown = "\n".join(lines)  # long blanks would take long to search
    if _ASKS.search(shown):
        return True
    return _THAT_ALONE.fullmatch(shown) is not None or any(
        map(_ABOUT_STATEMENT.fullmatch, sentences(shown))
    )


def tells_beside_wish(wish: str) -> bool:
    """Returns whether a sentence that asks to forget also tells something, behind or before that.

    Why it is to be forgotten ("it was a joke"), or more names ("Ida and Tom"), count as nothing.
    """
    for pause in islice(_PAUSE.finditer(wish), _MAX_PAUSES):
        parts = wish[: pause.start()], wish[pause.end() :]
        for one, other in (parts, parts[::-1]):
            if _tells(other) and asks_to_forget(one) and not asks_to_forget(other):
                return True
    return False


def _tells(text: str) -> bool:
    return _TELLS.match(text) is not None and _TELLS_NOTHING.match(text) is None


def subject_of_wish(text: str) -> str:
    """Returns the words of a wish to forget that say what is meant; none for "forget that"."""
    return " ".join(_WORDS_OF_WISHES.sub(" ", text[:LONGEST_WISH]).split())
