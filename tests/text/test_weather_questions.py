"""Questions about the weather are told from talk about it, and from questions about plans."""

from memory_core.text.weather_questions import asks_about_weather
from tests.cases import for_each


@for_each(
    "text",
    [
        "will it rain tomorrow",
        "what's the weather tomorrow",
        "how cold will it be on Sunday?",
        "wie wird das wetter morgen",
        "Regnet es morgen?",
        "wird es am samstag schneien",
        "va a llover mañana?",
        "qué tiempo hará el sábado",
        "mañana hará frío?",
        "il va pleuvoir demain ?",
        "c'est quoi la météo demain",
        "завтра будет дождь?",
        "какая погода в субботу",
        "明天会下雨吗",
        "明天天气怎么样",
        "周六冷不冷",
        "今晚会下雨吗",
        "周五会很热吗",
        "Is it sunny tomorrow?",
        "Will the weekend be sunny?",
        "Is it freezing on Sunday?",
        "hará buen tiempo mañana?",
        "quel temps fera-t-il demain ?",
        "明日雨降る？",
        "明日雨？",
        "明日の天気は？",
        "明日傘いる？",
        "завтра зонт брать?",
        "сколько градусов завтра",
    ],
)
def test_question_about_the_weather_is_recognised(text: str) -> None:
    assert asks_about_weather(text)


@for_each(
    "text",
    [
        "what am I doing tomorrow",
        "will it rain on my wedding tomorrow?",
        "are we still on for tomorrow if it rains?",
        "what did we plan for tomorrow if the weather is bad?",
        "du hast gesagt, dass es morgen regnet",
        "hab ich morgen was vor?",
        "tengo algo mañana?",
        "j'ai quelque chose demain ?",
        "у меня завтра что-нибудь есть?",
        "我明天有什么安排吗",
        "你不是说你讨厌下雨吗",
        "小雨明天来吗",
        "周五聚会热闹吗",
        "昨天的音乐会很热闹吗",
        "周末的聚会冷清吗",
        "昨天的晚会很热闹吗",
        "Is Sunny coming on Friday?",
        "Will the freezer arrive tomorrow?",
        "Will it be nice at the party on Friday?",
        "Is it a nice restaurant on Friday?",
        "Hace tiempo fueron a Roma en mayo",
        "Quel temps a fait Paul au marathon dimanche ?",
        "What did Anna say about the weather on Monday?",
        "明後日の天気より俺の予定教えて",
        "у кого мой зонт",
        "傘どこに置いたっけ",
    ],
)
def test_question_about_plans_is_none_about_the_weather(text: str) -> None:
    assert not asks_about_weather(text)
