"""How Portuguese, Italian, Polish and Korean ask for an overview; see overview_words.py."""

# ruff: noqa: RUF001  (curly quotes)

_VC = r"(?:(?:você|voce|vc|cê|tu) )?"
_QUE = r"(?:(?:o|do|sobre o) )?(?:que|q)(?: é que)?"
_KNOW_PT = r"(?:sabes?|(?:se |te )?lembras?|guardou|guardaste|aprendeu)"
_ABOUT_PT = rf"""
    (?:oi )?{_QUE} {_VC}(?:(?:já|ainda|mais) )?{_KNOW_PT} (?:tudo )?(?:sobre|de|acerca de) mim
    |{_VC}(?:ainda )?(?:se )?lembra(?:s|-te)? de mim|quem (?:sou eu|eu sou)
    |(?:me )?(?:diz|diga|fala|fale|conta|conte)(?:-me)? (?:tudo )?{_QUE} {_VC}{_KNOW_PT}
        \s(?:sobre|de) mim"""
_LAST_PT = rf"""
    (?:{_QUE}|(?:de|sobre) (?:que|q|quê)) (?:(?:a gente|nós) )?
        (?:falou|falamos|falámos|conversou|conversamos)(?: sobre)?
        (?: (?:(?:da|na|pela) última vez|antes|ontem))?
    |onde (?:(?:é que|a gente|nós) )*(?:parou|paramos|ficamos|ficámos)"""
_KNOW_IT = r"(?:sai|(?:ti )?ricordi)"
_ABOUT_IT = rf"""
    (?:ciao )?(?:che cosa|cosa|che) {_KNOW_IT} (?:ancora )?(?:di|su|su di) me
    |ti ricordi (?:ancora )?di me
    |(?:dimmi|raccontami|elenca) (?:tutto )?(?:quello|ciò|quel) che {_KNOW_IT} (?:di|su|su di) me
    |chi sono(?: io)?|quanto (?:bene )?mi conosci"""
_LAST_IT = r"""
    (?:di )?(?:che cosa|cosa|che) (?:abbiamo|avevamo) parlato
        (?: (?:l['’]ultima volta|la volta scorsa|prima|ieri))?
    |dove (?:eravamo|siamo|ci siamo|ci eravamo) (?:rimasti|fermati|arrivati)"""
_KNOW_PL = r"(?:wiesz|pamiętasz|pamietasz)"
_ABOUT_PL = rf"""
    (?:cześć )?co (?:(?:ty|jeszcze|już|właściwie) )*{_KNOW_PL}(?: jeszcze)? o mnie
    |co (?:ty )?o mnie (?:(?:jeszcze|już) )?{_KNOW_PL}|kim (?:ja )?jestem
    |(?:czy )?(?:jeszcze )?(?:mnie {_KNOW_PL}|{_KNOW_PL} mnie)(?: jeszcze)?
    |(?:powiedz|opowiedz)(?: mi)? (?:wszystko )?co (?:o mnie {_KNOW_PL}|{_KNOW_PL} o mnie)"""
_LAST_PL = r"""
    o czym (?:ostatnio )?(?:rozmawia|gada)(?:liśmy|łyśmy)
        (?: (?:ostatnio|(?:ostatnim|poprzednim) razem|wczoraj|wcześniej))?
    |na czym (?:ostatnio )?(?:skończyliśmy|skończyłyśmy|stanęło|stanęliśmy)"""
_KNOW_KO = (
    r"(?:알아|아세요|알고 ?(?:있어|있니|계세요|있나요)"
    r"|기억(?:해|하니|나|하고 ?있어|하세요|나니))요?"
)
_ABOUT_KO = rf"""
    (?:(?:너는?|넌|혹시|안녕) )*(?:나|저)에 ?(?:대해서?|관해서?) ?
        (?:(?:뭐|뭘|뭐를|무엇을|무얼|어떤 걸|얼마나|아직|다) ?)*{_KNOW_KO}
    |(?:(?:너는?|넌|혹시|아직도?) )*(?:나|저)를? ?(?:아직도? ?)?기억(?:해|하니|나|하세요)요?
    |(?:내가|나|제가) 누구(?:야|지|예요|인지 알아)
    |(?:나|저)에 ?(?:대해서?|관해서?) (?:아는|기억하는) (?:거|걸|것|것을|게)\s?
        (?:(?:다|전부|모두) ?)?(?:(?:말해|얘기해|알려)(?: ?줘| ?줄래| ?봐| ?주세요)?|뭐야|있어)"""
_LAST_KO = r"""
    (?:우리가? )?(?:(?:지난 ?번에?|저번에?|어제|마지막(?:에|으로)|전에|최근에) )?(?:우리가? )?
        (?:무슨|어떤|뭔) (?:얘기|이야기|대화)(?:를)? ?
        (?:했|나눴|했었|하고 있었)(?:지|어|더라|나|죠)요?
    |(?:우리 )?어디까지 (?:얘기|이야기|말)?(?:했|했었)(?:지|더라|어|죠)요?"""
ABOUT_USER = (_ABOUT_PT, _ABOUT_IT, _ABOUT_PL, _ABOUT_KO)
LAST_CHATS = (_LAST_PT, _LAST_IT, _LAST_PL, _LAST_KO)
