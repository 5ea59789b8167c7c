"""Words beside a request not to remember that decide whether it is one, and of what.

Lists of words are in the notation of phrases.py, a language after the other. To add one, add lines.
"""

# ruff: noqa: RUF001  (curly quotes, Cyrillic, Chinese and Japanese)

import re

from .off_the_record_words import SPACED
from .phrases import as_pattern


def compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.IGNORECASE | re.VERBOSE)


def _words(spaced: str, unspaced: str = "(?!)") -> re.Pattern[str]:
    """Returns a pattern for whole words, and for those of languages without blanks anywhere."""
    return re.compile(rf"\b(?:{as_pattern(spaced)})\b|{as_pattern(unspaced)}", re.IGNORECASE)


# Things that are saved, too: files, games, what a program keeps in its memory. Words of everyday
# life are not among them: "my test was positive", "i'm on a waiting list".
THING = _words(
    r"""
    files?|folders?|drafts?|savegames?|(th[ei]s?|that|my|our|next) (\w+ )?(games?|branch)
    (th[ei]s|that|next) levels?|(th[ei]s?|that|an?) bugs?
    commits?|corrupt\w*|it's (broken|not (done|ready|finished))|already saved
    minecraft|roblox|fortnite|skyrim|zelda|the sims|elden ring|gta|stardew valley|terraria
    boss ?fights?|checkpoints?|respawn\w*|still (playing|editing|writing|working)
    (edit|fix|change|finish|rename|saved?) (it|(this|that)(?! (?!first|before|yet|later)\w))
    cach\w+|v?ram|disks?|arrays?|variables?|buffers?|leaks?|heap|databases?|servers?|bytes?|[gm]b
    textures?|tokens?|pointers?
    ist kaputt|datei(en)?|ordner|spiel|spielstand|entwurf|noch nicht fertig|(ab)?gespeichert
    festplatte|variablen?
    est[áa] roto|archivos?|fichero|carpeta|partida|juego|nivel|borrador
    c['’]est cassé|fichiers?|dossier|(la|ma) partie|jeu|niveau|brouillon|(enregistr|sauvegard)[é]\w*
    pas fini|disque
    сломан\w*|файл\w*|папк\w+|игр[уыеой]|игра\w*|уров\w+|сейв\w*|черновик\w*|сохран\w+
    диск\w*|перемен\w+|массив\w*|кэш\w*|сервер\w*|битый|запомн\w+|запи(сал\w*|шу)
    t[áa] quebrado|arquivos?|ficheiros?|jogo|rascunho
    è rotto|cartella|partita|gioco|livello|bozza
    jest zepsut\w|plik\w*|gr[ayęe]|poziom\w*|wersj\w+|dysk\w*
    """,
    """
    文件|文档|档案|檔案|存[档過过]|游戏|遊戲|版本|草稿|[改写編编做](完|好)|重[打玩]|来[记存]
    变量|變量|缓存|緩存|磁盘|数据|數據
    ファイル|フォルダ|データ|ゲーム|セーブ|上書き|下書き|ディスク|変数|キャッシュ|配列
    파일|폴더|게임|레벨|문서|초안|디스크|변수|데이터
    """,
)
# Others' words: "he said please don't save this".
REPORT = compiled(r"""
    \b(?:said|says|saying|told|tells|tell|asked|asks|ask|begged|wrote|texted|replied
      |gesagt|sagt|sagte|meinte|meint|bat|dijo|dice|pidi[óo]|dit|disait|demandé|répondu
      |сказал\w*|говорит|говорил\w*|просил\w*|попросил\w*|написал\w*
      |disse|diz|falou|pediu|detto|chiesto|powiedział\w*|mówi\w*|prosił\w*|poprosił\w*)
      (?:\s\w+){0,2}[\s,:]*\Z
    |\b(?:mean|means|by|to)(?:\s\w+){0,2}\s*\Z
    |[说說叫让讓求问問][^，。]{0,4}\Z""")
# Others' words, right before the request: "i told tom, don't save this" is no report.
DIRECT_REPORT = compiled(r"""
    \b(?:(?:says?|said|wrote|texted|replied)
        |(?:told|tells|asked|asks|begged)\s(?:me|us)|(?:told|tells|asked|asks)(?:\s\w+){1,2}(?=\s?:)
        |(?:mean|means|by|to)
        |(?:sagt|sagte|meint|meinte|schrieb)(?:\s(?:mir|uns))?|gesagt(?=\s?:)
        |(?:dijo|dice|pidi[óo]|escribi[óo])|(?:a|m['’]a|il|elle)\s(?:dit|écrit|demandé)
        |сказал[аи]?|говорит|говорил[аи]?|(?:по)?просил[аи]?|написал[аи]?)
      [\s,:]*\Z
    |(?:[说說]|写道|[叫让讓求问問][^，。\s]{0,3})[:：，,\s]{0,2}\Z""")
# The same, right behind: "don't record it, my wife said". "My wife said she is ill" is a statement.
REPORT_BEHIND = compiled(r"""
    \A\W{0,3}(?:
      (?:he|she|they|(?:my|the|his|her|our)\s(?:\w+\s)?\w+|(?-i:[A-Z])\w+)\s
        (?:says?|said|wrote|texted|asked|begged|told\s(?:me|us))(?=\W*\Z|[,.;!?])
      |(?:says?|said)\s(?:he|she|they|my|the)\b
      |(?:sagt|sagte|meint|meinte|schrieb)\s(?:mir\s)?(?:er|sie|meine?|der|die)\b
      |(?:me\s)?(?:dijo|dice|pidi[óo]|escribi[óo])\s(?:[ée]l|ella|mi|el|la)\b
      |m['’]a\s(?:dit|écrit|demandé)\s(?:mon|ma|le|la)\b|m['’]a-t-(?:il|elle)\sdit\b
      |(?:сказал|попросил|написал)[аи]?\s(?:мне\s)?(?:он|она|мой|моя|мама|папа)\b
      |(?:[他她]|我(?:老[公婆]|妈|媽|爸|朋友))(?:对我|對我|跟我)?[说說](?=\W*\Z|[,，。]))""")
# Why something is forgotten, or need not be saved: "don't remember this, i was so young".
EXPLAINS = compiled(r"""
    \A\W*(?:(?:but|sorry|cause|because|cuz|bc|since)\s)?(?:
      (?:i|we)\s(?:was|were)\s(?:so\s|too\s|very\s|really\s|just\s|way\stoo\s|only\s|like\s){0,2}
        (?:young|drunk|little|small|high|wasted|stoned|asleep|sick|tired|busy|a\s(?:kid|child|baby)|\d+)
      |(?:i|we)\s(?:have\sno\sidea|do\s?n['’]?t\sknow|never\s(?:heard|saw)|must|had\sto|should)\b
      |(?:it|that)\swas\b|was\b|who\b|when\b|where\b|what\b
      |я\s(?:сам[аи]?|уже|ещ[её]|вс[её]|потом)\b|ich\s(?:hab|habe)\s(?:es|das)\b|我(?:自己|已[经經]|[来來发發会會再等]))""")
# "I have no idea, don't remember this."
FORGOTTEN = compiled(r"\b(?:no\sidea|(?:years|ages|(?:so\s)?long)\sago)\W*\Z")
FAMILY = r"""\b(?:mum|mom|dad|bf|gf|boyfriend|girlfriend|husband|wife|sister|brother
    |mama|papa|mamá|papá|maman|мама|папа|муж|жена)\b"""
_ANYBODY = """我|俺|咱|[他她]|老[公婆]|男朋友|女朋友|爸|妈|媽
    |私|わたし|あたし|僕|俺|彼[氏女]?|夫|妻|旦那|嫁|母|父|親|[나내](?=[는도가\\s])"""
_PERSON = "|".join(one.pattern(one.statement) for one in SPACED)
ANY_PERSON = compiled(rf"(?:\A|[\s,.;!?])(?:{_PERSON})|{FAMILY}|{_ANYBODY}")
# What one tells few people: health, love, crime, work and money that are gone. Such a statement
# beside a request makes any reading of the request but one unlikely.
INTIMATE = _words(
    r"""
    pregnan\w*|preg+ers|miscarr\w*|abortion|aborted my|(got|was|been|gonna be|being) (\w+ )?fired
    (fired|sacked|expelled|dumped|flunked)(?=,)
    fired me|laid off|(lost|quit) (my|his|her) job|cheat(ed|s|ing)?|affair|divorc\w*|bro?ke up
    broken up|dumped me|gay|lesbian|bi(sexual)?|trans(gender)?|(came|come|coming) out|closeted
    cancer|tumou?r|hiv|aids|herpes|std|chlamydia|depress\w*|suicid\w*|(kill|hurt|cut|cutting) myself
    self[- ]?harm\w*|relaps\w*|rehab|overdos\w*|addict\w*|cocaine|heroin|meth|alcoholic
    drinking again|rap(ed?|ist)|abus\w*|assault\w*|molest\w*
    (hits?|beats?|hitting|beating|slap(s|ped)?) (me|her|him|us)( again)?|slept with|sex|virgin\w*
    nudes?|porn|one[- ]night stand|stole|shoplift\w*|arrested|in (jail|prison)|in debt|bankrupt\w*
    gambl\w*|diagnos\w*|dying|failed my|cried|fart\w*|peed|pooped|puked|threw up|horny|masturbat\w*
    embarrass\w*|ashamed|antidepress\w*|dealer|therap\w*|drinks? too much|in love with|crush on
    feelings for|(dating|seeing) (someone|somebody|my|a)|my (\w+ )?secret|my (\w+ )?(password|pin)\b
    schwanger\w*|fehlgeburt|abtreibung|abgetrieben|(gefeuert|gekündigt|entlassen) ?\w*
    (betrogen|betrüg\w*|fremdgegangen|affäre)|scheid\w*|getrennt|schwul|lesbisch|krebs|tumor
    depress\w*|suizid\w*|umbringen|selbstmord|ritz\w*|süchtig|trink(t|e) wieder
    zu viel (\w+ )?trink(e|t)|trink\w? (\w+ )?zu viel|schlägt|geschlagen|vergewaltig\w*
    missbrauch\w*|misshandel\w*|geschlafen mit|mit \w+ geschlafen|geklaut|verhaftet|knast|gefängnis
    schulden|pleite|psychiater\w*|verliebt|job verloren
    embarazada|preñada|abort[éeo]\w*|despid(ieron|o)|despedid[ao]|echaron|engañ\w+|infiel|amante
    divorci\w*|separ(arme|[ée]|ad[oa])|gay|lesbiana|c[áa]ncer|vih|sida|depre(si[óo]n|sivo|siva)
    suicid\w*|matarme|me (pega|peg[óo]|golpe\w*)|viol(aron|[óo])|abus\w+|adict\w+|borrach[ao] otra
    rob[ée]|c[áa]rcel|deudas?|enamorad[ao]|lesbian\w*|alcoh[óo]li\w*|en el paro|acost[ée]
    (saliendo|salgo) con|recaíd\w*|perd[íi] (mi|el) trabajo
    enceinte|fausse couche|avort\w*|vir[ée]e?|licenci[ée]e?|tromp[ée]e?s?|amant|divorc\w*
    quitt[ée]e?|lesbienne|homo|cancer|sida|d[ée]prim\w*|d[ée]pression|suicid\w*
    (me|m'a) ?(frapp\w*|bat|battue?|tape)|viol[ée]e?|accro|drogue|vol[ée] d|prison|dettes?
    amoureu\w+|couch[ée] avec|gay|ma[îi]tresse
    беремен\w*|выкидыш|аборт\w*|уволил\w*|уволен\w*|уволюсь|измен(ил|яе|ял)\w*|развож\w*|развод\w*
    развел\w*|бросил[аи]? меня|меня бросил\w*|гей|лесбиян\w*|рак|вич|спид|депресс\w*|суицид\w*
    самоуб\w*|порез\w*|бь[её]т|избил\w*|ударил\w*|изнасилов\w*|насил\w*|наркот\w*|наркоман\w*
    запил\w*|пьёт|пьет|сорвал(ся|ась)|украл\w*|тюрьм\w*|долг\w*|влюб\w*|переспал\w*|расстал\w*
    zwolnili
    """,
    """
    怀孕|懷孕|怀了|性病|欠了|流产|流產|堕胎|人流|被?开除|被開除|被辞|被炒|失业|失業|出轨|出軌|劈腿
    离婚|離婚|分手|同性恋|同性戀|出柜|癌|艾滋|抑郁|憂鬱|自杀|自殺|自残|打我|家暴|强奸|強姦|性侵|吸毒
    酗酒|偷了|坐牢|欠债|欠債|暗恋|暗戀|喜欢上|上床|挂科|确诊
    妊娠|流産|中絶|クビ|リストラ|失業|浮気|不倫|離婚|別れた|振られた|ゲイ|レズ|がん|癌|うつ|鬱|自殺
    死にたい|リスカ|殴|暴力|レイプ|襲われ|万引き|盗んだ|逮捕|借金|依存|中毒|好きになった|寝た(の|ん)
    임신|유산|낙태|잘렸|해고|바람 ?[피폈]|이혼|헤어졌|게이|레즈|암에|우울|자살|자해|때렸|때려|성폭
    마약|훔쳤|감옥|빚
    """,
)
