"""Statements that name somebody whom a memory mentions."""

from memory_core.recall.known_names import names_somebody
from tests.cases import for_each

OWN = ("Ana", "Mira")


@for_each(
    ("message", "memory"),
    [
        ("Jo passed!!", "My cousin Jo is training to be a midwife"),
        ("Ty got fired", "a man at work called Ty steals my lunch"),
        ("lena turns seven tomorrow", "My daughter Lena is six"),
        ("с Ленкой поругались", "моя подруга Ленка переезжает"),
        ("Гриша заболел", "у соседа дяди Гриши пёс"),
        ("Torben war krank heute", "Im Chor sitze ich neben Torben"),
        ("inès est revenue", "ma collègue Inès attend des jumeaux"),
        ("met arthur today", "arthur is my cousin btw"),
        ("saw arthur", "my best friend arthur lives in york"),
        ("gary yelled at us", "my boss is called gary"),
        ("gwyneth is dying i think", "bought a monstera and i called her gwyneth"),
        ("dom passed his driving test", "hes on lamotrigine, his names dom"),
        ("rüdiger springt nich an. super", "er heißt jetzt rüdiger"),
        ("minouche est malade", "on a une petite chatte, je l'ai appelée minouche"),
        ("тузик убежал", "щенка назвали тузик"),
        ("встретила артура", "мой брат артур приехал"),
        ("torben hat angerufen", "mein bruder torben wohnt in kiel"),
        ("quedé con noelia", "mi prima noelia se casa"),
        ("ida has a fever", "my kids leo and ida start school"),
        ("ramen threw up", "we have 2 cats, miso & ramen"),
        ("mia schläft nicht", "ich hab zwei kinder, jonas (4) und mia (2)"),
        ("vega no quiere comer", "tengo dos hijos, mateo de 9 y vega de 6"),
        ("antoine a appelé", "j'ai un fils, antoine, à lyon"),
        ("今天碰到老周", "隔壁老周养了两只画眉"),
        ("阿强回来了", "我表弟阿强开了家修车店"),
        ("馒头又吐了", "我捡了只三花，取名叫馒头"),
    ],
)
def test_statement_names_somebody_of_a_memory(message: str, memory: str) -> None:
    assert names_somebody(message, OWN, ["The weather was fine.", memory])


@for_each(
    ("message", "memory"),
    [
        ("Mira did it again", "I told my friend Mira about it"),  # the listener
        ("no way", "she said No again"),
        ("ok", "my boss Ok said so"),
        ("der Kaffee steht da", "Ich trinke gern Kaffee"),
        ("immer noch Regen", "es war Regen angesagt"),
        ("我老公回来了", "我老公在深圳"),
        ("好好休息一小时", "等了一小时"),
        ("it rained", "My cousin Jo is training"),
        ("my boss said no", "my boss said i could go"),
        ("my dog ate it", "my dog ate a sock"),
        ("it was in leeds", "got a sister, works in leeds"),
        ("今天好高兴", "高兴是我朋友"),
        ("周末加班", "老板叫周末加班"),
        ("马上到家", "马上是我妹妹生日"),
        ("周末下雨", "周末是我同事的婚礼"),
        ("白天好困", "我老师叫白天，真的"),
        ("夏天来了", "夏天是我好朋友"),
        ("李雷来了", "我和李雷吵架了，他是我同事"),
        ("我饿了", "李雷是我同事"),
        ("不知道怎么办", "我的名字叫不知道"),
    ],
)
def test_common_word_or_own_name_names_nobody(message: str, memory: str) -> None:
    assert not names_somebody(message, OWN, [memory])
