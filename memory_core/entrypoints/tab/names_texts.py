"""The words of the tab's panel for names and notes, in each language."""

# ruff: noqa: RUF001  (Chinese punctuation)

EN = {
    "names_tab": "Names and notes",
    "all_characters": "all characters",
    "note_help": "What you write here is always in the prompt. It can be changed or forgotten "
    "under “All memories”.",
    "note_text": "Knowledge",
    "note_reach": "It holds for",
    "note_chat": "the chat talked in last, alone",
    "note_this": "this character",
    "note_shared": "all my characters",
    "note_world": "everybody",
    "note_run": "Keep",
    "note_kept": "Kept for {name}.",
    "note_kept_chat": "Kept for {name}, in the chat {chat} alone.",
    "only_in_chat": "only in",
    "note_known": "That is kept already.",
    "note_empty": "Nothing was kept: there is no text, or nobody it could be for.",
    "note_off": "Nothing was kept: writing is switched off in the settings.",
    "note_never": "Nothing was kept: {name} is never to be remembered (see Pause).",
    "rename_label": "New name",
    "rename_run": "Rename",
    "renamed": "{old} is called {new} now. Chats under the old name go on with the same memories.",
    "rename_nobody": "Nothing was renamed: only a character can be, and it needs another name.",
    "moved_rename": "The chats of {old} now lie in the folder of {new}. To have the memories "
    "follow, rename {old} to {new} here.",
    "moved_merge": "The chats of {old} now lie in the folder of {new}, who has memories too. To "
    "have them follow, say here that {old} means the same as {new}.",
    "merge_other": "Means the same as",
    "merge_ask": "Put the memories together …",
    "merge_sure": "Yes, move the memories",
    "merge_question": "All {count} memories of {old} move to {new}, which has {others}; a backup "
    "of them is made first. The two cannot be taken apart again but by restoring it.",
    "merged": "{count} memories moved: {old} means {new} from now on. The backup is {path}",
    "merge_nobody": "Choose somebody else first.",
    "aliases_title": "Other names: {names}",
    "aliases_none": "Nobody has another name.",
    "alias_means": "{alias} → {name}",
    "alias_which": "Other name",
    "alias_drop": "Let it mean itself again",
    "alias_dropped": "{alias} means itself again. Its memories stay where they are.",
    "names_elsewhere": "Several people share this page: names are changed on the command line "
    "(python -m memory_core names).",
}

ZH = {
    "names_tab": "名称与笔记",
    "all_characters": "所有角色",
    "note_help": "写在这里的内容始终会放入提示词，可在“全部记忆”中修改或遗忘。",
    "note_text": "知识",
    "note_reach": "适用于",
    "note_chat": "仅限最近的对话",
    "note_this": "当前角色",
    "note_shared": "我的所有角色",
    "note_world": "所有人",
    "note_run": "保存",
    "note_kept": "已为 {name} 保存。",
    "note_kept_chat": "已为 {name} 保存，仅限对话 {chat}。",
    "only_in_chat": "仅限",
    "note_known": "已经保存过了。",
    "note_empty": "未保存：没有文字，或没有适用的对象。",
    "note_off": "未保存：设置中已关闭写入。",
    "note_never": "未保存：{name} 已设为永不记住（见“暂停”）。",
    "rename_label": "新名称",
    "rename_run": "重命名",
    "renamed": "{old} 现在叫 {new}。旧名称下的对话继续使用同一份记忆。",
    "rename_nobody": "未重命名：只能重命名角色，且需要一个不同的名称。",
    "moved_rename": "{old} 的对话现在位于 {new} 的文件夹中。若要让记忆跟随，请在此把 {old} "
    "重命名为 {new}。",
    "moved_merge": "{old} 的对话现在位于 {new} 的文件夹中，该角色也有记忆。若要让记忆跟随，"
    "请在此指定 {old} 与 {new} 相同。",
    "merge_other": "等同于",
    "merge_ask": "合并记忆……",
    "merge_sure": "是的，移动这些记忆",
    "merge_question": "{old} 的全部 {count} 条记忆将移到 {new}（已有 {others} 条），"
    "事先会生成备份。之后只能通过恢复备份才能分开。",
    "merged": "已移动 {count} 条记忆：{old} 从此即指 {new}。备份位于 {path}",
    "merge_nobody": "请先选择另一个对象。",
    "aliases_title": "别名：{names}",
    "aliases_none": "没有别名。",
    "alias_means": "{alias} → {name}",
    "alias_which": "别名",
    "alias_drop": "让它重新指代自己",
    "alias_dropped": "{alias} 重新指代自己。其记忆留在原处。",
    "names_elsewhere": "多人共用此页面：请在命令行中更改名称（python -m memory_core names）。",
}
