"""Chat spellings of words that say nothing alone: "q" for "que", "jsuis" for "je suis"."""

from collections.abc import Mapping

# By language, each stop word with its spellings. A name or a term of another language may be among
# them ("pk", "tb"), so they count in a message of their own language alone. English abbreviates no
# more than the stop words do: there, "n" and "w" helped less than they cost.
BY_LANGUAGE: Mapping[str, Mapping[str, str]] = {
    "de": {
        "nicht": "net ned ni",
        "nichts": "nix nüscht",
        "eine": "nen ner",
        "habe": "hab ham hamm",
        "hast du": "haste",
        "bist du": "biste",
        "kannst du": "kannste",
        "auf": "aufm aufn aufs",
        "in": "inner inne",
        "an": "anner anne",
        "von": "vonner vonnem",
        "aus": "ausm ausn",
        "für": "fürn füs",
        "so ein": "son sone",
        "weil": "weils",
        "aber": "aba",
        "oder": "oda",
    },
    "es": {
        "que": "q qe k ke",
        "porque": "xq pq xk porq",
        "también": "tb tmb tbn tmbn",
        "por": "x",
        "como": "cm cmo",
        "está": "ta sta",
        "estoy": "toy",
    },
    "fr": {
        "je suis": "jsuis jsui chuis chui",
        "j'ai": "jai g jé",
        "j'avais": "javais",
        "je me": "jme",
        "je te": "jte",
        "je le": "jle jla jles",
        "je lui": "jlui",
        "je": "jvais jfais jsais",
        "c'est": "cest c cé",
        "c'était": "cetait cétait ct",
        "il y a": "ya",
        "que": "q k ke",
        "pourquoi": "pk pkoi",
        "quoi": "koi",
        "quand": "qd kan",
        "avec": "ac",
        "nous": "ns",
        "vous": "vs",
    },
    "ru": {
        "что": "че чо шо што",
        "тебя": "тя",
        "меня": "мя",
        "только": "ток тока",
        "когда": "када",
        "сколько": "скока скок",
        "ещё": "ещо",
        "тоже": "тож",
        "может быть": "мб",
        "очень": "оч",
    },
}
