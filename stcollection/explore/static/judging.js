// The sheet of the view Judging: keys, decisions that are sent now or later, undo, and the reader's own keys.
(() => {
  const { now, post, random, session, window: windowName, writing } = offline;
  const sheet = document.querySelector(".stc-sheet");
  const { pool, annotator } = sheet.dataset;
  const UNDO = "stc.judging.undo";
  let ahead = []; // documents for a lost connection
  let shownAt = now();

  const paper = () => sheet.querySelector(".stc-paper");
  const field = (name) => paper().elements.namedItem(name)?.value ?? "";
  const own = (decision) => decision.pool === pool && decision.annotator === annotator;
  const status = document.querySelector(".stc-status");
  const box = offline.outbox({ prefix: "stc.judging.decision.", own, address: sheet.dataset.kept, body, received: receiveKept, notice });
  const { kept } = box;
  const keys = offline.bindings("stc.judging.keys", /^[0-9]$/); // digits are grades

  // Keep a decision until the server confirms it. If a document is decided again, the last decision counts.
  function keep(decision) {
    for (const other of kept.all()) if (own(other) && other.token === decision.token) kept.remove(other.id);
    kept.add(decision);
  }

  function undoable(change) {
    const all = change(session.get(UNDO, { of: "", ids: [] }).of === pool + "\n" + annotator ? session.get(UNDO).ids : []);
    session.set(UNDO, { of: pool + "\n" + annotator, ids: all.slice(-100) });
    return all;
  }

  function busy(is) {
    if (is) paper().dataset.busy = "1";
    else delete paper().dataset.busy;
    paper().setAttribute("aria-busy", String(is));
  }

  async function press(key) {
    const at = paper();
    if (at.dataset.busy) return;
    const decides = field("token") !== "" && key !== "back" && key !== "undo";
    if (!decides && box.lost) return;
    const fields = new URLSearchParams(new FormData(at));
    fields.set("key", key);
    fields.set("scripted", "1");
    fields.set("window", windowName);
    let id = "";
    if (decides) {
      id = random();
      const seconds = String(Math.max(0, now() - shownAt) / 1000);
      const changed = field("note") !== field("before");
      const keeps = key === "skip" && field("decided") && !changed;
      fields.set("id", id);
      fields.set("seconds", seconds);
      ahead = ahead.filter((one) => one.token !== field("token"));
      if (!keeps) {
        const decision = { id, key, pool, annotator, token: field("token"), query: field("query"), seen: field("seen") };
        keep({ ...decision, note: changed ? field("note") : null, seconds: Number(seconds), at: Date.now() });
      }
    }
    fields.set("have", ahead.map((one) => one.token).join(","));
    if (key === "undo") fields.set("last", undoable((ids) => ids).at(-1) ?? "");
    busy(true);
    const reply = box.lost ? null : await post(at.action, fields.toString(), "application/x-www-form-urlencoded");
    if (reply === null) {
      box.lose();
      if (decides) withoutConnection();
      else busy(false);
      return;
    }
    if (key === "undo" && reply.ids) undoable((ids) => ids.slice(0, -1));
    receive(reply);
  }

  // Show what an answer has: the next document, what happened, documents for a lost connection.
  function receive(reply) {
    for (const id of reply.ids ?? []) kept.remove(id);
    if (reply.undo) undoable((ids) => [...ids, reply.undo]);
    sheet.querySelector(".stc-trouble").innerHTML = reply.error ?? ""; // made by the server, which escapes all texts
    if (reply.told) status.textContent = reply.told;
    keepAhead(reply.ahead);
    if (reply.html) show(reply.html);
    else busy(false);
  }

  function keepAhead(documents = []) {
    const known = new Set([field("token"), ...ahead.map((one) => one.token), ...kept.all().map((one) => one.token)]);
    ahead = [...ahead, ...documents.filter((one) => !known.has(one.token))];
  }

  function show(html) {
    paper().outerHTML = html; // made by the server
    ahead = ahead.filter((one) => one.token !== field("token"));
    shown();
    paper().querySelector("h2").focus({ preventScroll: true });
    if (paper().getBoundingClientRect().top < 0) window.scrollTo({ top: 0 });
  }

  function shown() {
    shownAt = now();
    const address = new URL(window.location.href);
    for (const [name, value] of [["doc", field("token")], ["at", field("query")]]) {
      if (value) address.searchParams.set(name, value);
      else address.searchParams.delete(name);
    }
    address.searchParams.delete("last");
    window.history.replaceState(null, "", address);
    keys.mark();
    read();
  }

  // The article of another topic is loaded when its document is shown.
  async function read() {
    const article = sheet.querySelector(".stc-article");
    const { topic, article: has } = paper().dataset;
    article.hidden = !has;
    if (!has || article.dataset.topic === topic) return;
    article.dataset.topic = topic;
    const address = new URL(sheet.dataset.article, window.location.href);
    address.searchParams.set("doc", field("token"));
    address.searchParams.set("at", field("query"));
    try {
      const reply = await window.fetch(address, { headers: { "hx-request": "true" } });
      if (!reply.ok) throw new Error(reply.statusText);
      article.querySelector("div").innerHTML = await reply.text(); // made by the server
    } catch {
      article.dataset.topic = ""; // again with the next document
    }
  }

  // Without a connection: show the next document that the server sent ahead, and send the decisions when the server answers.
  function withoutConnection() {
    const decided = new Set(kept.all().filter(own).map((one) => one.token));
    const next = ahead.find((one) => !decided.has(one.token) && one.token !== field("token"));
    ahead = ahead.filter((one) => one !== next);
    if (next) show(next.html);
    else {
      const nothing = document.createElement("p");
      nothing.textContent = sheet.dataset.none;
      paper().replaceChildren(nothing);
      busy(false);
    }
    notice();
  }

  function notice() {
    const element = document.querySelector(".stc-kept");
    element.textContent = sheet.dataset.lost.replace("{waiting}", kept.all().filter(own).length);
    element.hidden = !box.lost;
  }

  // The document on the screen, which the server reserves, and those that the browser has.
  function body() {
    const names = ["token", "query", "again", "documents"];
    const shown = field("token") ? Object.fromEntries(names.map((name) => [name, field(name)])) : {};
    return { ...shown, have: ahead.map((one) => one.token).join(",") };
  }

  function receiveKept(reply) {
    const working = paper().dataset.busy;
    keepAhead(reply.ahead);
    if (reply.error) sheet.querySelector(".stc-trouble").innerHTML = reply.error; // made by the server
    if (reply.told) status.textContent = reply.told;
    const pace = paper().querySelector(".stc-pace a");
    if (reply.progress && pace) pace.textContent = reply.progress;
    if (reply.html && !working) show(reply.html);
  }

  const help = document.querySelector(".stc-help");
  const guide = sheet.querySelector(".stc-beside");
  function open(what) {
    if (what === "help") {
      if (help.open) help.close();
      else help.showModal();
    } else {
      const over = getComputedStyle(guide).display === "none" || guide.classList.contains("stc-over");
      if (!over) {
        const part = sheet.querySelector(what === "article" ? ".stc-article" : ".stc-guide");
        part.open = !part.open;
      } else if (guide.classList.toggle("stc-over")) {
        if (what === "article") sheet.querySelector(".stc-article").open = true;
        guide.focus();
      } else paper().querySelector("h2").focus({ preventScroll: true });
    }
  }

  const ACTIONS = {
    note: () => paper().querySelector(".stc-note")?.focus(),
    query: () => {
      const whole = paper().querySelector(".stc-query");
      if (whole) whole.open = !whole.open;
    },
    guide: () => open("guide"),
    article: () => open("article"),
    help: () => open("help"),
  };

  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.altKey || event.metaKey || event.isComposing) return;
    if (event.key === "Escape") {
      if (guide.classList.contains("stc-over")) open("guide");
      else if (event.target.closest(".stc-note")) paper().querySelector("h2").focus();
      return;
    }
    if (event.repeat || writing(event.target)) return;
    const action = keys.action(event.key);
    if (help.open && action !== "help") return;
    const name = event.key === "Backspace" || event.key === "ArrowLeft" ? "back" : action;
    if (name in ACTIONS) ACTIONS[name]();
    else {
      const key = name ?? (/^[0-9]$/.test(event.key) ? event.key : null);
      const button = key && [...paper().querySelectorAll("[name=key]")].find((one) => one.value === key);
      if (!button) return;
      if (!button.disabled) press(key);
    }
    event.preventDefault();
  });

  document.addEventListener("click", ({ target }) => {
    const button = target.closest("button");
    if (button?.dataset.opens) open(button.dataset.opens);
  });

  document.addEventListener("submit", (event) => {
    if (!event.target.matches(".stc-paper")) return;
    event.preventDefault();
    if (event.submitter?.name === "key") press(event.submitter.value); // Enter in the note decides nothing
  });

  // An article that the reader opened or closed stays so.
  sheet.querySelector(".stc-article").addEventListener("toggle", ({ target }) => session.set("stc.judging.article", target.open));
  const folded = session.get("stc.judging.article");
  if (folded !== undefined) sheet.querySelector(".stc-article").open = folded;

  window.addEventListener("pagehide", () => {
    navigator.sendBeacon?.(sheet.dataset.leave, new URLSearchParams({ window: windowName }));
  });
  shown();
  box.resume();
})();
