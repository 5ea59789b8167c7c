"""How each language asks not to remember something, in the notation of phrases.py.

To add a wording, add a word to a list, or a line. To add a language, add one to `LANGUAGES`, and
its greetings, fillers and intimate words to the files that use this one. Each needs messages in
tests/text/commands/, and talk that only looks alike.
"""

# ruff: noqa: RUF001  (curly quotes, Cyrillic, Chinese and Japanese punctuation)

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from . import remember_words
from .phrases import as_pattern

EMOJI = r"\u2600-\u27bf\ufe0f\U0001f000-\U0001faff"  # a part of a set of characters


class Kind(StrEnum):
    """What a request needs beside it, if marks set it apart from the rest of the message.

    A personal statement begins as `Language.statement` says: "i hate my boss". An intimate one has
    a word of off_the_record_context.INTIMATE: "i got fired".
    """

    SURE = "sure"  # nothing: "keep this out of your memory"
    THIS = "this"  # a please, a colon, brackets or a personal statement: "don't save this"
    POLITE = "polite"  # a please, a colon, brackets or an intimate statement: "don't remember that"
    THAT = "that"  # a colon, brackets or a personal statement before it: "don't save it"
    MARKED = "marked"  # a colon, brackets or an intimate statement: "don't add this"
    LOOSE = "loose"  # an intimate statement: "no need to save it"
    ALONE = "alone"  # no other words: "don't store that"

    @property
    def may_be_alone(self) -> bool:
        return self in (Kind.SURE, Kind.THIS, Kind.POLITE, Kind.ALONE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Language:
    """The requests of one language, in phrases made of `words`.

    `verbs` and `denials`: a message without one of each, even within a word, has no request.
    `statement`: how a statement about a person begins.
    """

    words: Mapping[str, str]
    verbs: str
    denials: str
    please: str = "(?!)"
    requests: Mapping[Kind, str]
    statement: str

    def pattern(self, phrases: str) -> str:
        return as_pattern(phrases, {"PLEASE": self.please, **self.words})


ENGLISH = Language(
    words={
        "NO": "(do ?n't|do not|dnt|dun|never|u better not|you'd better not)( ever)?",
        "REMEMBER": r"((you|u) dare )?rem\w{1,4}r|memori[sz]e",  # however it is typed
        "SAVE": "((you|u) )?(dare )?(sav?e?|store|log)",
        "KEEP": "record|note|keep|add|put|write down|commit",  # "don't keep it, throw it away"
        "WRITE": "write|note|jot|put",
        "THIS": """
            (this|dis)( (one|message|msg|part|bit|chat|convo|conversation))?
            the following|what follows|(my|the) next (message|thing|part|bit)
            what i( (say|tell (you|u))|'m saying) (now|next)
            (any ?thing|what ?ever) i (say|tell (you|u))
            what i( am|'m)? (about to|going to|gonna) (say|tell you)""",
        "THAT": "that|it|these|any of (this|it|that)",
        "YOUR": "your|ur|the|long[- ]term",
        "CAN_YOU": "(can|could|would|will) (you|u)",
        "NEED_NOT": "(there's )?no need to|(you|u) (don't|do not) (have|need) to",
        "OF_A_PROGRAM": "of|card|stick|lane|leak",
        "MUST_NOT": "(you|u) (should ?n't|must ?n't|ca ?n't)",
    },
    verbs=r"rem\w{1,4}r|memor|sav|stor|log|record|note|keep|add|put|writ|jot|commit|enter|forget|delet|eras",
    denials="no|n't|never|dnt|dun|off|out of|forget|delete|erase|stop",
    please=rf"(?:{remember_words.PLEASE}|kindly)\b",
    requests={
        Kind.SURE: """
            NO (REMEMBER|SAVE|KEEP) (THIS|that) (in|to|into) YOUR memor(y|ies)
            NEED_NOT (REMEMBER|SAVE) this( message)? (in|to|into) YOUR memor(y|ies)
            NEED_NOT REMEMBER this( message)?
            (keep|leave) (it|THIS|that) (off the record|out of (your|the) memory)
            this( (one|message|part|bit))?('s| is| stays) off (the )?record
            i (don't|do not) want (THIS|that) ((kept|saved|stored) )?in YOUR memory
            CAN_YOU PLEASE not (remember|SAVE) this""",
        Kind.THIS: """
            NO (KEEP|SAVE|enter|WRITE) (THIS|THAT) (in|to|into) (YOUR )?memory(?! OF_A_PROGRAM)
            NO (REMEMBER|SAVE) THIS|NO WRITE THIS down|CAN_YOU not SAVE this|off the record
            i (don't|do not) want (you|u) to (REMEMBER|SAVE) THIS""",
        Kind.POLITE: "NO (REMEMBER|SAVE) (that|these)",
        Kind.THAT: "NO SAVE THAT|NO save|PLEASE,? NO REMEMBER|NO REMEMBER PLEASE",
        Kind.MARKED: "NO KEEP (THIS|that)|NO WRITE that down|off record",
        Kind.LOOSE: r"""
            NO (REMEMBER|SAVE|KEEP) THAT|NO WRITE THAT down|NO (REMEMBER|SAVE)
            (NEED_NOT|MUST_NOT) (REMEMBER|SAVE) (THIS|THAT)
            (NEED_NOT|MUST_NOT) (REMEMBER|SAVE)(?!,? but )
            CAN_YOU not (REMEMBER|SAVE) (THIS|THAT)
            CAN_YOU forget (THIS|THAT) (after|afterwards|later|again)
            CAN_YOU forget (THIS|THAT)(?!\? (i|we) (can't|cannot|won't))
            forget ((that )?i (ever )?(said|told (you|u)) (this|that|it|anything))
            not to be (saved|stored|remembered)|no memory
            stop (saving|storing|logging|recording|remembering) (THIS|THAT|every ?thing)
            stop (saving|storing|logging|recording|remembering) my (messages?|chats?)
            (forget|delete|erase) (THIS|THAT) (right )?after(wards)? (reading|that|this|you answer)
            (forget|delete|erase) (THIS|THAT) (right )?after(wards)?
            keep (THIS|THAT) off (the )?record|not for the record
            (that's )?off (the )?record""",
        Kind.ALONE: "NO SAVE that( message)?",
    },
    statement="(i|i'(m|ve|ll|d)|my|me and|we|we'(ve|ll|d|re)|our|s?he|s?he['’]s) ",
)
GERMAN = Language(
    words={
        "NOT": "nicht?|nich|ned|net|nid",
        "THIS": """
            (das|dass)( (jetzt|hier|folgende))?|dies(es)?|diese nachricht|folgendes|es
            was jetzt kommt""",
        "SOFT": "( SOFTLY){0,3}",
        "SOFTLY": "bitte|jetzt?|mal|lieber|aber|hier|folgende|blo(ß|ss|s)|ja|auf keinen fall|alles",
        "MEMORY": "(ins|in (dein(e[nm])?|das|den)) (gedächtnis|speicher|erinnerungen)",
        "TO_SAVE": "merken|(ab)?speichern|notieren",
        "PUT": "schreibe?|packe?|lege?|nimm|speicher[en]?|trage?|tu|behalte?",
    },
    verbs="merk|speicher|notier|notiz|behalt|schreib|pack|leg|gedächtnis|vergiss|lösch|record",
    denials="nich|nit|net|ned|nid|kein|off|vergiss|lösch",
    please=r"(bitte|pl[sz])\b",
    requests={
        Kind.SURE: """
            (merke? dir|speicher[en]?) THISSOFT NOT( ab)?|merk's dirSOFT NOT
            behalte? THIS( bitte)? NOT im gedächtnis
            THIS (soll|gehört) NOT in (dein|deine[mn]) (gedächtnis|erinnerungen|speicher)
            das (bitte|hier|jetzt)( bitte)? NOT TO_SAVE
            das (musst|brauchst|sollst|darfst) du (dir )?(bitte )?NOT (zu )?TO_SAVE""",
        Kind.THIS: """
            (THIS )?NOT TO_SAVE|THIS (merkst du dir|speicherst du)SOFT NOT( ab)?
            (das|dies(es)?) soll(te)? NOT (ab)?gespeichert werden
            (ich )?(will|möchte) NOT,? dass? du (dir )?THIS (merkst|(ab)?speicherst)
            PUT (dir )?THISSOFT NOT MEMORY
            (das )?NOT (ins|in dein) gedächtnis( (schreiben|packen|speichern|aufnehmen))?""",
        Kind.POLITE: "notier[en]? THISSOFT NOT",
        Kind.MARKED: "schreibe? (das|dies)SOFT NOT auf",
        Kind.LOOSE: """
            speicher[en]? NOT|behalte? THISSOFT NOT|(schreibe?|notiere?) THISSOFT NOT( auf)?
            (THIS )?(musst|brauchst|sollst|darfst) du (dir )?(THIS )?NOT (zu )?TO_SAVE
            (kannst|könntest) du (dir )?THISSOFT NOT TO_SAVE
            vergiss (THIS( (gleich|danach|sofort))? (wieder|danach)|was ich (jetzt|gleich) sage)
            (mach dir )?(davon )?keine notiz( davon)?
            lösche? THIS (gleich|danach|sofort)( wieder)?|(das ist )?off the record""",
        Kind.ALONE: "NOT mitschreiben",
    },
    statement=r"(ich|mir|mich|mein\w{0,2}|wir|uns|unser\w{0,2}|hab|habe|bin|wurde) ",
)
SPANISH = Language(
    words={
        "THIS": "esto|este mensaje|lo siguiente|lo que (te digo|digo|viene)|nada( de (esto|eso))?",
        "THAT": "eso",
        "SAVE": "(guard|registr|anot|apunt|grab|almacen)[eé]s|guarde|memori[cz][eé]s",
        "PUT": "pongas|metas|escribas|añadas|agregues",
        "REMEMBER": "recuerd(es|e)|record[eé]s|te (acuerdes|acordés) de",
        "QUE": "que|q|k|ke",
        "UNWANTED": "no (qu|k)iero QUE",
    },
    verbs="guard|regist|anot|apunt|grab|almacen|memor|rec[uo]|ac[uo]|quede|nota|extraofi|olv[ií]d",
    denials="no|que|extraofi|olv[ií]d",
    please=r"(por ?favor|por ?fa|porfi|xfa|x fa(vor)?|pl[iz]?s|plz)\b",
    requests={
        Kind.SURE: """
            no memori[cz][eé]s (THIS|THAT)
            ((THIS|THAT) )?no (lo )?SAVE( THIS| THAT)? en (tu|la) memoria
            (no quiero QUE esto quede|QUE esto no quede) en tu memoria
            no (hace falta|es necesario) QUE REMEMBER THIS""",
        Kind.THIS: r"""
            no (lo )?(SAVE|PUT)( THIS| THAT)? (en|a) ((tu|la) )?memoria\b
            (no|UNWANTED) (SAVE|REMEMBER) THIS""",
        # "No guardes eso, tíralo" is said of a thing.
        Kind.POLITE: "no REMEMBER THAT|no SAVE THAT(?!(,? PLEASE)?[,;.!] )",
        Kind.THAT: "((THIS|THAT) )?no ([tm]e )?lo (SAVE|recuerd[ea]s|record[eé]s)|no SAVE THAT",
        Kind.LOOSE: """
            no ([tm]e )?lo (vayas a (guardar|recordar|anotar)|metas en (tu|la) memoria)
            UNWANTED (te )?lo (SAVE|REMEMBER)|no REMEMBER THAT|no SAVE
            no (hace falta|es necesario) QUE (lo )?(SAVE|REMEMBER)( esto| eso)?
            (puedes|pod[eé]s|podrías) no (guardar|recordar|anotar|registrar)(lo| esto| eso)
            no tomes notas?( de (esto|eso))?
            (esto )?que (esto )?no (se )?quede (guardado|registrado)
            extraoficial(mente)?|olvídalo (luego|después)|off the record""",
        Kind.ALONE: "no lo (guard[eé]s|recuerdes)",
    },
    statement=r"(yo|me|mis?|nos|estoy|soy|tengo|he|estuve|\w{2,}[éí]) ",
)
FRENCH = Language(
    words={
        "THIS": "ça|cela|ceci|ce message|ce qui suit|ce que je dis",
        "NE": "(ne |n['’ ])?",
        "IT": "le |l['’]",
        "TO_SAVE": "retenir|noter|mémoriser|garder|enregistrer|sauvegarder",
        "SAVE": "note|retiens|retient|enregistre|mémorise|sauvegarde|stocke|écris",
    },
    verbs="not|ret[ie]|enregistr|gard|mémor|stock|écri|souvien|mets|ajout|trace|effac|oubli|record",
    denials="pas|n['’]en|effac|oubli|off",
    please=r"(s'?(il )?te pla[iî]t|stp|svp|pl[sz])(?!\w)",
    requests={
        Kind.SURE: """
            NE(retiens|mémorise|enregistre|sauvegarde|te souviens) pas (de )?THIS( en mémoire)?
            NE(garde|mets) pas THIS (en|dans ta) mémoire
            ((tu (n['’])?|t['’]?)as )?pas besoin de (retenir|mémoriser) THIS""",
        Kind.THIS: r"""
            NE(mets|ajoute|garde|SAVE) pas THIS (en|(dans|à) (ta|la)) mémoire\b
            NESAVE pas( THIS|(?= que (je|j['’])))
            (je )?(ne )?veux pas (que|q) tu (retiennes|notes|gardes|enregistres|mémorises) THIS""",
        Kind.THAT: "(ne )?IT(SAVE|garde) pas|ne t['’]en souviens pas|NEgarde pas THIS",
        Kind.LOOSE: """
            NE(SAVE|garde) pas( en mémoire)?|n['’]en garde (pas de |pas |aucune )?trace
            à effacer (après|ensuite)|(ne )?prends pas (de )?notes?
            pas (besoin|la peine) de IT?TO_SAVE( THIS)?
            (tu pe(ux|ut)|peux[- ]tu|tu pourrais) ne pas IT?TO_SAVE( THIS)?
            (il )?(ne )?faut pas IT?TO_SAVE( THIS)?|à ne pas TO_SAVE|off the record
            oublie (que j'ai dit THIS|(le|ça) après)""",
    },
    statement=r"(je|j['’](?!en ) ?\w+|m['’](a|ont)|jai|jsuis|chui|on|nous|m(on|a|es)|moi) ",
)
RUSSIAN = Language(
    words={
        "NO": "не ?(зап[оа]минай|запомни|сохраняй|записывай)(те)?",
        "TO_SAVE": "запоминать|сохранять|записывать",
        "NEED_NOT": "не (надо|нужно)",
        "THIS": "это(го)?( сообщение)?|следующее",
        "PUT": "(пиши|записывай|заноси|добавляй|клади|вноси|сохраняй|помещай)(те)?",
        "MEMORY": r"((свою|твою) )?память(?! (об?|(телефон|компьютер|устройств|карт|ноут)\w*)\b)",
    },
    verbs="запам|запом|сохран|запис|памят|протокол|секрет|забудь",
    denials="не|забудь|без",
    please=rf"{remember_words.RUSSIAN_PLEASE}\b",
    requests={
        Kind.SURE: """
            NO( PLEASE)? THIS( в памят[иь])?|THIS,? (PLEASE,? )?NO( в памят[иь])?
            (это )?(строго )?(между нами|по секрету),? NO( это)?
            (только|тока|ток) (это )?NO( THIS)?
            это NEED_NOT TO_SAVE|это TO_SAVE NEED_NOT|NEED_NOT (это TO_SAVE|TO_SAVE это)
            это не для (записи|протокола)""",
        Kind.THIS: """
            NO только THIS|не ?(запоминай|запаминай|запомни)(те)?|NEED_NOT (THIS )?TO_SAVE( THIS)?
            (я )?не хочу,? чтобы? ты (THIS )?(запомина|сохраня|записыва|запомни)ла?( THIS)?
            (это )?не PUT( это(го)?| вс[её] это)? в MEMORY|(это )?в память (это(го)? )?не PUT( это)?
            (это )?NEED_NOT (это )?(писать|заносить|добавлять|TO_SAVE)( это)? в MEMORY""",
        Kind.THAT: "NO",
        Kind.MARKED: "не для (записи|протокола)",
        Kind.LOOSE: """
            (ты )?(можешь|могла? бы) (THIS )?не TO_SAVE( THIS)?
            забудь (это )?(потом|сразу|после)|(это )?(без|не для) (записи|протокола|памяти)""",
        Kind.ALONE: "NO",
    },
    statement=r"""
        (я|у (меня|нас|моей|моего)|мне|нам|мо[йяёию]|моего|мы|он[аи]?)(?!\w)
        меня (\w+ )?\w+л[аи]?(?!\w)""",
)
PORTUGUESE = Language(
    words={
        "THIS": "isso|isto|es[st]a mensagem|o seguinte|o que (eu )?vou (dizer|falar|contar)",
        "SAVE": "(guard|grav|anot|registr|salv)[ae]|lembr[ae]( de)?",
        "PUT": "coloc(a|que)|põe|ponha|guard[ae]|salv[ae]|bot[ae]|anot[ae]|registr[ae]",
    },
    verbs="guard|grav|anot|regist|salv|lembr|memor|coloc|põe|ponh|bot",
    denials="não",
    please=r"(por favor|pfv?r?|pl[sz])\b",
    requests={
        Kind.SURE: "não memoriz[ae] THIS|não SAVE THIS na ((sua|tua) )?memória",
        Kind.THIS: r"não SAVE THIS|não PUT THIS (na|em) ((sua|tua) )?memória\b",
    },
    statement=r"(eu|me|meus?|minhas?|fui|tô|estou|sou|tenho|nós|a gente|\w{2,}(ei|[í])) ",
)
ITALIAN = Language(
    words={
        "THIS": "questo( messaggio)?|questa cosa|quanto segue|quello che sto per dir(e|ti)",
        "SAVE": "ricordare|salvare|registrare|annotare|conservare",
        "PUT": "mettere|salvare|scrivere|aggiungere|conservare|tenere",
    },
    verbs="ricord|salv|registr|annot|conserv|memor",
    denials="non",
    please=r"(per ?favore|ti prego|pl[sz])\b",
    requests={
        Kind.SURE: "non memorizzare THIS|non SAVE THIS nella (tua )?memoria",
        Kind.THIS: r"non SAVE THIS|non PUT THIS (in|nella) (tua )?memoria\b",
    },
    statement="(io|mi|sono|ho|mio|mia|miei|ci|noi|sto) ",
)
POLISH = Language(
    words={
        "THIS": "tego|tej wiadomości",
        "SAVE": "nie (zapisuj|notuj|zachowuj) THIS|tego nie (zapisuj|notuj)",
        "PUT": "dodawaj|zapisuj|wpisuj|wkładaj|zachowuj",
    },
    verbs="zapi|zapa|notuj|zachow|pami|wpis|doda|wkład",
    denials="nie",
    please=r"(proszę|pl[sz])(?!\w)",
    requests={
        Kind.SURE: "(nie zapamiętuj THIS|tego nie zapamiętuj)( w pamięci)?|SAVE w pamięci",
        Kind.THIS: r"SAVE|nie PUT tego (do|w) (swojej )?pamięci\b(?! (telefonu|komputera))",
        Kind.ALONE: "nie (zapamiętuj|zapisuj)",
    },
    statement=r"(ja|mnie|mi|mam|jestem|mój|moj\w{1,2}|\w+[łl][ea]m) ",
)
SPACED = (ENGLISH, GERMAN, SPANISH, FRENCH, RUSSIAN, PORTUGUESE, ITALIAN, POLISH)
CHINESE = Language(
    words={
        "NO": "(不要|不许|千万别|千万不要|别|不用|不必|甭)(给我|給我|帮我|幫我)?",
        "DO_NOT": "不要|不许|别",
        "SAVE": "记(住|录|下来|下|得|着)?|保存|[存留](下来|下|着)?",
        "LEARN": "记(住|录|下来|下)?",
        "THIS": """
            这(个|条|句话?|件?事|些|段话|些话|话)?(消息|内容|內容|话)?|刚才的话?
            (下面|以下|接下来)(的|这)?(内容|內容|话|句话|事)?
            我((接下来|下面)?[说讲]的?)(话|这些)?""",
        "ASK": "(PLEASE)?[你您]?(可(?=别)|就)?",
        "PLEASE": "[请拜麻][你您托託烦煩]{0,2}|悄悄(告诉你|跟你说|说)[,，]?|求你",
        "OH": "[了啦哦喔噢啊呀哈吧嘛吗嗎]{0,2}",
        "PUT": "写|存|放|记|加|录|保存",
        "MEMORY": "([你您]的?)?记忆(里面?|裡面?|中|库|庫)?",
    },
    verbs="[记存录留]|保存|写进",
    denials="[别不甭]",
    requests={
        Kind.SURE: """
            ASK(DO_NOT)(SAVE)THISOH|THIS请?[你您]?就?(DO_NOT)(SAVE)OH|ASK(DO_NOT)把THIS(SAVE)OH
            [你您]不用记(住|得|下来|下)?THIS|THIS[你您]不用记(住|得|下来|下)?""",
        Kind.THIS: """
            ASK(NO(把THIS)?|THISNO)(PUT)(进|到|入)MEMORYOH
            ASK(THIS[你您]?)?NO(SAVE)THIS?OH""",
        Kind.THAT: "(不要|别)LEARNOH",
        Kind.MARKED: "NO(LEARN|保存)",
        Kind.LOOSE: """
            (THIS[你您]?)?(不要|别)(存档|留下?记录|写进去)OH
            (可以|可不可以|能不能|能)[你您]?(不要|别|不)(SAVE)(THIS)?OH
            我?不(想|希望|要)(让)?[你您](SAVE)(THIS)?""",
    },
    statement="我(?=..)|俺|咱|[他她老被]|其实|昨|今|刚|[男女]",
)
JAPANESE = Language(
    words={
        "THIS": """
            (これ|今の|この(こと|話|件)|次の(話|こと)|以下|SAID)の?(こと|話|内容)?[はをも]?、?""",
        "SAID": "今(言った|話した|から(言う|話す))こと",
        "MEMORY": "(記憶|記録|メモリー?)に",
        "LEARN": "(覚え|おぼえ)(とか|ておか|て)?|記憶し|記録し|MEMORY(残さ|入れ)",
        "SAVE": "LEARN|保存し|メモし|メモら",
        "PLEASE": "(ください|下さい|くれ|ほしい(んだ)?(けど)?|おいて|お願い(します)?|ね|よ|な)",
        "BUT": "から|んだ?け(れ)?ど|け(れ)?ど|[ねよ]",
    },
    verbs="覚え|おぼえ|記|メモ|保存|忘れ|オフレコ",
    denials="ない|なく|るな|忘れ|オフ",
    requests={
        Kind.SURE: """
            THIS(SAVE)ないでPLEASE{0,3}|(THIS)?覚えなくても?いい(です)?(BUT){1,2}
            (ここだけの話(だから|なので)|内緒だから)、?(SAVE)ないでPLEASE{0,3}
            (覚え|記憶し|記録し)ないでPLEASE{1,3}
            (これは?|ここからは?|今の話は?)?オフレコ(で(お願い(します)?)?|ね|だよ)
            (これは?|ここからは?|今の話は?)?オフレコ(な(ん|の))?だ(けど|から)""",
        Kind.THIS: "MEMORY(書か|入れ|残さ|保存し|記録し)ないでPLEASE{0,3}",
        Kind.THAT: "(覚え|おぼえ|記憶し|記録し)ないでPLEASE{0,3}",
        Kind.MARKED: "(SAVE)ないで|オフレコ",
        Kind.LOOSE: """
            (SAVE)ないでPLEASE{0,3}|(覚え|おぼえ|記録す|保存す)る?な(?![いくん])
            (覚え|おぼえ)(とか|ておか|て)?なくても?(いい|大丈夫)(です|だ)?(から|けど|[ねよ]){0,2}
            今から(言う|話す)こと[はを]?忘れて(ください|ほしい|[ねよ]){0,2}
            (?<![とはをもの])(あとで|すぐ)?忘れて(ください|ほしい|[ねよ]){0,2}|オフレコ(で|ね)?""",
        Kind.ALONE: """
            (保存し|記憶し|メモし|記録し|覚え)ないでPLEASE{0,3}
            覚えなくても?いい(です)?[よね]?""",
    },
    statement="私|わたし|あたし|僕|ぼく|俺|おれ|うち|実は|昨日|今日|今朝",
)
KOREAN = Language(
    words={
        "THIS": "(이거|이건|이것|이 ?(말|얘기|이야기|메시지)|다음 ?(말|내용))PARTICLE? (제발 )?",
        "PARTICLE": "은|는|을|를",
        "NEVER": " ?(마|말아)(요| ?줘요?| ?주세요|세요)?( (제발|부탁해요?|부탁이야))?",
    },
    verbs="기억|저장|기록|메모리",
    denials="지 ?[마말]",
    requests={
        Kind.SURE: "THIS(기억|저장|기록)하지NEVER",
        Kind.THIS: "(THIS)?(메모리|기억)에 ?(넣지|저장하지|남기지|쓰지)NEVER",
        Kind.ALONE: "(저장|기억|기록)하지NEVER",
    },
    statement="(나[는도]?|난|내|내가|저[는도]?|전|제|제가|우리|회사|남편|남자친구|여자친구) ?",
)
UNSPACED = (CHINESE, JAPANESE, KOREAN)
LANGUAGES = (*SPACED, *UNSPACED)
