// Pairs of the view Judging: keys and buttons that compare two documents, and comparisons that wait for a connection.
(() => {
  const { now, post, random, session, window: windowName, writing } = offline;
  const sheet = document.querySelector(".stc-sheet");
  const { pool, annotator } = sheet.dataset;
  const MADE = `stc.pairs.made ${pool}\n${annotator}`; // queries of the comparisons of this browser tab
  const pair = () => sheet.querySelector(".stc-comparison");
  const field = (name) => pair().elements.namedItem(name)?.value ?? "";
  const own = (decision) => decision.pool === pool && decision.annotator === annotator;
  const status = document.querySelector(".stc-status");
  let shownAt = now();
  const body = () => ({ query: field("query") });
  const box = offline.outbox({ prefix: "stc.pairs.decision.", own, address: sheet.dataset.kept, body, received: receive, notice });
  const { kept } = box;
  const keys = offline.bindings("stc.pairs.keys");

  function busy(is) {
    if (is) pair().dataset.busy = "1";
    else delete pair().dataset.busy;
    pair().setAttribute("aria-busy", String(is));
  }

  async function choose(choice) {
    if (pair().dataset.busy) return;
    const fields = new URLSearchParams(new FormData(pair()));
    fields.set("choice", choice);
    fields.set("scripted", "1");
    fields.set("window", windowName);
    const query = field("query");
    if (choice === "undo") {
      if (box.lost) return;
      fields.set("last", session.get(MADE, []).at(-1) ?? "");
    } else {
      if (!field("left")) return;
      const id = random();
      const seconds = Math.max(0, now() - shownAt) / 1000;
      fields.set("id", id);
      fields.set("seconds", String(seconds));
      kept.add({ id, choice, pool, annotator, query, left: field("left"), right: field("right"), seconds, at: Date.now() });
      for (const button of pair().querySelectorAll("[name=choice]")) {
        button.setAttribute("aria-pressed", String(button.value === choice));
      }
    }
    busy(true);
    const reply = box.lost ? null : await post(pair().action, fields.toString(), "application/x-www-form-urlencoded");
    if (reply === null) {
      box.lose();
      if (choice === "undo") busy(false);
      return;
    }
    if (reply.html) {
      const made = session.get(MADE, []);
      session.set(MADE, choice === "undo" ? made.slice(0, -1) : [...made, query].slice(-100));
    }
    receive(reply);
  }

  function receive(reply) {
    for (const id of reply.ids ?? []) kept.remove(id);
    sheet.querySelector(".stc-trouble").innerHTML = reply.error ?? ""; // made by the server, which escapes all texts
    if (reply.told) status.textContent = reply.told;
    if (!reply.html) {
      busy(false);
      return;
    }
    sheet.querySelector(".stc-pair").innerHTML = reply.html; // made by the server
    keys.mark();
    shownAt = now();
    pair().querySelector(".stc-asked").focus({ preventScroll: true });
    if (pair().getBoundingClientRect().top < 0) window.scrollTo({ top: 0 });
  }

  function notice() {
    const element = document.querySelector(".stc-kept");
    element.textContent = kept.all().some(own) ? sheet.dataset.lost : sheet.dataset.still;
    element.hidden = !box.lost;
  }

  const help = document.querySelector(".stc-help");
  const guide = sheet.querySelector(".stc-beside");
  function open(what) {
    if (what === "help") {
      if (help.open) help.close();
      else help.showModal();
    } else if (getComputedStyle(guide).display === "none" || guide.classList.contains("stc-over")) {
      if (guide.classList.toggle("stc-over")) guide.focus();
    } else {
      const part = guide.querySelector(".stc-guide");
      part.open = !part.open;
    }
  }

  const ALSO = { ArrowLeft: "left", ArrowRight: "right", "=": "equal" };

  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.altKey || event.metaKey || event.repeat || event.isComposing || writing(event.target)) return;
    const action = keys.action(event.key) ?? (Object.hasOwn(ALSO, event.key) ? ALSO[event.key] : null);
    if (event.key === "Escape" && guide.classList.contains("stc-over")) open("guide");
    else if (!action || (help.open && action !== "help")) return;
    else if (action === "help" || action === "guide") open(action);
    else choose(action);
    event.preventDefault();
  });

  document.addEventListener("click", ({ target }) => {
    const button = target.closest("button");
    if (button?.dataset.opens) open(button.dataset.opens);
  });

  document.addEventListener("submit", (event) => {
    if (!event.target.matches(".stc-comparison")) return;
    event.preventDefault();
    if (event.submitter?.name === "choice") choose(event.submitter.value);
  });

  window.addEventListener("pagehide", () => {
    navigator.sendBeacon?.(sheet.dataset.leave, new URLSearchParams({ window: windowName }));
  });
  box.resume();
})();
