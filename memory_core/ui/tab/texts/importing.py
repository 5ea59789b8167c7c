"""The words of the tab's panel for past chats, in each language."""

# ruff: noqa: RUF001  (Chinese punctuation)

EN = {
    "import_tab": "Past chats",
    "import_help": "Brings every chat that is saved on this machine into memory: all characters "
    "and instruct mode, with their dates. Chatting goes on meanwhile. It can be done again at any "
    "time: what is known already is not added twice, and what was forgotten stays forgotten.",
    "import_look": "Only look (changes nothing)",
    "import_run": "Import all past chats",
    "import_cancel": "Cancel",
    "import_elsewhere": "Several people share this page: the program keeps no chats to import.",
    "import_none": "This program keeps no chats of its own.",
    "import_busy": "Something else is running in the background; try again when it is done.",
    "import_cancelling": "Stopping behind the chat that is being written …",
    "import_looking": "Looking: {exchanges} exchanges in {chats} chats so far.",
    "import_looked": "{exchanges} exchanges in {chats} chats with {spaces} characters or modes, "
    "{undated} of them without a date of their own. Writing takes about {writing}.",
    "import_embedding": "The embeddings are made in the background afterwards: about {time}.",
    "import_embedding_unknown": "The embeddings are made in the background once the model is "
    "loaded.",
    "import_importing": "Importing: {exchanges} of {of_exchanges} exchanges, {chats} of {of_chats} "
    "chats. {left}",
    "import_left": "About {time} left.",
    "import_done": "Done in {time}: {added} exchanges added, {changed} changed, {removed} gone "
    "from their chats, {known} known already.",
    "import_cancelled": "Stopped. What is written stays; import again to go on.",
    "import_failures": "Passed over: {count}",
    "import_more": "and {count} more",
    "seconds": "{count} s",
    "minutes": "{count} min",
    "hours": "{count} h",
}

ZH = {
    "import_tab": "以往的聊天",
    "import_help": "把本机保存的全部聊天导入记忆：所有角色和指令模式，并保留日期。"
    "导入时可以继续聊天。可以随时重复：已知的内容不会重复添加，已遗忘的内容不会恢复。",
    "import_look": "只查看（不做改动）",
    "import_run": "导入全部以往的聊天",
    "import_cancel": "取消",
    "import_elsewhere": "多人共用此页面：程序没有保存可导入的聊天。",
    "import_none": "此程序没有自己保存的聊天。",
    "import_busy": "后台正在进行其他工作，请稍后再试。",
    "import_cancelling": "写完当前聊天后停止……",
    "import_looking": "正在查看：目前 {chats} 个聊天，{exchanges} 轮对话。",
    "import_looked": "{chats} 个聊天，共 {exchanges} 轮对话，{spaces} 个角色或模式，"
    "其中 {undated} 轮没有自己的日期。写入约需 {writing}。",
    "import_embedding": "之后在后台计算嵌入：约 {time}。",
    "import_embedding_unknown": "嵌入模型加载后，将在后台计算嵌入。",
    "import_importing": "正在导入：{exchanges} / {of_exchanges} 轮对话，"
    "{chats} / {of_chats} 个聊天。{left}",
    "import_left": "约剩 {time}。",
    "import_done": "完成，用时 {time}：新增 {added} 轮，修改 {changed} 轮，"
    "{removed} 轮已不在聊天中，{known} 轮早已记住。",
    "import_cancelled": "已停止。已写入的内容保留；再次导入即可继续。",
    "import_failures": "已跳过：{count}",
    "import_more": "另有 {count} 个",
    "seconds": "{count} 秒",
    "minutes": "{count} 分钟",
    "hours": "{count} 小时",
}
