"""Memories over time as bars, and by meaning as a map of points."""

from collections.abc import Collection, Mapping, Sequence

from ....domain.records import Memory
from ....memory.meaning_map import MapPoint
from ....storage.listing import NO_MONTH
from ..common.markup import escaped, paragraph
from ..common.wording import month_name
from .cards import CardParts, one_line

_WIDTH, _HEIGHT, _EDGE = 1000, 560, 24
_SHADES = 6


def timeline_html(months: Mapping[str, int], parts: CardParts) -> str:
    """Returns a bar for each month, the newest first; a click narrows the list to it."""
    words = parts.words
    dated = sorted((month for month in months if month != NO_MONTH), reverse=True)
    if not dated:
        return paragraph(words["timeline_empty"], "ltm-empty")
    maximum = max(months[month] for month in dated)
    rows = "".join(_bar(month, months[month], maximum, parts) for month in dated)
    undated = months.get(NO_MONTH, 0)
    note = escaped(words("timeline_undated", count=undated)) if undated else ""
    return (
        f'<p class="ltm-muted">{escaped(words["timeline_help"])}</p>'
        f'<ol class="ltm-timeline">{rows}</ol><p class="ltm-muted">{note}</p>'
    )


def _bar(month: str, count: int, maximum: int, parts: CardParts) -> str:
    name, width = month_name(month, parts.words), max(1.0, 100 * count / maximum)
    button = parts.button("filter", name, field="month", value=month)
    number = escaped(parts.words("month_count", count=count))
    return (
        f'<li>{button}<span class="ltm-bar" aria-hidden="true">'
        f'<i style="width:{width:.1f}%"></i></span><span class="ltm-muted">{number}</span></li>'
    )


def map_html(points: Sequence[MapPoint], found: Collection[str] | None, parts: CardParts) -> str:
    """Returns the map; the arrow keys move from point to point.

    `found` are the ids to highlight; None highlights all.
    """
    words = parts.words
    if not points:
        return paragraph(words["map_empty"], "ltm-empty")
    points = sorted(points, key=lambda point: point.x)
    shades = _shades([point.memory for point in points])
    dots = "".join(
        _dot(point, shade, parts, is_found=found is None or point.memory.id in found)
        for point, shade in zip(points, shades, strict=True)
    ).replace('tabindex="-1"', 'tabindex="0"', 1)
    legend = "".join(
        f'<i class="ltm-shade-{shade}" aria-hidden="true"></i>' for shade in range(_SHADES)
    )
    return (
        f'<p class="ltm-muted">{escaped(words("map_help", count=len(points)))}</p>'
        f'<svg class="ltm-map" id="ltm-map" viewBox="0 0 {_WIDTH} {_HEIGHT}" role="group" '
        f'aria-label="{escaped(words["view_map"])}">{dots}</svg>'
        f'<p class="ltm-row ltm-muted ltm-legend"><span>{escaped(words["map_older"])}</span>'
        f"{legend}<span>{escaped(words['map_newer'])}</span></p>"
    )


def _dot(point: MapPoint, shade: int, parts: CardParts, *, is_found: bool) -> str:
    """Returns a point as a link, which the keyboard reaches, with the data of a button."""
    x = _EDGE + point.x * (_WIDTH - 2 * _EDGE)
    y = _EDGE + point.y * (_HEIGHT - 2 * _EDGE)
    name = escaped(one_line(point.memory, parts.words))
    button = parts.button("open", "", memory_id=point.memory.id)
    data = button.removeprefix('<button type="button" class="ltm-button" ').partition(">")[0]
    style = f"ltm-point ltm-shade-{shade}" + ("" if is_found else " ltm-faint")
    return (
        f'<a class="{style}" tabindex="-1" role="button" aria-label="{name}" '
        f'{data}><circle cx="{x:.0f}" cy="{y:.0f}" r="7"><title>{name}</title></circle></a>'
    )


def _shades(memories: Sequence[Memory]) -> list[int]:
    """Returns a shade for each memory by age; each shade has equally many memories."""
    oldest_first = sorted(range(len(memories)), key=lambda index: memories[index].ts or 0.0)
    shades = [0] * len(memories)
    for rank, index in enumerate(oldest_first):
        shades[index] = rank * _SHADES // len(memories)
    return shades
