// Tells whether Gradio's page waits for its server. Gradio answers a call with the id of an event,
// and says in a stream when the event is over; the stream itself may stay open.
(() => {
  const send = window.fetch;
  const begun = new Set();
  const over = new Set();
  let sending = 0;

  const isWaiting = () => sending > 0 || [...begun].some(id => !over.has(id));

  const note = line => {
    if (line.includes('"process_completed"'))
      over.add(JSON.parse(line.slice(line.indexOf('{'))).event_id);
  };

  const listen = async body => {
    const reader = body.pipeThrough(new TextDecoderStream()).getReader();
    let rest = '';
    for (let part = await reader.read(); !part.done; part = await reader.read()) {
      const lines = (rest + part.value).split('\n');
      rest = lines.pop();
      lines.forEach(note);
    }
  };

  window.fetch = async (...request) => {
    const url = String(request[0].url || request[0]);
    const isCall = url.includes('/queue/join') || url.includes('/upload?');
    sending += isCall;
    try {
      const response = await send(...request);
      if (url.includes('/queue/join') && response.ok)
        begun.add((await response.clone().json()).event_id);
      if (url.includes('/queue/data')) listen(response.clone().body).catch(() => {});
      return response;
    } finally {
      sending -= isCall;
    }
  };

  // An answer may lead to the next call, but some frames later at most.
  window.ltmSettles = ([frames, patience]) => new Promise(done => {
    const until = performance.now() + patience;
    let quiet = 0;
    const look = () => {
      quiet = isWaiting() ? 0 : quiet + 1;
      if (quiet >= frames || performance.now() > until) done(quiet >= frames);
      else requestAnimationFrame(() => setTimeout(look));
    };
    look();
  });
})();
