// The judging tab: keys, buttons, and the judging session, which the browser remembers while its tab is open.
(() => {
  const STORE = "stc.judging";
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

  $(document).on("shiny:sessioninitialized", () => {
    if (!root()) return;
    const name = remembered().window || Array.from(crypto.getRandomValues(new Uint32Array(4)), (n) => n.toString(36)).join("");
    send("resume", remember({ window: name }));
    Shiny.addCustomMessageHandler("stc-judging", remember);
  });

  // The document on the screen, to which keys apply. It takes one decision; the next document is a new element.
  const paper = () => root()?.querySelector(".stc-paper");
  const seen = (element) => element && element.getClientRects().length > 0;
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
    if (!seen(at) || at.dataset.busy || !Shiny.shinyapp.isConnected()) return;
    leave();
    const { pool, query, token, serial } = at.dataset;
    send("press", { key, pool, query, token, serial, note: at.querySelector(".stc-note")?.value ?? "" });
  }

  const writing = (element) => element.closest("input, textarea, select, [contenteditable]");

  document.addEventListener("keydown", (event) => {
    const at = paper();
    if (!seen(at) || event.ctrlKey || event.altKey || event.metaKey) return;
    if (event.key === "Escape" && event.target.closest(".stc-note")) {
      at.querySelector("h2").focus();
      return;
    }
    if (event.repeat || event.isComposing || writing(event.target)) return;
    const help = root().querySelector(".stc-help");
    if (event.key === "?") help.open = !help.open;
    else if (event.key === "n") at.querySelector(".stc-note")?.focus();
    else if (event.key === "s") press("skip");
    else if (event.key === "Backspace" || (event.key === "ArrowLeft" && !event.target.closest("[role=tab]"))) press("back");
    else if (event.key.length === 1 && at.dataset.grades.includes(event.key)) {
      if (!at.querySelector(`[data-press="${event.key}"]`).disabled) press(event.key);
    } else return;
    event.preventDefault();
  });

  document.addEventListener("click", (event) => {
    const button = event.target.closest(".stc-judging button");
    if (!button) return;
    const { press: key, choose, look } = button.dataset;
    if (key !== undefined) press(key);
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

  // Move the focus to the new document if a key or button requested it.
  new MutationObserver(() => {
    const at = paper();
    if (!follow || !seen(at) || at.dataset.busy) return;
    follow = false;
    at.querySelector("h2").focus({ preventScroll: true });
    const { top } = root().querySelector(".stc-status").getBoundingClientRect();
    if (top < 0 || top > window.innerHeight / 2) root().querySelector(".stc-status").scrollIntoView();
  }).observe(document.documentElement, { childList: true, subtree: true });
})();
