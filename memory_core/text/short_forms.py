"""Lists words that stand for each other in everyday chat: "bday" and "birthday"."""

from collections.abc import Mapping
from functools import cache

from .search_terms import terms

_GROUPS = """
bday birthday
appt appointment
apt apartment
bf boyfriend
gf girlfriend
doc doctor dr
meds medication
uni university
prof professor
hw homework
sis sister
bro brother
grandma granny nana gran grandmother
grandpa grandad granddad gramps grandfather
mum mom mummy mommy mother
dad daddy father
hubby husband
wifey wife
fave fav favourite favorite
colour color
tv telly television
fridge refrigerator
bike bicycle
pw password
info information
xmas christmas
vacay vacation holiday
cumple cumpleaños
peli película
cole colegio
profe profesor profesora
bici bicicleta
mama madre
papa padre
anniv anniversaire
appart appartement
ordi ordinateur
resto restaurant
boulot travail
oma großmutter
opa großvater
mama mutter
papa vater
arzt doktor
универ университет
комп компьютер
бабуля бабушка
мама мать
папа отец
"""


def same_words(term: str) -> tuple[str, ...]:
    """Returns the other search terms of the same meaning."""
    return _table().get(term, ())


@cache
def _table() -> Mapping[str, tuple[str, ...]]:
    table: dict[str, tuple[str, ...]] = {}
    for line in _GROUPS.split("\n"):
        group = dict.fromkeys(terms(line))
        for term in group:
            others = (other for other in group if other != term)
            table[term] = tuple(dict.fromkeys((*table.get(term, ()), *others)))
    return table
