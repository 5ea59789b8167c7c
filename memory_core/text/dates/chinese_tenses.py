"""Chinese words that tell the tense around a date. There are no forms of verbs to go by."""

from .tenses import Tenses

_DOING = (
    r"去(?!年)|来|见|飞|考试|考|开会|开学|开始|放假|回|出发|上班|上课|加班|出差|搬家|结婚|毕业|面试"
    r"|比赛|旅行|旅游|吃|买|看|做|干|走|(?<![还只没所])有|(?<![还但于只可不])是|交|(?<![只重主])要"
    r"|会(?![议员])|能|(?<![觉记])得|想(?![起念])|需要|必须|应该|一起|聚"
)

TENSES = Tenses(
    surely_ahead=r"(?:就|快)?要(?![了求])[^了，。]{0,6}了|快到|到时候|打算|准备|计划|将|提醒|就要|会[^，。]{1,12}的[\s。！]*$",  # noqa: RUF001
    back=r"了(?!解|不)|那次|那天|[过说]|记得|上次|之前|曾|\w的[\s。？?!！]*$",  # noqa: RUF001
    ahead=_DOING,
)
