// The judging tab: keys, buttons, and the judging session, which the browser remembers while its tab is open.
(() => {
  const STORE = "stc.judging";
  const { now, reconnect, random, seen } = offline;
  const kept = offline.keeper(`${STORE}.decision.`);
  const root = () => document.querySelector(".stc-judging");
  const send = (name, value) => Shiny.setInputValue(root().dataset.ns + name, value, { priority: "event" });

  function remembered() {
    try {
      return JSON.parse(sessionStorage.getItem(STORE)) || {};
    } catch {
      return {};
    }
  }

  function remember(part) {
    const all = { ...remembered(), ...part };
    try {
      sessionStorage.setItem(STORE, JSON.stringify(all));
    } catch {
      // The browser stores nothing: after a reload, the annotator must start again.
    }
    return all;
  }

  let ahead = []; // documents that the server sent for a lost connection
  const online = () => Shiny.shinyapp?.isConnected() && !lost;
  let lost = false;

  $(document).on("shiny:sessioninitialized", () => {
    if (!root()) return;
    const { window: name, pool, annotator, query } = remember({ window: remembered().window || random() });
    send("resume", { window: name, pool, annotator, query, queue: kept.all() });
    Shiny.addCustomMessageHandler("stc-judging", remember);
    Shiny.addCustomMessageHandler("stc-judging-done", ({ ids }) => ids.forEach((id) => kept.remove(id)));
    Shiny.addCustomMessageHandler("stc-judging-ahead", ({ documents }) => (ahead = documents));
  });

  // Keep a decision until the server confirms it. If a document is decided again, the last decision counts.
  function keep(decision) {
    const same = (one) => ["pool", "annotator", "token"].every((name) => one[name] === decision[name]);
    kept.all().filter(same).forEach((one) => kept.remove(one.id));
    kept.add(decision);
  }

  // The document on the screen, to which keys apply. It takes one decision; the next document is a new element.
  const paper = () => root()?.querySelector(".stc-paper");
  let follow = false;

  // Another document was requested: ignore keys until it is drawn.
  function leave() {
    follow = true;
    const at = paper();
    if (!at) return;
    at.dataset.busy = "1";
    at.setAttribute("aria-busy", "true");
  }

  function press(key) {
    const at = paper();
    if (!seen(at) || at.dataset.busy) return;
    const { pool, annotator, query, token, serial, seen: before } = at.dataset;
    const field = at.querySelector(".stc-note");
    const decides = token && key !== "back" && key !== "undo";
    if (!decides && !online()) return;
    const message = { key, pool, query, token, serial, note: field?.value ?? "" };
    if (decides) {
      ahead = ahead.filter((one) => one.token !== token); // else it would be shown again without a connection
      Object.assign(message, { id: random(), seconds: Math.max(0, now() - Number(at.dataset.shown || now())) / 1000 });
      const changed = field && field.value !== field.defaultValue;
      const keeps = key === "skip" && !changed && at.querySelector("[data-press][aria-pressed=true]");
      if (!keeps) keep({ ...message, annotator, note: changed ? field.value : null, seen: before, at: Date.now() });
    }
    leave();
    if (online()) send("press", message);
    else withoutConnection();
  }

  // Without a connection: show the next document that the server sent ahead, and reload the page when the server answers.
  function withoutConnection() {
    const at = paper();
    const decided = new Set(kept.all().map((one) => one.token));
    const next = ahead.find((one) => !decided.has(one.token) && one.token !== at.dataset.token);
    ahead = ahead.filter((one) => one !== next);
    if (next) {
      at.outerHTML = next.html; // made by the server, which escapes all texts
    } else {
      const done = document.createElement("p");
      done.textContent = say("No further document is loaded. Judging goes on when the server answers.");
      at.replaceChildren(done);
    }
    notice();
  }

  function notice() {
    const element = root().querySelector(".stc-kept");
    const waiting = kept.all().length;
    element.textContent = say(
      "The connection to the server is lost. Go on judging: decisions are kept in this browser ({waiting} now) and are sent when the server answers. Keep this page open.",
      { waiting },
    );
    element.hidden = false;
  }

  $(document).on("shiny:disconnected", () => {
    if (lost || !root() || !paper()) return;
    lost = true;
    document.documentElement.classList.add("stc-lost");
    notice();
    const at = paper();
    if (at.dataset.busy) {
      const decided = kept.all().some((one) => one.token === at.dataset.token);
      if (decided) withoutConnection();
      else {
        delete at.dataset.busy;
        at.removeAttribute("aria-busy");
      }
    }
    setTimeout(reconnect, 1000);
  });
  window.addEventListener("beforeunload", () => (lost = true)); // leaving the page is no lost connection

  const writing = (element) => element.closest("input, textarea, select, [contenteditable]");
  const KEYS = { s: "skip", c: "undecided", u: "undo", p: "back", Backspace: "back", ArrowLeft: "back" };

  document.addEventListener("keydown", (event) => {
    if (!root() || event.ctrlKey || event.altKey || event.metaKey) return;
    if (dispute(event)) return;
    const at = paper();
    if (!seen(at)) return;
    if (event.key === "Escape" && event.target.closest(".stc-note")) {
      at.querySelector("h2").focus();
      return;
    }
    if (event.repeat || event.isComposing || writing(event.target)) return;
    const help = root().querySelector(".stc-help");
    if (event.key === "?") help.open = !help.open;
    else if (event.key === "n") at.querySelector(".stc-note")?.focus();
    else if (event.key === "ArrowLeft" && event.target.closest("[role=tab]")) return;
    else if (Object.hasOwn(KEYS, event.key)) {
      if (!at.querySelector(`[data-press="${KEYS[event.key]}"]`)?.disabled) press(KEYS[event.key]);
    } else if (event.key.length === 1 && at.dataset.grades?.includes(event.key)) {
      if (!at.querySelector(`[data-press="${event.key}"]`).disabled) press(event.key);
    } else return;
    event.preventDefault();
  });

  // Disagreements and proposed queries: j and k move between them. A digit sets the final grade of the focused document, a letter
  // decides on the focused query.
  let settled = null; // the one whose decision was sent, and its place

  const ITEM = ".stc-dispute, .stc-proposal";
  const disputes = () => [...root().querySelectorAll(ITEM)].filter(seen);

  function dispute(event) {
    const here = event.target.closest?.(ITEM);
    if (!disputes().length || event.repeat || event.isComposing || writing(event.target)) return false;
    const place = disputes().indexOf(here);
    if (event.key === "j" || event.key === "k") {
      disputes()[Math.min(Math.max(place + (event.key === "j" ? 1 : -1), 0), disputes().length - 1)].focus();
    } else if (here && /^[0-9]$/.test(event.key)) here.querySelector(`[data-final="${event.key}"]`)?.click();
    else if (here && /^[a-z]$/.test(event.key)) here.querySelector(`[data-key="${event.key}"]`)?.click();
    else return false;
    event.preventDefault();
    return true;
  }

  const typed = (name) => root().querySelector(`[id="${root().dataset.ns}${name}"]`).value;

  function review(button) {
    const here = button.closest(".stc-proposal");
    settled = { here, place: disputes().indexOf(here) };
    const value = (name) => here.querySelector(name).value;
    const decision = { id: here.dataset.id, verdict: button.dataset.verdict, reworded: value(".stc-reworded"), note: value(".stc-why") };
    send("review", { ...decision, reviewer: typed("reviewer") });
  }

  function settle(button) {
    const here = button.closest(".stc-dispute");
    const adjudicator = typed("adjudicator");
    settled = { here, place: disputes().indexOf(here) };
    const { pool, query, docno } = here.dataset;
    send("final", { pool, query, docno, rel: button.dataset.final, note: here.querySelector(".stc-why").value, adjudicator });
  }

  document.addEventListener("click", (event) => {
    const button = event.target.closest(".stc-judging button");
    if (!button) return;
    const { press: key, choose, look, final, verdict, publish } = button.dataset;
    if (key !== undefined) press(key);
    else if (verdict !== undefined) review(button);
    else if (publish !== undefined) send("publish", now());
    else if (final !== undefined) settle(button);
    else if (choose !== undefined) {
      leave();
      send("choose", { query: choose });
    } else if (look !== undefined) {
      leave();
      send("look", { token: look });
    }
  });

  document.addEventListener("submit", (event) => {
    if (!event.target.matches(".stc-begin")) return;
    event.preventDefault();
    const value = (name) => event.target.querySelector(`[id="${root().dataset.ns}${name}"]`).value;
    leave();
    send("begin", { pool: value("pool"), annotator: value("annotator") });
  });

  function toStatus() {
    const status = root().querySelector(".stc-status");
    const { top } = status.getBoundingClientRect();
    if (top < 0 || top > window.innerHeight / 2) status.scrollIntoView();
  }

  // An article that the annotator opened or closed stays so on the next documents.
  document.addEventListener("click", (event) => {
    const article = event.target.closest(".stc-judging .stc-article > summary")?.parentElement;
    if (article) remember({ article: !article.open });
  });

  function foldArticles() {
    const { article: open } = remembered();
    if (open === undefined) return;
    for (const article of root()?.querySelectorAll(".stc-article:not([data-folded])") ?? []) {
      article.dataset.folded = "1";
      article.open = open;
    }
  }

  // Note when a document is shown. Move the focus to it if a key or button requested it.
  new MutationObserver(() => {
    const at = paper();
    foldArticles();
    if (at && !at.dataset.shown && seen(at)) at.dataset.shown = String(now());
    if (settled && !settled.here.isConnected && disputes().length) {
      disputes()[Math.min(settled.place, disputes().length - 1)].focus();
      settled = null;
    }
    if (!follow || !seen(at) || at.dataset.busy) return;
    follow = false;
    at.querySelector("h2")?.focus({ preventScroll: true });
    setTimeout(toStatus, 150); // after the other parts of the page are drawn, which move the document
  }).observe(document.documentElement, { childList: true, subtree: true });
})();
