"""The tab's texts about the rolling backup, in each language."""

# ruff: noqa: RUF001  (Chinese punctuation)

EN = {
    "group_copies": "Rolling backup (all words, unencrypted, outside the extension's folder)",
    "copies_offer_empty": "Nothing is remembered here, but a backup made on {made} holds "
    "{exchanges} exchanges and {notes} notes of {names}. Restoring brings all of them back. "
    "The file is {path}",
    "copies_offer": "A backup of an earlier installation, made on {made}, holds {exchanges} "
    "exchanges and {notes} notes of {names}. Restoring adds what is missing here and changes "
    "nothing else. The file is {path}",
    "copies_command": "Or, with the host closed: python -m memory_core restore --merge {path}",
    "copies_restore": "Restore this backup",
    "copies_leave": "Leave it where it is",
    "copies_left": "Nothing was restored. The backup stays where it is and is not offered again.",
    "copies_none": "There is no backup to restore.",
    "copies_elsewhere": "Several people share this page: restore from the command line instead "
    "(python -m memory_core restore).",
    "health_copies": "Rolling backup (all words, unencrypted)",
    "health_copies_value": "{count} in {folder}, the last made on {made}",
    "health_copies_yet": "none yet; they will lie in {folder}",
    "health_copies_off": "off (rolling_backup.enabled); {count} older ones stay in {folder} until "
    "you delete them",
    "health_copies_nowhere": "none: this program runs outside of text-generation-webui, and "
    "rolling_backup.folder names no folder",
}

ZH = {
    "group_copies": "滚动备份（含全部文字、未加密，位于扩展文件夹之外）",
    "copies_offer_empty": "这里没有任何记忆，但 {made} 的备份中有 {names} 的 {exchanges} 轮对话和 "
    "{notes} 条笔记。恢复会把它们全部放回原处。文件：{path}",
    "copies_offer": "先前安装留下的备份（{made}）中有 {names} 的 {exchanges} 轮对话和 {notes} "
    "条笔记。恢复只补充此处缺少的内容，不改变已有内容。文件：{path}",
    "copies_command": "或关闭主程序后执行：python -m memory_core restore --merge {path}",
    "copies_restore": "恢复此备份",
    "copies_leave": "保留在原处",
    "copies_left": "未做恢复。备份保留在原处，不再提示。",
    "copies_none": "没有可恢复的备份。",
    "copies_elsewhere": "多人共用此页面：请改用命令行恢复（python -m memory_core restore）。",
    "health_copies": "滚动备份（含全部文字、未加密）",
    "health_copies_value": "{folder} 中有 {count} 份，最近一份生成于 {made}",
    "health_copies_yet": "尚无；将保存在 {folder}",
    "health_copies_off": "已关闭（rolling_backup.enabled）；{folder} 中的 {count} 份旧备份会保留，"
    "直到您删除它们",
    "health_copies_nowhere": "无：程序在 text-generation-webui 之外运行，且 "
    "rolling_backup.folder 未指定文件夹",
}
