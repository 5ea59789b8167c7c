"""The words of the tab for limits and for the room that memories take, in each language."""

# ruff: noqa: RUF001  (Chinese punctuation)

EN = {
    "group_limits": "Limits (while these are empty, everything is kept)",
    "limits_unsaved": "Not saved yet.",
    "limits_out_of_reach": "The memories of {count} characters cannot be brought below max_mb by "
    "forgetting; nothing would be forgotten for that limit there.",
    "limits_warning": "About {memories} memories of {characters} characters are "
    "over these limits. They would be forgotten, the oldest first; each can be brought back "
    "under “All memories” for {minutes} minutes, then its text is erased.",
    "limits_uncounted": "{count} characters not used lately were not counted.",
    "limits_again": "Press Save again to do it.",
    "limits_went": "{count} memories were over a limit and are forgotten since the program "
    "started ({reasons}).",
    "limits_max_age_days": "too old",
    "limits_max_memories": "too many",
    "limits_max_mb": "too big",
    "limits_none": "none: everything is kept",
    "health_limits": "Limits",
    "usage_measure": "Measure disk use",
    "usage_help": "How much room memories take, by character. The index can be made anew at any "
    "time; backups lie beside the memories.",
    "usage_table": "Disk use",
    "usage_who": "who",
    "usage_logs": "messages",
    "usage_index": "index",
    "usage_parts": "of which",
    "usage_part_catalogue": "catalogue",
    "usage_part_words": "words",
    "usage_part_vectors": "vectors",
    "usage_part_journal": "SQLite's journal",
    "usage_part_rest": "rest",
    "usage_other": "other",
    "usage_total": "total",
    "usage_backups": "backups",
    "usage_all": "all",
    "usage_more": "{count} more",
}

ZH = {
    "group_limits": "上限（留空则保留一切）",
    "limits_unsaved": "尚未保存。",
    "limits_out_of_reach": "有 {count} 个角色的记忆无法通过遗忘降到 max_mb 以下；"
    "不会为此遗忘任何内容。",
    "limits_warning": "{characters} 个角色约有 {memories} 条记忆超出这些上限。"
    "它们将从最旧的开始被遗忘；{minutes} 分钟内可在“全部记忆”中恢复，之后文字会被擦除。",
    "limits_uncounted": "另有 {count} 个近期未用的角色没有计入。",
    "limits_again": "再次点击“保存”即执行。",
    "limits_went": "程序启动后有 {count} 条记忆超出上限而被遗忘（{reasons}）。",
    "limits_max_age_days": "太旧",
    "limits_max_memories": "太多",
    "limits_max_mb": "太大",
    "limits_none": "无：保留一切",
    "health_limits": "上限",
    "usage_measure": "统计磁盘占用",
    "usage_help": "各角色的记忆占用多少空间。索引可随时重建；备份存放在记忆旁边。",
    "usage_table": "磁盘占用",
    "usage_who": "谁",
    "usage_logs": "消息",
    "usage_index": "索引",
    "usage_parts": "其中",
    "usage_part_catalogue": "目录",
    "usage_part_words": "词",
    "usage_part_vectors": "向量",
    "usage_part_journal": "SQLite 日志",
    "usage_part_rest": "其余",
    "usage_other": "其他",
    "usage_total": "合计",
    "usage_backups": "备份",
    "usage_all": "全部",
    "usage_more": "另外 {count} 个",
}
