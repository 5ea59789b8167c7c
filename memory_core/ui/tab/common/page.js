() => {
  // What the tab does in the page itself. It is installed once, however often the tab is opened.
  if (window.ltmPage) return;
  window.ltmPage = true;

  const near = (event, selector) => event.target.closest && event.target.closest(selector);
  const fieldOf = id => document.querySelector(`#${id} textarea, #${id} input`);
  const inSight = part => part.offsetParent !== null;
  const fill = (id, text) => {
    const field = fieldOf(id);
    if (!field) return;
    const kind = field.tagName === 'TEXTAREA' ? HTMLTextAreaElement : HTMLInputElement;
    Object.getOwnPropertyDescriptor(kind.prototype, 'value').set.call(field, text);
    field.dispatchEvent(new Event('input', { bubbles: true }));
  };
  const send = (id, name, values = {}, ticked = []) =>
    fill(id, JSON.stringify({ name, values, ticked, sent: Date.now() }));

  // Buttons in our HTML (actions.py).
  const act = button => {
    const { ltm, ltmTo, ltmList, ...others } = button.dataset;
    const values = {};
    for (const [key, value] of Object.entries(others))
      values[key.replace(/[A-Z]/g, letter => '_' + letter.toLowerCase())] = value;
    const form = button.closest('[data-ltm-form]');
    for (const field of form ? form.querySelectorAll('[name]') : [])
      values[field.name] = field.type === 'checkbox' ? String(field.checked) : field.value;
    const list = ltmList ? document.getElementById(ltmList) : null;
    const ticks = list ? list.querySelectorAll('input[type=checkbox][value]:checked') : [];
    send(ltmTo, ltm, values, [...ticks].map(box => box.value));
  };
  const openRoom = link => {
    const tab = document.getElementById(link.dataset.ltmOpen);
    if (tab) tab.click();
  };
  // A chat can be missing in the host's list if it was deleted, or if a search narrows the list.
  const openChat = button => {
    const list = document.getElementById(button.dataset.ltmIn);
    const chats = list ? [...list.querySelectorAll('input[type=radio]')] : [];
    const chat = chats.find(one => one.value === button.dataset.ltmChat && !one.disabled);
    const told = button.nextElementSibling;
    if (told) told.textContent = chat ? '' : told.dataset.ltmMissing;
    if (!chat) return;
    chat.click();
    const panel = list.closest('[role=tabpanel]');
    const tab = panel && document.getElementById(panel.id + '-button');
    if (tab) tab.click();
    window.scrollTo({ top: 0 });
  };
  // The second click of a double click would do a thing twice, such as save what is saved, or meet
  // another button, drawn there after the first one. Only pages may be turned so quickly.
  const SLOWEST_DOUBLE_MS = 500, SAME_PLACE_PX = 8;
  // The browser counts the clicks on one button (`detail`), but begins anew at another.
  let last = { timeStamp: -SLOWEST_DOUBLE_MS, clientX: 0, clientY: 0, button: '' };
  const isSecondOfDouble = (event, button) => {
    const { timeStamp, clientX, clientY, detail } = event;
    const named = JSON.stringify({ ...button.dataset });
    const way = Math.abs(clientX - last.clientX) + Math.abs(clientY - last.clientY);
    const isDouble = event.isTrusted && detail > 0 && way < SAME_PLACE_PX
      && timeStamp - last.timeStamp < SLOWEST_DOUBLE_MS;
    const isSecond = isDouble && (detail > 1 || named !== last.button)
      && button.dataset.ltm !== 'page';
    last = { timeStamp, clientX, clientY, button: isSecond ? last.button : named };
    return isSecond;
  };
  document.addEventListener('click', event => {
    for (const menu of document.querySelectorAll('details.ltm-menu[open]'))
      if (!menu.contains(event.target)) menu.open = false;
    for (const [mark, answer] of [['ltm', act], ['ltm-open', openRoom], ['ltm-chat', openChat]]) {
      const button = near(event, `[data-${mark}]`);
      if (button && !(mark === 'ltm' && isSecondOfDouble(event, button))) answer(button);
    }
  });

  // The button that pauses also resumes: its second click would undo the first.
  document.addEventListener('click', event => {
    if (event.detail > 1 && near(event, '#ltm-pause')) event.stopImmediatePropagation();
  }, true);

  // Links inside an SVG work like buttons; the arrow keys move between them.
  const moveOnMap = (event, link) => {
    if (event.key === 'Enter' || event.key === ' ')
      link.dispatchEvent(new MouseEvent('click', { bubbles: true }));
    else if (event.key === 'ArrowRight' && link.nextElementSibling)
      link.nextElementSibling.focus();
    else if (event.key === 'ArrowLeft' && link.previousElementSibling)
      link.previousElementSibling.focus();
    else return;
    event.preventDefault();
  };
  // Gradio's tabs are reached one by one; the arrows go between them as in other programs.
  const moveOnTabs = (event, tab) => {
    const tabs = [...tab.parentElement.querySelectorAll('[role=tab]')];
    const here = tabs.indexOf(tab);
    const steps = { ArrowRight: 1, ArrowLeft: -1, Home: -here, End: -1 - here };
    if (!(event.key in steps)) return;
    event.preventDefault();
    const next = tabs[(here + steps[event.key] + tabs.length) % tabs.length];
    next.focus();
    next.click();
  };
  document.addEventListener('keydown', event => {
    const menu = near(event, 'details.ltm-menu[open]');
    if (menu && event.key === 'Escape') {
      menu.open = false;
      menu.querySelector('summary').focus();
    }
    const link = near(event, '[data-ltm][role=button]'), tab = near(event, '[role=tab][id^=ltm-]');
    if (link) moveOnMap(event, link);
    if (tab) moveOnTabs(event, tab);
  });

  // While the card of a model shows a bar, it is requested again; once that is gone, the whole page.
  let wasShown = false;
  setInterval(() => {
    const isShown = Boolean(document.querySelector('#ltm-model-card [data-ltm-polled]'));
    if (isShown && !document.hidden) send('ltm-model-poll', 'poll');
    else if (wasShown && !isShown) send('ltm-model-action', 'model_ended');
    wasShown = isShown;
  }, 2000);

  // Asks whether the memories were changed elsewhere (pulse.py).
  let touched = 0;
  for (const kind of ['pointerdown', 'keydown'])
    document.addEventListener(kind, () => { touched = Date.now(); }, true);
  const isBusy = tab => {
    if (Date.now() - touched < 4000) return true;
    const active = document.activeElement;
    if (tab.contains(active) && ['INPUT', 'TEXTAREA', 'SELECT'].includes(active.tagName))
      return true;
    const held = '.ltm-list input:checked, [data-ltm-form], details[open]';
    return [...tab.querySelectorAll(held)].some(inSight);
  };
  setInterval(() => {
    const tab = document.getElementById('ltm-tab');
    if (tab && !document.hidden && inSight(tab) && !isBusy(tab))
      fill('ltm-pulse', String(Date.now()));
  }, 3000);

  // Hides the settings without the typed text in their label, key or help. It opens the groups,
  // because Gradio 6 draws the content of a closed one only when it is opened.
  const hide = (element, isHidden) => element.toggleAttribute('data-ltm-hidden', isHidden);
  const isHidden = element => element.hasAttribute('data-ltm-hidden');
  const openGroups = (area, isSearching) => {
    for (const group of area.querySelectorAll('.ltm-setting-group')) {
      const title = group.querySelector('button.label-wrap');
      const isOpen = title.classList.contains('open');
      if (isSearching && !isOpen && !group.ltmOpened) {
        group.ltmOpened = true;
        title.click();
      } else if (!isSearching && group.ltmOpened) {
        group.ltmOpened = false;
        if (isOpen) title.click();
      }
    }
  };
  const filterSettings = () => {
    const area = document.getElementById('ltm-advanced'), field = fieldOf('ltm-find-setting');
    if (!area || !field) return;
    const words = field.value.toLowerCase().split(/\s+/).filter(Boolean);
    const isWanted = knob => {
      const key = knob.id.slice('ltm-knob-'.length).replaceAll('-', '.');
      const text = (knob.textContent + ' ' + key).toLowerCase();
      return words.every(word => text.includes(word));
    };
    openGroups(area, words.length > 0);
    const knobs = [...area.querySelectorAll('[id^=ltm-knob-]')];
    for (const knob of knobs) hide(knob, !isWanted(knob));
    for (const box of area.querySelectorAll('div:has([id^=ltm-knob-])'))
      hide(box, [...box.querySelectorAll('[id^=ltm-knob-]')].every(isHidden));
    area.toggleAttribute('data-ltm-none', knobs.length > 0 && knobs.every(isHidden));
  };
  let isWaiting = false;
  const filterSoon = () => {
    if (isWaiting) return;
    isWaiting = true;
    requestAnimationFrame(() => { isWaiting = false; filterSettings(); });
  };
  const drawn = new MutationObserver(() => {
    if (fieldOf('ltm-find-setting')?.value) filterSoon();
  });
  document.addEventListener('input', event => {
    if (event.target !== fieldOf('ltm-find-setting')) return;
    const area = document.getElementById('ltm-advanced');
    if (area) drawn.observe(area, { childList: true, subtree: true });
    filterSoon();
  });
}
