"""Recognises the fields in which a message wants something: food, drink, film, pet, trip.

Some words only name the field ("sushi") and count if the message asks for a proposal. Others say by
themselves that something is wanted: "I'm hungry", "movie night!", "recipe please".
"""

# ruff: noqa: RUF001

from collections.abc import Callable, Mapping

from .word_search import search_for

_SOME = r"(?:\w+ ){0,3}"
_NOT = r"(?:(?!not\b|no longer\b)\w+ ){0,2}"
_NAMED = {
    "food": (
        r"snacks?|nibbles|eat|eating|dish(?:es)?|meals?|food|hungry|thai|sushi|curry|potluck|picnic"
        r"|barbecue|\w*bbq\w*|leftovers?|essen|hunger|gerichte?|grillen|comer|botana|tapas?|hambre|barbacoa"
        r"|parrillada|tailandés|chino|italiano|manger|soupers?|collations?|go[uû]ter|faim"
        r"|thaï|apéro|поесть|меню|еду|еды|салат\w*|ужин\w*|шашлык\w*|тайск\w+|вкусн\w+"
        r"|рецепт\w*|recet\w+|recettes?|recipes?|rezepte?",
        "吃|菜|饭|飯|点心|點心|零食|火锅|聚餐|食べ|ごはん|料理|献立|おやつ|美味しい|おいしい|レシピ",
    ),
    "drink": (
        r"drinks?|thirsty|beverage|trinken|durst|getränk\w*|beber|bebida|sed|boire|boisson|soif"
        r"|выпить|попить|напит\w*|пить",
        "喝|飲",
    ),
    "film": (
        r"netflix|hulu|watch|watching|binge|gucken|glotzen|filmabend|pelis?|ver|vemos|regarde\w*"
        r"|ciné|посмотр\w+",
        "片子|电影|電影|[剧劇]|好看|映画|ドラマ|アニメ|[今何]夜?何?(?:見|観)",
    ),
    "trip": (
        r"weekend|day (?:out|trip)|trip|outing|attractions?|sightseeing|date night|getaway|vacation"
        r"|holiday|travel|wochenend\w*|ausflug|unternehmen|reise\w*|urlaub\w*|fin de semana|finde"
        r"|excursi[oó]n|escapada|viaj\w+|week-?end|sortie|voyages?|vacances|выходны\w+|прогул\w+"
        r"|экскурс\w+|поездк\w+|поехать|отпуск\w*",
        "周末|週末|旅|行程|规划去|去哪|デート|出かけ|遊び|玩",
    ),
}
_WANTED = {
    "food": (
        rf"(?:i'?m|we'?re|i am|we are|getting|feeling) {_NOT}(?:hungry|starving|famished|peckish)"
        r"|^(?:so |very |really )?(?:hungry|starving)"
        r"|(?:dinner|lunch|breakfast|supper|brunch|snack|meal|dessert|leftovers?) (?:ideas?|plans?)"
        r"|meal ?plan|recipe|(?:grocery|shopping) list"
        rf"|(?:something|anything) {_SOME}to (?:eat|cook|bake|nibble|munch)"
        r"|(?:need|want|wanna|fancy|crav(?:e|ing)|feel like|mood for|could (?:use|go for))"
        rf" {_SOME}(?:snack|food|bite|eat|eating|dinner|lunch|breakfast|treat)"
        rf"|(?:let'?s|should|shall we|gonna|wanna|going to|want to) {_SOME}"
        r"(?:eat|cook|bake|dine|order (?:in|food|pizza|takeout|takeaway)"
        r"|grab (?:a bite|dinner|lunch))"
        r"|any good (?:\w+ ){0,2}(?:dish(?:es)?|recipes?|restaurants?|food)"
        r"|pack (?:me|us|him|her|them) (?:an? )?(?:lunch|snack|picnic)"
        r"|(?:what|which) (?:\w+ )?(?:can'?t|cannot|shouldn'?t|mustn'?t|may) (?:i|we)(?: not)?"
        r" (?:eat|have)"
        r"|(?:can|may|should) (?:i|we) eat"
        r"|darf ich (?:(?:nochmal|noch|eigentlich|das|davon) )*(?:nich?t?|nix|kein\w*|essen)"
        r"(?= (?:mehr )?essen|\W*$)"
        r"|hunger|rezepte?|(?:essens|wochen|speise)plan|einkaufsliste"
        rf"|(?:was|etwas) {_SOME}(?:essen|esse?n? wir|koche?n?|snacken|naschen|futtern|backe?n?)"
        r"|(?:schnelles|leckeres|einfaches|gutes) gericht|essen,? was nehm\w*"
        r"|(?:qué )?(?:no )?puedo comer|hambre|recetas?|menú|merienda|se me antoja|plan de comidas"
        rf"|(?:qué|que|algo) {_SOME}(?:de (?:cenar|comer|desayunar)|para (?:comer|cenar)|ceno"
        r"|cenamos|comemos|cocino|cocinamos|picar)"
        r"|qué (?:pido|pedimos|llevo|llevamos) (?:en|a|al) (?:el |la |un )?\w+"
        r"|(?:peux|dois) (?:pas )?manger|faim|recettes?|menu de (?:la|cette) semaine|grignoter"
        r"|(?:mange|mangeons|cuisine|cuisines) quoi|quoi (?:\w+ ){0,2}(?:manger|cuisiner|grignoter)"
        r"|(?:prends?|apporte|commande) quoi (?:au|à la|chez)"
        r"|мне (?:нельзя|можно) (?:есть|кушать)|голод(?:ен|на|ная|ный)|хочу (?:есть|кушать)"
        r"|проголодал\w+|рецепт\w*|перекусить"
        rf"|(?:что|чего) {_SOME}(?:поесть|поедим|приготовить|сварить|кушать|заказать)"
        r"|меню на",
        "我(?:不能|能不能|可以)吃|食べられない(?:の|もの)|(?:饿|餓)(?!死鬼)|馋|饞|食谱|食譜|菜谱|菜譜|聚餐|宵夜|夜宵|下厨|下廚"
        "|吃(?:点|點|个|個)?(?:什么|什麼|啥|东西|東西)|做(?:什么|什麼|啥|点|點|顿|頓).{0,2}(?:饭|飯|菜|吃)"
        "|お腹.?(?:すい|空い|減っ|へっ)|(?:はら|腹)(?:減|へ)っ|レシピ|献立|おやつ(?:何|なに|は)"
        "|(?:ご飯|ごはん|飯|夕飯|晩飯|夕食|昼食|朝食|ランチ|弁当).{0,4}(?:何|なに|どう|アイデア|アイディア|考え)"
        "|(?:何|なに).{0,3}(?:食べ(?:よ|る|たら)|作ろう|頼もう)",
    ),
    "drink": (
        rf"(?:i'?m|we'?re|getting) {_NOT}(?:thirsty|parched)"
        r"|(?:need|want|fancy|could use|let'?s (?:get|have|grab)) an? (?:\w+ )?"
        r"(?:drink|beer|cocktail)"
        r"|durst|was (?:\w+ ){0,2}trinken|tengo sed|qué (?:bebo|bebemos|tomamos)|soif|boit quoi"
        r"|хочу пить|что (?:\w+ ){0,2}(?:выпить|попить)",
        "口渴|喝(?:点|點|个|杯)?(?:什么|什麼|啥)|喉.?(?:渇|かわ)|何.?飲(?:も|む)",
    ),
    "film": (
        rf"(?:what|something|anything) {_SOME}(?:watch|stream)(?!ed)|(?:movie|film) night"
        rf"|(?:let'?s|should|gonna|wanna|want to) {_SOME}watch"
        rf"|(?:was|welche[nr]?) {_SOME}(?:gucken|schauen|streamen)|filmabend|welche serie"
        r"|qué (?:vemos|veo|podemos ver)|noche de (?:cine|pelis?)|qué (?:serie|peli\w*)"
        r"|regarde(?:r|ons)? quoi|quoi regarder|soirée (?:ciné|film)|quel(?:le)? (?:film|série)"
        rf"|(?:что|чего) {_SOME}(?:посмотреть|посмотрим|глянуть)|какой (?:фильм|сериал)|вечер кино",
        "看(?:点|點|部|个|個)?(?:什么|什麼|啥)|找.{0,3}(?:东西|東西)看|推荐.{0,3}片|追(?:什么|什麼|啥)"
        "|有(?:什么|什麼|啥)好(?:看|剧|劇|片|电影|電影)|(?:何|なに)を?(?:見|観)(?:る|よ)"
        "|どの(?:ドラマ|映画|アニメ)|映画ナイト",
    ),
    "trip": (
        r"where (?:should|could|can|shall) (?:i|we) (?:go|travel|fly|head)"
        r"|how (?:do|can|should|would) (?:i|we) (?:best )?get (?:to|from)"
        r"|(?:let'?s|want to|wanna) (?:go somewhere|get away|travel)"
        r"|(?:getaway|day trip|road trip|trip|holiday|vacation) ideas?"
        rf"|wohin|wie (?:komme?n?|reise?n?) (?:ich |wir )?{_SOME}nach"
        r"|a ?d[oó]nde (?:voy|vamos|viajo|viajamos)|cómo (?:llego|llegamos) a|escapada"
        r"|(?:pars?|part|vais|va) où|où (?:partir|aller)|comment aller (?:à|au|en|aux)"
        rf"|куда {_SOME}(?:поехать|съездить|полететь|выходные|отпуск)|куда на"
        r"|как (?:добраться|доехать|долететь)",
        "去哪(?!了)|(?:怎么|怎麼)去|(?:规划|規劃|计划|計劃|安排).{0,4}(?:去|旅|行程)"
        "|どこ[にへか]?(?:行こ|行く|遊び)|まで(?:どう|どうやって)行|旅行.{0,4}(?:計画|プラン)",
    ),
    "pet": (
        r"(?:get|getting|adopt(?:ing)?|buy(?:ing)?|rescu(?:e|ing)) (?:me |us |myself )?"
        r"(?:an?|another) (?:\w+ )?(?:pet|cat|kitten|dog|puppy|hamster|rabbit|bunny)"
        r"|(?:katze|hund|haustier|welpen?|kater|hamster) (?:\w+ )?"
        r"(?:anschaffen|holen|zulegen|adoptieren)"
        r"|adoptar (?:un |una )?(?:gat\w+|perr\w+|mascota|conejo)"
        r"|(?:adopter|prendre) (?:un |une )?(?:chat\w*|chien\w*|animal|lapin)"
        r"|завести (?:\w+ )?(?:кошк\w+|кот\w*|собак\w+|щенк\w+|питомц\w+)",
        "(?:养|養|领养|領養)(?:一)?(?:只|隻|条|條|个|個)|(?:猫|犬|ペット|うさぎ)を?(?:飼おう|飼いたい|迎え)",
    ),
}


_NAMED_IN = {field: search_for((words,), rest) for field, (words, rest) in _NAMED.items()}
_WANTED_IN = {field: search_for((words,), rest) for field, (words, rest) in _WANTED.items()}


def fields_named(text: str) -> frozenset[str]:
    """Returns the fields that the text has words of."""
    return _found_by(_NAMED_IN, text)


def fields_wanted(text: str) -> frozenset[str]:
    """Returns the fields in which the text says by itself that something is wanted."""
    return _found_by(_WANTED_IN, text)


def _found_by(searches: Mapping[str, Callable[[str], bool]], text: str) -> frozenset[str]:
    plain = text.replace("’", "'")
    return frozenset([field for field, has in searches.items() if has(plain)])
