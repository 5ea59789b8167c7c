"""What the model is told of a command: what was done, or why it was not."""

# ruff: noqa: RUF001  (Chinese punctuation)

from collections.abc import Iterator, Mapping
from typing import Final

from ..prompt.plan import SHORT_ID, Material, SystemLine, standing
from ..prompt.window import Window
from ..text.commands.parser import Command, CommandKind
from ..text.sentences import excerpt

_EN: Final = {
    "off": "This message and its answer are off the record: neither will be remembered.",
    "off_alone": "The user typed /off without saying anything: that is off the record, but "
    "the next message will be remembered, unless it begins with /off too. /pause is for a chat.",
    "kept": "The user asked to remember: {text} — it is kept.",
    "kept_here": "The user asked to remember, for this chat only: {text} — it is kept.",
    "room_for_a_part": "It is long: the prompt always has its beginning only, the rest can be "
    "recalled.",
    "no_room": "There is not room for all that is kept in every prompt. {count} of them can only "
    "be recalled, until /forget or a higher system_block_max_tokens makes room: {text}",
    "not_kept_here": "The user asked to remember, for this chat only: {text} — it is not kept: "
    "this chat begins with this message and is not known yet. It works from the next message on.",
    "only_here": " (this chat only)",
    "kept_already": "The user asked to remember: {text} — it was kept already.",
    "not_kept_paused": "The user asked to remember: {text} — it is not kept: writing is paused in "
    "this chat (/resume goes on).",
    "not_kept_off": "The user asked to remember: {text} — it is not kept: remembering is switched "
    "off in the settings.",
    "incognito": "The user asked something of the memory. This is an incognito chat: nothing was "
    "done and nothing is kept.",
    "nothing_to_remember": "The user typed /remember without saying what: nothing was kept.",
    "nothing_to_forget": "The user typed /forget without saying what: nothing was forgotten. "
    "It takes words, a number of the last list, an id, or: last.",
    "forgot": "The user asked to forget: {text} — it is forgotten.",
    "forgotten_already": "The user asked to forget something that is forgotten already.",
    "no_match": "The user asked to forget: {text} — nothing matched, nothing was forgotten. "
    "It takes words that a memory holds; in the tab Long-term memory all stand in their order.",
    "not_all": "The user asked to forget: {text} — nothing was forgotten: all at once are only "
    "deleted in the tab Long-term memory, after a backup.",
    "no_last": "The user asked to forget the last memory, but nothing of this chat is kept: "
    "nothing was forgotten.",
    "which": "The user asked to forget: {text} — that is not clear enough, nothing was forgotten. "
    "These may be meant (/forget and a number forgets one):",
    "failed": "The user asked to forget: {text} — that did not work: {reason}",
    "found": "The user asked what is remembered about: {text} — {count} of {all} memories hold "
    "these words. The newest:",
    "found_none": "The user asked what is remembered about: {text} — none of {all} memories "
    "holds these words.",
    "memories": "The user asked what is remembered: {all} memories in all. The newest:",
    "memories_none": "The user asked what is remembered: nothing yet.",
    "paused_writing": "Writing is paused in this chat now: nothing said here is remembered, until "
    "/resume.",
    "paused_recall": "Recall is paused in this chat now: no memories come into it, until /resume.",
    "paused_both": "Memory is paused in this chat now: nothing said here is remembered and no "
    "memories come into it, until /resume.",
    "resumed_writing": "Writing goes on in this chat. What was said meanwhile stays unremembered.",
    "resumed_recall": "Recall goes on in this chat.",
    "resumed_both": "Memory goes on in this chat. What was said while writing was paused stays "
    "unremembered.",
    "never": "The user asked to remember nothing of this character: from now on nothing said here "
    "or in any other chat with it is remembered, until /remember again. Existing memories can "
    "still be recalled; /forget removes them.",
    "again": "Chats with this character are remembered again, except those that are paused. "
    "Nothing said meanwhile will be remembered.",
    "still_never": "But this character is marked as never to be remembered, until /remember again.",
    "not_kept_never": "The user asked to remember: {text} — it is not kept: nothing of this "
    "character is to be remembered (/remember again changes that).",
    "no_chat_yet": "This chat begins with this message and cannot be paused or resumed yet: "
    "nothing was done.",
    "done_before": "What this message asks of the memory was done when it was first sent.",
    "busy": "The user asked what is remembered, which cannot be told at once: {reason}. Asking "
    "again in a while helps.",
    "later": "The user asked something of the memory that could not be done at once: it is tried "
    "again as soon as possible.",
}
_ZH: Final = {
    "off": "这条消息和它的回答不做记录：两者都不会被记住。",
    "off_alone": "用户只输入了 /不记录：这一条不做记录，但下一条消息会被记住，"
    "除非它也以 /不记录 开头。/暂停 适用于整个对话。",
    "kept": "用户要求记住：{text} ——已经记住。",
    "kept_here": "用户要求只在这个对话里记住：{text} ——已经记住。",
    "room_for_a_part": "内容较长：提示中始终只有它的开头，其余部分可以被回忆起来。",
    "no_room": "每次提示中放不下所有记住的内容。其中 {count} 条只能被回忆起来，"
    "用 /忘记 或调高 system_block_max_tokens 可以腾出位置：{text}",
    "not_kept_here": "用户要求只在这个对话里记住：{text} ——没有记住：这个对话刚从这条消息开始，"
    "还无法识别。从下一条消息起就可以了。",
    "only_here": "（仅限这个对话）",
    "kept_already": "用户要求记住：{text} ——之前已经记住了。",
    "not_kept_paused": "用户要求记住：{text} ——没有记住：这个对话已暂停记录（/恢复 可继续）。",
    "not_kept_off": "用户要求记住：{text} ——没有记住：设置中已关闭记录。",
    "incognito": "用户对记忆提出了要求。这是隐身对话：什么都没有做，也不会保留任何内容。",
    "nothing_to_remember": "用户输入了 /记住 但没有内容：没有记住任何东西。",
    "nothing_to_forget": "用户输入了 /忘记 但没有说明：没有忘记任何东西。"
    "可以写词语、上一个列表中的序号、编号，或“上一条”。",
    "forgot": "用户要求忘记：{text} ——已经忘记。",
    "forgotten_already": "用户要求忘记的内容之前已经忘记了。",
    "no_match": "用户要求忘记：{text} ——没有匹配的记忆，没有忘记任何东西。"
    "请写出记忆中包含的词语；“长期记忆”标签页按时间列出全部记忆。",
    "not_all": "用户要求忘记：{text} ——没有忘记任何东西：全部记忆只能在“长期记忆”标签页中一次删除，"
    "那里会先做备份。",
    "no_last": "用户要求忘记上一条，但这个对话没有任何记忆：没有忘记任何东西。",
    "which": "用户要求忘记：{text} ——不够明确，没有忘记任何东西。"
    "可能是以下几条（/忘记 加序号即可忘记其中一条）：",
    "failed": "用户要求忘记：{text} ——没有成功：{reason}",
    "found": "用户询问关于“{text}”的记忆：{all} 条记忆中有 {count} 条包含这些词。最新的：",
    "found_none": "用户询问关于“{text}”的记忆：{all} 条记忆中没有包含这些词的。",
    "memories": "用户询问记住了什么：共 {all} 条记忆。最新的：",
    "memories_none": "用户询问记住了什么：目前还没有记忆。",
    "paused_writing": "这个对话已暂停记录：在 /恢复 之前，这里说的话都不会被记住。",
    "paused_recall": "这个对话已暂停回忆：在 /恢复 之前，不会使用任何记忆。",
    "paused_both": "这个对话已暂停记忆：在 /恢复 之前，"
    "这里说的话都不会被记住，也不会使用任何记忆。",
    "resumed_writing": "这个对话恢复记录。暂停期间说的话仍然不会被记住。",
    "resumed_recall": "这个对话恢复回忆。",
    "resumed_both": "这个对话恢复记忆。暂停记录期间说的话仍然不会被记住。",
    "never": "用户要求不再记住这个角色的任何内容：从现在起，这里以及与它的所有其他对话"
    "都不会被记住，直到输入 /记住 恢复。已有的记忆仍可被回忆（/忘记 可以删除）。",
    "again": "与这个角色的对话重新开始被记住（已暂停的对话除外）。期间说的话仍然不会被记住。",
    "still_never": "但这个角色已设为永不记住，直到输入 /记住 恢复。",
    "not_kept_never": "用户要求记住：{text} ——没有记住：这个角色已设为永不记住"
    "（/记住 恢复 可更改）。",
    "no_chat_yet": "这个对话刚从这条消息开始，还不能暂停或恢复：什么都没有做。",
    "done_before": "这条消息对记忆的要求在第一次发送时已经完成。",
    "busy": "用户询问记住了什么，暂时无法回答：{reason}。稍后再问即可。",
    "later": "用户对记忆的要求暂时无法完成：会尽快再试。",
}


TELLINGS: Mapping[bool, Mapping[str, str]] = {False: _EN, True: _ZH}
"""By whether the command is Chinese."""


_MOST_QUOTED = 3
_LONGEST_QUOTE = 120


def told_of_room(command: Command | None, window: Window, material: Material) -> tuple[str, ...]:
    """Only where something was kept just now: so it is told once for each that is."""
    if command is None or command.kind is not CommandKind.REMEMBER:
        return ()
    said = command.argument.replace("\n", " ")
    if not any(it.text == said for it in material.system_lines):
        return ()
    return tuple(_told(command, said, window, material))


def _told(command: Command, said: str, window: Window, material: Material) -> Iterator[str]:
    words, chosen = TELLINGS[command.is_chinese], standing(window, material)
    if any(it.text == said for it in chosen.cut):
        yield words["room_for_a_part"]
    if chosen.left_out:
        quoted = "; ".join(_quoted(it) for it in chosen.left_out[-_MOST_QUOTED:])
        yield words["no_room"].format(count=len(chosen.left_out), text=quoted)


def _quoted(line: SystemLine) -> str:
    return f"{excerpt(line.text, _LONGEST_QUOTE)} [{line.memory_id[:SHORT_ID]}]"
