"""Steps in Chinese."""

from playwright.sync_api import expect

from .visit import Step, Visit


def speaks_chinese(visit: Visit) -> None:
    visit.page.get_by_label("中文").check()
    visit.tab("现在")
    expect(visit.at("ltm-injected")).to_contain_text("内容")
    visit.tab("设置与状态")
    visit.shot("settings-zh")
    visit.tab("现在")
    visit.shot("used-zh")


STEPS: tuple[Step, ...] = (speaks_chinese,)
