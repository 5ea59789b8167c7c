"""Draws an intake as HTML: examined, in progress, done, undone or refused."""

from collections.abc import Callable, Mapping, Sequence

from ....admin.importers.dropped_files import UNNAMED
from ....admin.importers.engine import ImportResult
from ....admin.importers.survey import OriginCounts, Survey
from ....admin.intake import IntakePhase
from ....domain.namespaces import Namespace
from ....text.locales import Words
from ..common.actions import button_html
from ..common.markup import (
    bullets,
    card,
    escaped,
    first_of,
    folded,
    paragraph,
    progress_bar,
    row,
)
from ..common.visible_namespaces import character_label, labels_among
from ..common.wording import day_text
from . import restore_html
from .intake_view import (
    FIELD,
    IntakeView,
    close,
    duration_text,
    formats_html,
    left_out,
    postponed,
    reasons,
)

_MAX_NAMES = 4
_MAX_FILES = 50
_FEW_FILES = 8
_SHORT_S = 3.0


def intake_html(view: IntakeView) -> str:
    """Returns the card of the current state, or an empty text without an intake."""
    return _CARDS[view.status.phase](view)


def _reading(view: IntakeView) -> str:
    words = view.words
    names = words["list_comma"].join(view.status.names)
    return _counting(words("reading_files", names=names), view)


def _counting(title: str, view: IntakeView) -> str:
    """Returns the card of files that are read for the first time, so that their end is unknown."""
    words, progress = view.words, view.status.progress
    so_far = words("counted_so_far", exchanges=progress.exchanges, chats=progress.chats)
    bar = progress_bar(words["importing_bar"])
    return card(title, paragraph(so_far if progress.chats else ""), bar, _cancel(view))


def _chats_found(view: IntakeView) -> str:
    words, found = view.words, view.status.survey
    if found is None:
        return ""
    title = words("found_title", names=words["list_comma"].join(view.status.names))
    return card(
        title,
        paragraph(_found_text(found, words), "ltm-big"),
        paragraph(_time_text(view, found)),
        folded(words["warnings_title"], bullets(found.warnings)) if found.warnings else "",
        _each_file("each_file_holds", _found_each(found, words), words),
        left_out(view),
        _owners(view, found),
    )


def _found_each(found: Survey, words: Words) -> list[str]:
    """Returns what each file holds, if there are several."""
    if len(found.origins) < 2:
        return []
    return [
        words("label_and_value", label=origin, value=_counts_text(counts, words))
        for origin, counts in found.origins.items()
    ]


def _counts_text(counts: OriginCounts, words: Words) -> str:
    """Returns the numbers of a file, and its characters if it names them."""
    parts = []
    if counts.exchanges:
        numbers = {"exchanges": counts.exchanges, "chats": counts.chats}
        parts.append(words("found_each_chats", **numbers))
    if counts.notes:
        parts.append(words("found_each_notes", count=counts.notes))
    named = [space for space in counts.namespaces if space.character != UNNAMED]
    if parts and named:
        owners = sorted(named, key=lambda space: space.label)
        parts.append(words("found_each_of", names=_names(owners, words)))
    return words["list_comma"].join(parts) or words["found_each_nothing"]


def _each_file(title: str, texts: Sequence[str], words: Words) -> str:
    """Returns a list with a line for each file; a long one is folded."""
    if not texts:
        return ""
    shown = bullets(first_of(texts, _MAX_FILES, words))
    return folded(words(title, count=len(texts)), shown, is_open=len(texts) <= _FEW_FILES)


def _found_text(found: Survey, words: Words) -> str:
    texts = []
    if found.exchanges:
        chats = sum(counts.chats for counts in found.origins.values()) or found.chats
        texts.append(words("found_counts", exchanges=found.exchanges, chats=chats))
    if found.notes:
        texts.append(words("found_notes", count=found.notes))
    if found.first_ts is not None and found.last_ts is not None:
        texts.append(_dates_text(found.first_ts, found.last_ts, words))
    return words["sentence_gap"].join(texts)


def _dates_text(first_ts: float, last_ts: float, words: Words) -> str:
    first, last = day_text(first_ts, words), day_text(last_ts, words)
    if first == last:
        return words("found_day", day=first)
    return words("found_dates", first=first, last=last)


def _time_text(view: IntakeView, found: Survey) -> str:
    words, texts = view.words, []
    if found.undated:
        texts.append(words("found_undated", count=found.undated))
    if found.writing_s >= _SHORT_S:
        texts.append(words("found_time", time=duration_text(found.writing_s, words)))
    if view.status.embedding_s and view.status.embedding_s >= _SHORT_S:
        time = duration_text(view.status.embedding_s, words)
        texts.append(words("found_embedding", time=time))
    return words["sentence_gap"].join(texts)


def _owners(view: IntakeView, found: Survey) -> str:
    """Returns the owners of the new memories, a field for an unknown one, and the buttons."""
    words = view.words
    named = [space for space in found.namespaces if space.character != UNNAMED]
    says = "becomes_in_part" if view.status.unnamed else "becomes"
    known = paragraph(words(says, names=_names(named, words))) if named else ""
    whose = words["becomes_whose_rest" if named else "becomes_whose"]
    ask = _character_field(view, whose) if view.status.unnamed else ""
    start = button_html(FIELD, "import_start", words["import_start"], style="primary")
    return (
        f'<div data-ltm-form="whose">{known}{_foreign_users(view, found)}{ask}'
        + paragraph(view.notice, "ltm-alert")
        + row(start, button_html(FIELD, "dismiss", words["put_aside"]))
        + "</div>"
    )


def _foreign_users(view: IntakeView, found: Survey) -> str:
    """Returns a warning that files name somebody else as the user, or ""."""
    users = sorted({space.user for space in found.namespaces if space.user} - {view.user})
    if not (view.user and users):
        return ""
    names = view.words["list_comma"].join(users[:_MAX_NAMES])
    return paragraph(view.words("foreign_users", names=names, user=view.user), "ltm-alert")


def _character_field(view: IntakeView, whose: str) -> str:
    words = view.words
    options = "".join(f'<option value="{escaped(name)}"></option>' for name in view.characters)
    return (
        f'<p><label class="ltm-label" for="ltm-whose">{escaped(whose)}</label>'
        f'<input id="ltm-whose" class="ltm-input" name="character" maxlength="100" '
        f'list="ltm-characters" autocomplete="off" value="{escaped(view.chosen)}">'
        f'<datalist id="ltm-characters">{options}</datalist>'
        f'<span class="ltm-muted">{escaped(words["becomes_help"])}</span></p>'
        + _character_of_each(view)
    )


def _character_of_each(view: IntakeView) -> str:
    """Returns a field for each of several files that name no character."""
    words, unnamed = view.words, view.status.unnamed
    if not 1 < len(unnamed) <= _MAX_FILES:
        return ""
    fields = "".join(
        f'<p><label class="ltm-label" for="ltm-whose-{number}">{escaped(origin)}</label>'
        f'<input id="ltm-whose-{number}" class="ltm-input" name="character-{number}" '
        f'maxlength="100" list="ltm-characters" autocomplete="off"></p>'
        for number, origin in enumerate(unnamed)
    )
    return folded(
        words["becomes_each"], paragraph(words["becomes_each_help"], "ltm-muted") + fields
    )


def _names(spaces: Sequence[Namespace], words: Words) -> str:
    names = words["list_comma"].join(map(labels_among(spaces, words), spaces[:_MAX_NAMES]))
    more = len(spaces) - _MAX_NAMES
    return words("becomes_more", names=names, count=more) if more > 0 else names


def _importing(view: IntakeView) -> str:
    if view.status.result is None and not view.status.survey:
        return _counting(view.words["importing_title"], view)
    words, progress = view.words, view.status.progress
    counts = words(
        "importing_counts",
        exchanges=progress.exchanges,
        chats=progress.chats,
        of_exchanges=progress.total_exchanges,
        of_chats=progress.total_chats,
    )
    left = progress.remaining_s
    time = words("importing_left", time=duration_text(left, words)) if left is not None else ""
    return card(
        words["importing_title"],
        paragraph(f"{counts} {time}"),
        progress_bar(words["importing_bar"], progress.exchanges, progress.total_exchanges),
        _cancel(view),
    )


def _cancel(view: IntakeView) -> str:
    if view.status.is_cancelling:
        return paragraph(view.words["cancelling"], "ltm-muted")
    return row(button_html(FIELD, "cancel", view.words["intake_cancel"]))


def _imported(view: IntakeView) -> str:
    words, result = view.words, view.status.result
    if result is None:
        return ""
    count = result.new_count
    each = {space: len(ids) for space, ids in result.new_ids.items() if ids}
    return card(
        _imported_title(result, count, words),
        bullets(_each_text(each, words)) if len(each) > 1 else "",
        paragraph(_result_text(result, words)),
        _each_file("each_file_gave", _imported_each(result, words), words),
        left_out(view),
        paragraph(view.notice, "ltm-alert"),
        _take_back(count, words) if count else "",
        close(words),
        kind="ltm-good",
    )


def _imported_title(result: ImportResult, count: int, words: Words) -> str:
    if result.cancelled:
        return words("imported_stopped", count=count)
    owners = [space for space, ids in result.new_ids.items() if ids]
    if len(owners) == 1:
        return words("imported_title_one", name=character_label(owners[0], words), count=count)
    return words("imported_title", count=count) if count else words["imported_none"]


def _imported_each(result: ImportResult, words: Words) -> list[str]:
    """Returns the number of memories that each file gave, if there are several."""
    if len(result.origins) < 2:
        return []
    return [
        words("imported_from" if count else "imported_nothing_from", name=origin, count=count)
        for origin, count in result.origins.items()
    ]


def _each_text(each: Mapping[Namespace, int], words: Words) -> list[str]:
    most, label = sorted(each.items(), key=lambda pair: -pair[1]), labels_among([*each], words)
    return [
        words("imported_each", name=label(space), count=count)
        for space, count in most[: _MAX_NAMES * 5]
    ]


def _result_text(result: ImportResult, words: Words) -> str:
    known = result.exchanges - result.added - result.changed
    parts = {
        "imported_notes": result.notes,
        "imported_known": known,
        "imported_changed": result.changed,
        "imported_removed": result.removed,
    }
    texts = [words(key, count=count) for key, count in parts.items() if count > 0]
    texts.append(words("imported_took", time=duration_text(result.elapsed_s, words)))
    texts += [words["imported_next"]] if result.added or result.notes else []
    return words["sentence_gap"].join(texts)


def _take_back(count: int, words: Words) -> str:
    sure = button_html(FIELD, "take_back", words["take_back_sure"], style="danger")
    return folded(words["take_back"], paragraph(words("take_back_help", count=count)) + row(sure))


def _taking_back(view: IntakeView) -> str:
    return card(view.words["taking_back"], progress_bar(view.words["importing_bar"]))


def _taken_back(view: IntakeView) -> str:
    words = view.words
    return card(words("taken_back", count=view.status.taken_back), close(words), kind="ltm-good")


def _failed(view: IntakeView) -> str:
    words = view.words
    title = words["failed_title_restore" if view.status.plan else "failed_title"]
    return card(
        title,
        bullets(reasons(view)),
        "" if view.status.plan else folded(words["formats_title"], formats_html(words)),
        postponed(view),
        close(words),
        kind="ltm-bad",
    )


_CARDS: Mapping[IntakePhase, Callable[[IntakeView], str]] = {
    IntakePhase.EMPTY: lambda view: paragraph(view.notice, "ltm-alert"),
    IntakePhase.READING: _reading,
    IntakePhase.CHATS_FOUND: _chats_found,
    IntakePhase.IMPORTING: _importing,
    IntakePhase.IMPORTED: _imported,
    IntakePhase.TAKING_BACK: _taking_back,
    IntakePhase.TAKEN_BACK: _taken_back,
    IntakePhase.BACKUP_FOUND: restore_html.backup_found,
    IntakePhase.RESTORING: restore_html.restoring,
    IntakePhase.RESTORED: restore_html.restored,
    IntakePhase.FAILED: _failed,
}
