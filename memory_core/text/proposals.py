"""Recognises messages that ask for a proposal, and the fields in which they want something.

"Was soll ich kochen?" and "pick a film" ask for a proposal. Some words only name a field ("sushi")
and count if the message asks for one. Others say by themselves that something is wanted: "I'm
hungry", "movie night!", "recipe please".
"""

# ruff: noqa: RUF001

import re

from .patterns import search_either, search_for_each

_START = r"(?:^|[.!?,;:\n])\W*+"
_POLITE_EN = (
    r"(?:(?:please|pls|plz|hey|hi|ok(?:ay)?|so|and|then|now|also|just|go|come on|quick(?:ly)?|can|"
    r"could|would|will|you|u|help me(?: to)?|let['’]?s|i (?:want|need) you to"
    r"|i['’]?d like you to)[\s,]+)*"
)
_VERBS_EN = (
    r"suggest|recommend|order|pick|choose|plan|make|cook|bake|get|bring|fetch|give|find|fix|pour"
    r"|mix"
    r"|whip up|come up with|think (?:up|of)|decide|propose|put (?:together|on)|list|surprise|serve"
    r"|organi[sz]e|prepare|play"
)
# Alternatives that begin with a word.
_ASKS = {
    "en": r"(?:what|where|which)(?: \w+){0,3} (?:should|shall|can|could|might) (?:i|we|you)\b"
    r"|what['’]?s for (?:breakfast|lunch|dinner|supper|tea)\b|(?:any|some|an?) (?:\w+ )?ideas?\b"
    r"|(?:recommendation|suggestion)s?\b|what to (?:eat|cook|drink|watch|read|make|do|order"
    r"|get)\b",
    "de": r"(?:schlag\w*|empf[ie]\w+hl\w*|bestell\w*|koche?|back|mach|such|plane?|bring|gib"
    r"|stelle?|nenne?|denk|überlege?|wähle?|bereite?|organisiere?|spiele?|finde) "
    r"(?:\w+ )?(?:mir|uns|mal|bitte|eine?n?|n|ne|was|ein|dir)\b"
    r"|(?:was|wo|wohin|welche\w*)(?: \w+){0,2} (?:soll\w*|könnt\w*|kann|können)(?: \w+)? (?:ich"
    r"|wir)\b|was (?:soll|könnt|kann|koch|ess|mach)\w*(?: \w+)? (?:ich|wir)\b"
    r"|\w*(?:idee|vorschlag|vorschläge|empfehlung)|schlag\w* .{1,60} vor\b",
    "es": r"(?:recomi[eé]nd|sugi[eé]r|p[ií]d|p[oó]n|haz|hag|prep[aá]r|busc|b[uú]sc|plan[eé]"
    r"|planific"
    r"|[aá]rm|el[ií]j|escog|esc[oó]g|inv[eé]nt|tr[aá]e|s[ií]rv|d[aá]|pi[eé]ns|prop[oó]n|cocin"
    r"|organ[ií]z)\w*(?:me|nos)\b|(?:haz|arma|prepara|propón|propon|planea|sugiere|recomienda|pon"
    r"|elige|piensa|busca)\b"
    r"|qu[eé](?: \w+)? (?:puedo|podemos|podr[ií]a|podr[ií]amos|ceno|cenamos|cocino|hago|hacemos"
    r"|como|comemos|preparo|preparamos|pido|pedimos|vemos|veo|leo|bebo|tomo|debo|me recomiendas)\b"
    r"|(?:a ?d[oó]nde|dime a donde) (?:vamos|llev\w+|voy|puedo|podemos)\b|ideas? (?:de|para)\b"
    r"|dime (?:qu[eé]|d[oó]nde)\b",
    "fr": r"(?:fais|faites|propose|proposez|trouve|trouvez|suggère|suggérez|conseille|conseillez"
    r"|recommande|recommandez|commande|commandez|prépare|préparez|donne|donnez|choisis|choisissez"
    r"|planifie|organise|invente|sers|servez|apporte|apportez|mets|mettez)"
    r"[- ](?:moi|nous|m['’]|ma|mon|une?|des|le|la)\b"
    r"|(?:qu['’]est[- ]ce qu|que |quoi |où )\w*['’ ]?\w*"
    r"(?:pourrais|peux|peut|vais|devrais|mange|cuisine|faire|manger|cuisiner|boire|regarder)\b"
    r"|idées? (?:de|pour)\b|on (?:mange|boit|fait|regarde|cuisine) quoi\b",
    "ru": r"(?:посоветуй|предложи|закажи|собери|составь|придумай|подскажи|выбери|приготовь|сделай"
    r"|дай|накидай|распиши|найди|принеси|налей|спланируй|порекомендуй|включи|поставь|испеки)"
    r"(?:те)?\b|(?:посоветуйте|составьте)\b"
    r"|помоги(?:те)?(?: мне| нам)? (?:выбрать|придумать|подобрать|составить)\b"
    r"|(?:что|чего|ч[еёо]|шо|куда|где)(?: (?:бы|мне|нам|тебе))*(?: \w+)? "
    r"(?:приготовить|поесть|съесть|выпить|попить|посмотреть|почитать|заказать|сходить|поехать"
    r"|сварить|испечь|взять)\b|идеи\b",
}
_ASKS_UNSPACED = (
    "推荐|推薦|建议|建議|[帮幫]我.{0,4}(?:想|点|點|开|開|安排|选|選|挑|做|列|规划|規劃|订|訂|买|買)"
    "|[给給][我].{0,3}(?:点|點|倒|做|列|来|來|泡|放|拿)|[来來](?:个|個|点|點|杯|份|首)|点个|點個|列[个個]"
    "|[吃喝看听聽读讀玩做](?:什么|什麼|啥)|去哪儿?(?:玩|吃|逛)|什么好|什麼好|啥好|想想"
    "|おすすめ|オススメ|お勧め|提案|考えて|教えて|選んで|決めて|作って|出して|ちょうだい|頼んで"
    "|何が(?:いい|良い)|何にし(?:よ|たら)|[飯食晩昼](?:ご飯|ごはん)?(?:は|を)?どうし(?:よ|たら)"
    "|どこ(?:に|へ|か)?行(?:こ|ったら)|注文して|献立|ください|くれ(?:る|ない|ん|$)|リスト|何.{0,3}(?:食べ|飲|作|見|観|読|しよう)"
)
# Of ASCII texts, without the words of other scripts.
_BEGINS = rf"{_START}{_POLITE_EN}(?:{_VERBS_EN})\b"
_IN_ASCII = "|".join(words for language, words in _ASKS.items() if language != "ru")
_SOME = r"(?:\w+ ){0,4}"
_NOT = r"(?:(?!not\b|no longer\b)\w+ ){0,2}"
_NAMED = {
    "food": (
        r"snacks?|nibbles|eat|eating|dish(?:es)?|meals?|food|hungry|thai|sushi|curry|potluck|picnic"
        r"|barbecue|\w*bbq\w*|leftovers?|essen|hunger|gerichte?|grillen|comer|botana|tapas?"
        r"|hambre|barbacoa"
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
    "exercise": (
        r"(?:a|my|long|short|easy|morning|evening) run|jog|jogging|running|work ?outs?"
        r"|exercis\w+|training|[0-9]+k|gym|stretch\w*|yoga"
        r"|trainings?\w*|laufen|joggen|sport\w*|übung\w*|dehn\w*|ejercicios?|entren\w+|correr"
        r"|entra[iî]nements?|exercices?|courir|footing|тренировк\w+|упражнени\w+|пробежк\w+|бегать"
        r"|спорт\w*",
        "运动|運動|跑步|健身|瑜伽|锻炼|鍛煉|拉伸|トレーニング|筋トレ|ジョギング|ストレッチ|ランニング",
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
        r"|(?:what|which)(?: \w+){0,5} (?:can'?t|cannot|shouldn'?t|mustn'?t|not (?:allowed"
        r"|supposed) to"
        r"|(?:has|have) to avoid)(?: \w+){0,3}? (?:eat|eating|have)|(?:what"
        r"|which)(?: \w+){0,3} allergies"
        r"|(?:what|which) (?:\w+ ){0,4}makes? (?:me|us) (?:ill|sick|swell|itch|bloated)"
        r"(?! (?:is|was)\b)"
        r"|(?:what|which) (?:\w+ ){0,2}(?:am i|are we) allergic"
        r"|wovon wird (?:mir|uns) (?:\w+ )?(?:schlecht|übel)|wogegen bin ich (?:\w+ )?allergisch"
        r"|(?:qué|que) (?:\w+ )?(?:me|nos) (?:sienta|cae|hace) mal|a qué soy alérgic\w+"
        r"|qu'est-ce qui me rend malade|(?:à quoi je suis|je suis) allergique (?:à quoi|déjà)"
        r"|на что у меня аллергия|от (?:чего|какой еды) мне (?:плохо|дурно)"
        r"|darf ich (?:(?:nochmal|noch|eigentlich|das|davon) )*(?:nich?t?|nix|kein\w*|essen)"
        r"(?= (?:mehr )?essen|\W*$)"
        r"|was darf (?:\w+ ){0,5}(?:nich?t?|nix) (?:\w+ ){0,2}(?:essen|rein|dran|drin|trinken)"
        r"|(?:was|welche) (?:\w+ ){0,4}nich?t? (?:essen darf|verträgt|vertrag\w*|darf)"
        r"|(?:worauf|gegen was|wogegen) (?:\w+ ){1,4}allergisch|welche allergien"
        r"|hunger|rezepte?|(?:essens|wochen|speise)plan|einkaufsliste"
        rf"|(?:was|etwas) {_SOME}(?:essen|esse?n? wir|koche?n?|snacken|naschen|futtern|backe?n?)"
        r"|(?:schnelles|leckeres|einfaches|gutes) gericht|essen,? was nehm\w*"
        r"|(?:no )?(?:puedo|puede|pueden|podemos) comer|(?:qué|que|q) alergias"
        r"|alergias (?:qué|que|q)"
        r"|a (?:qué|que|q) (?:\w+ )?(?:es|eres|somos) al[eé]rgic\w+|hambre|recetas?|menú"
        r"|merienda|se me antoja|plan de comidas"
        rf"|(?:qué|que|algo) {_SOME}(?:de (?:cenar|comer|desayunar)|para (?:comer|cenar)|ceno"
        r"|cenamos|comemos|cocino|cocinamos|picar)"
        r"|qué (?:pido|pedimos|llevo|llevamos) (?:en|a|al) (?:el |la |un )?\w+"
        r"|(?:peu[xt]|doi[st]|doivent|peuvent) (?:pas |plus )?manger|quelles? allergies?|faim"
        r"|recettes?|menu de (?:la|cette) semaine|grignoter"
        r"|(?:mange|mangeons|cuisine|cuisines) quoi|quoi (?:\w+ ){0,2}(?:manger|cuisiner|grignoter)"
        r"|(?:prends?|apporte|commande) quoi (?:au|à la|chez)"
        r"|(?:нельзя|можно) (?:есть|кушать)|что (?:\w+ ){1,3}нельзя"
        r"|на что (?:\w+ ){1,3}аллергия|голод(?:ен|на|ная|ный)|хочу (?:есть|кушать)"
        r"|(?:есть|кушать|жрать) (?:хочу|хочется|охота)|(?:хочу|хочется|охота) жрать"
        r"|проголодал\w+|рецепт\w*|перекусить"
        rf"|(?:что|чего) {_SOME}(?:поесть|поедим|приготовить|сварить|кушать|заказать)"
        r"|меню на",
        "[对對](?:什么|什麼|啥|哪).{0,3}[过過]敏|(?:何|なに)(?:の)?アレルギー|アレルギー.{0,3}(?:何|なん|っけ)"
        "|我(?:不能|能不能|可以)吃|不(?:能|可以)吃(?:什么|什麼|啥|哪)|(?:什么|什麼|啥|哪些).{0,2}不(?:能|可以)吃"
        "|食べら?れない(?:の|も[のん]|やつ)|食べ(?:ちゃ|たら)(?:だめ|ダメ|いけない|あかん)(?:な|や|の|もの|って)|(?:饿|餓)(?!死鬼)|馋"
        "|(?:咋|怎么|怎麼)(?:点|點)(?:餐|菜|单|單|好|[?？]|$)|(?:点|點)(?:什么|什麼|啥)(?:菜|吃|好|[?？]|$)"
        "|(?:火锅|火鍋|烧烤|燒烤|烤肉|麻辣[烫燙]|串).{0,2}走起"
        "|饞|食谱|食譜|菜谱|菜譜|聚餐|宵夜|夜宵|下厨|下廚"
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
        "口渴|[整来來](?:点|點|杯|两杯|兩杯)(?:小)?酒|喝(?:点|點|个|杯)?(?:什么|什麼|啥)|喉.?(?:渇|かわ)|何.?飲(?:も|む)",
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
    "exercise": (
        rf"(?:want|wanna|gonna|going|let'?s|should|shall|fancy|feel like|off) {_SOME}"
        r"(?:for a (?:run|jog|swim|hike)|running|jogging|work(?:ing)? ?out|to the gym|exercise)"
        rf"|(?:will|geh\w*|könnte|sollte|lust) {_SOME}"
        r"(?:laufen|joggen|ins (?:gym|fitness\w*)|trainieren|wandern)"
        rf"|(?:voy|quiero|debería|salgo|vamos) {_SOME}(?:correr|trotar|gimnasio|gym|entrenar)"
        rf"|(?:vais|veux|envie) {_SOME}(?:courir|footing|à la salle|m'entraîner)"
        rf"|(?:хочу|пойду|собираюсь) {_SOME}(?:бегать|пробежку|в зал|побегать|потренироваться)",
        "(?:想|要|准备|準備|打算)去?(?:跑|健身|锻炼|鍛煉|练瑜伽|練瑜伽|爬山)"
        "|(?:走り|筋トレし|ジムに?行|運動し|ジョギングし)(?:たい|よう|こう|てくる|てこよう)",
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

# Reports whether a text asks for something to be proposed, fetched or prepared.
asks_for_a_proposal = search_either(
    re.compile(rf"\b(?:{_IN_ASCII})|{_BEGINS}", re.MULTILINE),
    re.compile(rf"\b(?:{'|'.join(_ASKS.values())})|{_BEGINS}|{_ASKS_UNSPACED}", re.MULTILINE),
)
# Returns the fields that a text has words of.
fields_named = search_for_each(_NAMED)
# Returns the fields in which a text says by itself that something is wanted.
fields_wanted = search_for_each(_WANTED)
