"""A backup as HTML: the changes of restoring it, by memory on request, and the outcome."""

from collections.abc import Sequence

from ....admin.exporters.restore import RestoreResult
from ....admin.exporters.restore_plan import ListedMemory, NamespacePlan, RestorePlan
from ....text.locales import Words
from ..common.actions import button_html
from ..common.markup import bullets, card, escaped, folded, paragraph, progress_bar, row
from ..common.visible_namespaces import labels_among, namespace_label
from ..common.wording import minute
from .intake_view import FIELD, IntakeView, close, left_out, postponed


def backup_found(view: IntakeView) -> str:
    """Returns the changes of restoring the backup, and the choice of modes."""
    words, plan = view.words, view.status.plan
    if plan is None:
        return ""
    rest = _replace(plan, view) if plan.known or plan.only_here else ""
    rest = rest or paragraph(view.notice, "ltm-alert")
    return card(
        _title(plan, words),
        paragraph(words["backup_undamaged"]),
        paragraph(words("backup_to", name=namespace_label(plan.to, words))) if plan.to else "",
        _parts(plan.parts, words),
        _listed("backup_new_list", plan.new, [part.new_memories for part in plan.parts], words),
        left_out(view),
        f'<div data-ltm-form="restore">{_names(plan, words)}{_merge(plan, words)}{rest}</div>',
        postponed(view),
    )


def confirmation(plan: RestorePlan, words: Words) -> str:
    """Returns the text to type before existing memories are replaced."""
    only = plan.parts[0].target
    return (
        only.character if len(plan.parts) == 1 and only.character else words["backup_replace_all"]
    )


def _title(plan: RestorePlan, words: Words) -> str:
    if len(plan.parts) > 1:
        return words("backup_title", made=minute(plan.made_at))
    name = plan.parts[0].source.character or namespace_label(plan.parts[0].source, words)
    return words("backup_title_one", name=name, made=minute(plan.made_at))


def _names(plan: RestorePlan, words: Words) -> str:
    """Returns the other names that the backup brings, and a tick to leave them out; or ""."""
    users = [(alias, target) for alias, target in plan.names.users.items()]
    spaces = [
        (namespace_label(alias, words), namespace_label(target, words))
        for alias, target in plan.names.namespaces.items()
    ]
    if not (users or spaces):
        return ""
    texts = [words("alias_means", alias=alias, name=name) for alias, name in [*users, *spaces]]
    tick = (
        f'<label><input type="checkbox" name="names" checked> '
        f"{escaped(words['backup_names_take'])}</label>"
    )
    return paragraph(words("backup_names", count=len(texts))) + bullets(texts) + tick


def _parts(parts: Sequence[NamespacePlan], words: Words) -> str:
    label = labels_among([part.target for part in parts], words)
    items = [
        words(
            "backup_part",
            name=label(part.target),
            new=part.new,
            known=part.known,
            here=part.only_here,
        )
        for part in parts
        if part.new or part.known or part.only_here
    ]
    return bullets(items)


def _merge(plan: RestorePlan, words: Words) -> str:
    aside = button_html(FIELD, "dismiss", words["put_aside"])
    if not plan.new:
        return paragraph(words["backup_nothing_new"]) + row(aside)
    label = words("backup_merge", count=plan.new)
    add = button_html(FIELD, "merge", label, style="primary")
    return paragraph(words["backup_merge_help"]) + row(add, aside)


def _replace(plan: RestorePlan, view: IntakeView) -> str:
    words, name = view.words, confirmation(plan, view.words)
    loss = words["backup_replace_same"]
    if plan.only_here:
        loss = words("backup_replace_help", count=plan.only_here)
    lost = [part.lost_memories for part in plan.parts]
    run = button_html(FIELD, "replace", words["backup_replace_run"], style="danger")
    form = (
        f'<div><label class="ltm-label" for="ltm-replace">'
        f"{escaped(words('backup_replace_type', name=name))}</label>"
        f'<input id="ltm-replace" class="ltm-input" name="confirmation" autocomplete="off">'
        f"{row(run)}</div>"
    )
    return folded(
        words["backup_replace"],
        paragraph(loss)
        + _listed("backup_lost_list", plan.only_here, lost, words)
        + paragraph(view.notice, "ltm-alert")
        + form,
        is_open=bool(view.notice),
    )


def _listed(key: str, count: int, lists: Sequence[Sequence[ListedMemory]], words: Words) -> str:
    """Returns a folded list of memories, or nothing if there are none."""
    found = [memory for memories in lists for memory in memories]
    if not found:
        return ""
    shown = (
        paragraph(words("list_newest", count=len(found)), "ltm-muted") if len(found) < count else ""
    )
    items = "".join(map(_item, found))
    return folded(words(key, count=count), f'{shown}<ul class="ltm-diff">{items}</ul>')


def _item(memory: ListedMemory) -> str:
    when = f"<time>{minute(memory.ts)[:10]}</time> " if memory.ts is not None else ""
    return f"<li>{when}{escaped(memory.text)}</li>"


def restoring(view: IntakeView) -> str:
    return card(view.words["restoring"], progress_bar(view.words["importing_bar"]))


def restored(view: IntakeView) -> str:
    inner = restored_html(view.status.restored, view.words)
    return card(
        view.words["restored_title"], inner, postponed(view), close(view.words), kind="ltm-good"
    )


def restored_html(done: Sequence[RestoreResult], words: Words) -> str:
    """Returns the counts of restored memories, and the place of the former ones."""
    texts: list[str] = []
    label = labels_among([result.namespace for result in done], words)
    for result in done:
        texts.append(words("restore_done", name=label(result.namespace), count=result.memories))
        if result.backup:
            texts.append(words("restore_kept", path=result.backup))
    return "".join(map(paragraph, texts))
