"""Steps in Chinese."""

from .visit import Step, Visit


def speaks_chinese(visit: Visit) -> None:
    visit.outer_tab(1)
    visit.choose("ltm-language", "中文")
    visit.tab("上次回答")
    visit.says("ltm-last-answer", "记忆")
    visit.tab("设置与状态")
    visit.shot("settings-zh")
    visit.tab("上次回答")
    visit.shot("used-zh")


STEPS: tuple[Step, ...] = (speaks_chinese,)
