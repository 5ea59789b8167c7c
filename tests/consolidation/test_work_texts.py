"""What the tab says of background work: what is to be done, when it begins, why it waits."""

import time
from collections.abc import Callable
from dataclasses import replace

from memory_core.consolidation.service import Consolidation
from memory_core.consolidation.status import WorkState
from memory_core.memory.runtime import Runtime
from memory_core.providers.llm.fake import ScriptedLLM
from memory_core.providers.llm.in_background import ForegroundModelInBackground
from memory_core.providers.resilient import RetryingModel
from memory_core.text.locales import tab_words
from memory_core.ui.tab.settings.work import consolidation_text
from tests.builders import SPACE
from tests.consolidation.rounds import PATIENCE_S, eventually, run_round, switched_on, tell
from tests.consolidation.servers import HeldUp, answers, summarises
from tests.loopback import serve

MakeRuntime = Callable[..., Runtime]


def test_health_shows_consolidation_in_both_languages(make_runtime: MakeRuntime) -> None:
    with serve(answers("I am a teapot")) as server:
        runtime = make_runtime(**switched_on(server.url))
        service = Consolidation(runtime)
        tell(runtime, 1)
        run_round(service)
        english = consolidation_text(service, SPACE, tab_words("en")).splitlines()
        chinese = consolidation_text(service, SPACE, tab_words("zh"))
    tried_at = time.strftime("%H:%M", time.localtime(service.status(SPACE).next_time))
    assert english == [
        "It is on, but what is left to do here was put off after failures.",
        f"1 job is put off after a failure, until {tried_at} at the earliest.",
        'Why: no JSON object with "summary"',
        "The model answered 2 times so far (200 tokens read, 14 written).",
    ]
    assert "1 项因失败推迟" in chinese
    assert consolidation_text(service, None, tab_words("en")) == tab_words("en")["work_soon"]


def test_work_that_waits_says_what_is_to_be_done_and_when_it_begins(
    make_runtime: MakeRuntime,
) -> None:
    idle_s, model = [0.0], HeldUp(at_once=1)
    with serve(model) as server:
        runtime = make_runtime(**switched_on(server.url, quiet_s=600.0))
        service = Consolidation(runtime, lambda: idle_s[0])
        words = tab_words("en")
        assert consolidation_text(service, SPACE, words) == words["work_done"]
        tell(runtime, 2)
        runtime.memory.derive_pending(SPACE)
        begins = time.strftime("%H:%M", time.localtime(time.time() + 600.0))
        when, unread = consolidation_text(service, SPACE, words).splitlines()
        assert f"for 10 min: at {begins}, unless somebody writes" in when
        assert unread == "2 messages or changes were not looked at yet."
        idle_s[0] = 600.0
        assert words["work_soon"] in consolidation_text(service, SPACE, words)
        service.start_if_idle()
        eventually(lambda: len(server.asked) == 2)
        working = consolidation_text(service, SPACE, words).splitlines()
        assert working[:2] == [words["work_working"], "To do: summarise long messages (1)."]
        service.pause()
        model.release()
        service.wait(PATIENCE_S)


def test_work_waits_for_a_model_that_the_host_has_not_loaded(make_runtime: MakeRuntime) -> None:
    class HostModel(ForegroundModelInBackground):
        is_loaded = False

    with serve(summarises) as server:
        runtime = make_runtime(**switched_on(server.url))
        service = Consolidation(runtime)
        model = RetryingModel(HostModel(ScriptedLLM([])), retries=0)
        runtime.models = replace(runtime.models, background=model)
        tell(runtime, 1)
        run_round(service)
        assert service.state() is WorkState.NOT_LOADED
        assert "Load one" in consolidation_text(service, SPACE, tab_words("en"))
        assert not service.run_now()
        assert runtime.problems() == []
