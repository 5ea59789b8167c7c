"""The words of the tab's panel for exports and backups, in each language."""

# ruff: noqa: RUF001  (Chinese punctuation)

EN = {
    "export_tab": "Export and restore",
    "export_help": "Writes the memories of the chosen character into a file. The zip holds all of "
    "it and can be restored; the others are for reading. What is forgotten is in none of them.",
    "export_all": "Everything in the list above, in one file",
    "export_format": "Format",
    "export_zip": "Zip (can be restored)",
    "export_csv": "Table (CSV)",
    "export_jsonl": "JSON, one object a line",
    "export_markdown": "Document (Markdown)",
    "export_run": "Make the file",
    "export_download": "Download",
    "export_done": "{count} memories are in the file; {forgotten} forgotten ones are not. The "
    "link works for half an hour.",
    "export_damaged": "{count} damaged lines were left out.",
    "restore_help": "Brings back a zip that was made here or by the command line. Everything in "
    "it is checked first; a broken file changes nothing.",
    "restore_file": "Zip file",
    "restore_mode": "Where there are memories already",
    "restore_refuse": "change nothing",
    "restore_merge": "add what is missing",
    "restore_replace": "replace them (a backup is made first)",
    "restore_confirm": "I have read what the file holds, and want it restored",
    "restore_run": "Restore",
    "restore_holds": "The file holds the memories of: {names}.",
    "restore_unconfirmed": "Nothing was restored: choose a file and confirm.",
    "restore_elsewhere": "Several people share this page: restore from the command line instead "
    "(python -m memory_core restore).",
    "restore_done": "{name}: {count} memories restored.",
    "restore_kept": "What was there before is in {path}",
}

ZH = {
    "export_tab": "导出与恢复",
    "export_help": "把所选角色的记忆写入一个文件。zip 包含全部内容并可恢复，其余格式供阅读。"
    "已遗忘的内容不会出现在任何文件中。",
    "export_all": "上方可选的全部记忆，合为一个文件",
    "export_format": "格式",
    "export_zip": "Zip（可恢复）",
    "export_csv": "表格（CSV）",
    "export_jsonl": "JSON，每行一个对象",
    "export_markdown": "文档（Markdown）",
    "export_run": "生成文件",
    "export_download": "下载",
    "export_done": "文件中有 {count} 条记忆，不含 {forgotten} 条已遗忘的记忆。链接半小时内有效。",
    "export_damaged": "略去了 {count} 行损坏的内容。",
    "restore_help": "恢复在此处或命令行生成的 zip。会先检查全部内容，损坏的文件不会改变任何东西。",
    "restore_file": "Zip 文件",
    "restore_mode": "若已有记忆",
    "restore_refuse": "不做改动",
    "restore_merge": "补充缺少的",
    "restore_replace": "替换（先自动备份）",
    "restore_confirm": "我已查看文件内容，确认恢复",
    "restore_run": "恢复",
    "restore_holds": "文件包含以下记忆：{names}。",
    "restore_unconfirmed": "未做恢复：请选择文件并确认。",
    "restore_elsewhere": "多人共用此页面：请改用命令行恢复（python -m memory_core restore）。",
    "restore_done": "{name}：已恢复 {count} 条记忆。",
    "restore_kept": "原有内容保存在 {path}",
}
