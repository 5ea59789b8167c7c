"""A field that only shows the settings whose label, key or help contains the typed text.

The script works entirely in the page. It opens the groups, because Gradio 6 draws the content of a
closed one only when it is opened.
"""

from typing import Any

import gradio as gr

from ..common import status
from ..common.frame import Selection, TabHeader, Updates
from ..common.gradio_compat import open_events

AREA, GROUP = "ltm-advanced", "ltm-setting-group"
KNOB = "ltm-knob-"
_FIELD = "ltm-find-setting"
_SCRIPT = f"""() => {{
  if (window.ltmFind) return;
  window.ltmFind = true;
  const fieldOf = () => document.querySelector('#{_FIELD} textarea, #{_FIELD} input');
  const hide = (element, isHidden) => element.toggleAttribute('data-ltm-hidden', isHidden);
  const isHidden = element => element.hasAttribute('data-ltm-hidden');
  const openGroups = (area, isSearching) => {{
    for (const group of area.querySelectorAll('.{GROUP}')) {{
      const title = group.querySelector('button.label-wrap');
      const isOpen = title.classList.contains('open');
      if (isSearching && !isOpen && !group.ltmOpened) {{
        group.ltmOpened = true;
        title.click();
      }} else if (!isSearching && group.ltmOpened) {{
        group.ltmOpened = false;
        if (isOpen) title.click();
      }}
    }}
  }};
  const apply = () => {{
    const area = document.getElementById('{AREA}'), field = fieldOf();
    if (!area || !field) return;
    const words = field.value.toLowerCase().split(/\\s+/).filter(Boolean);
    const isWanted = knob => {{
      const key = knob.id.slice('{KNOB}'.length).replaceAll('-', '.');
      const text = (knob.textContent + ' ' + key).toLowerCase();
      return words.every(word => text.includes(word));
    }};
    openGroups(area, words.length > 0);
    const knobs = [...area.querySelectorAll('[id^={KNOB}]')];
    for (const knob of knobs) hide(knob, !isWanted(knob));
    for (const box of area.querySelectorAll('div:has([id^={KNOB}])')) {{
      hide(box, [...box.querySelectorAll('[id^={KNOB}]')].every(isHidden));
    }}
    area.toggleAttribute('data-ltm-none', knobs.length > 0 && knobs.every(isHidden));
  }};
  let waiting = false;
  const applySoon = () => {{
    if (waiting) return;
    waiting = true;
    requestAnimationFrame(() => {{ waiting = false; apply(); }});
  }};
  const drawn = new MutationObserver(() => {{
    if (fieldOf()?.value) applySoon();
  }});
  document.addEventListener('input', event => {{
    if (event.target !== fieldOf()) return;
    const area = document.getElementById('{AREA}');
    if (area) drawn.observe(area, {{ childList: true, subtree: true }});
    applySoon();
  }});
}}"""


class SettingFilter:
    """The field, and the sentence below it while no setting matches."""

    def __init__(self, frame: TabHeader) -> None:
        put = frame.labels.bind
        field = gr.Textbox(elem_id=_FIELD, max_lines=1, interactive=True)
        put(field, "label", "find_setting")
        put(field, "placeholder", "find_setting_hint")
        self._none = gr.HTML(elem_id="ltm-find-none")
        self.outputs: list[Any] = [self._none]
        gr.on(open_events(), None, None, None, js=_SCRIPT)

    def show(self, view: Selection) -> Updates:
        return [status.paragraph(view.words["find_setting_none"])]
