// The panel for pairs: keys and buttons that compare two documents, and comparisons that wait for a connection.
(() => {
  const { now, reconnect, random, seen } = offline;
  const kept = offline.keeper("stc.pairs.decision.");
  const root = () => document.querySelector(".stc-judging");
  const pair = () => root()?.querySelector(".stc-comparison");
  const send = (name, value) => Shiny.setInputValue(root().dataset.ns + name, value, { priority: "event" });
  let lost = false;
  let follow = false;

  $(document).on("shiny:sessioninitialized", () => {
    if (!root()) return;
    let name = "";
    try {
      name = JSON.parse(sessionStorage.getItem("stc.judging")).window;
    } catch {
      // The browser stores nothing.
    }
    Shiny.addCustomMessageHandler("stc-pairs-done", ({ ids }) => ids.forEach((id) => kept.remove(id)));
    send("pairs_resume", { window: name || random(), queue: kept.all() });
  });

  function choose(choice) {
    const at = pair();
    if (!seen(at) || at.dataset.busy) return;
    const online = Shiny.shinyapp?.isConnected() && !lost;
    const { pool, annotator, query, left: first, right, serial } = at.dataset;
    const message = { choice, pool, annotator, query, left: first, right, serial };
    if (choice === "undo") {
      if (!online) return;
    } else {
      if (!first) return;
      Object.assign(message, { id: random(), at: Date.now() });
      message.seconds = Math.max(0, now() - Number(at.dataset.shown || now())) / 1000;
      kept.add(message);
      for (const button of at.querySelectorAll("[data-compare]")) {
        button.setAttribute("aria-pressed", String(button.dataset.compare === choice));
      }
    }
    follow = true;
    at.dataset.busy = "1";
    at.setAttribute("aria-busy", "true");
    if (online) send("compare", message);
    else notice();
  }

  function notice() {
    const element = root().querySelector(".stc-pairs-kept");
    element.textContent = kept.all().length
      ? say("The connection to the server is lost. Your comparison is kept in this browser and sent when the server answers. Keep this page open.")
      : say("The connection to the server is lost. You can still compare this pair; the next one follows when the server answers.");
    element.hidden = false;
  }

  $(document).on("shiny:disconnected", () => {
    if (lost || !root() || !seen(pair())) return;
    lost = true;
    document.documentElement.classList.add("stc-lost");
    const at = pair();
    const sent = kept.all().some((one) => one.left === at.dataset.left && one.right === at.dataset.right);
    if (at.dataset.busy && !sent) {
      delete at.dataset.busy;
      at.removeAttribute("aria-busy");
    }
    notice();
    setTimeout(reconnect, 1000);
  });
  window.addEventListener("beforeunload", () => (lost = true)); // leaving the page is no lost connection

  const KEYS = { 1: "left", ArrowLeft: "left", 2: "right", ArrowRight: "right", 0: "equal", "=": "equal", b: "neither", c: "undecided", u: "undo" };

  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.altKey || event.metaKey || event.repeat || event.isComposing || !seen(pair())) return;
    if (event.target.closest("input, textarea, select, [contenteditable], [role=tab]")) return;
    const help = pair().closest(".stc-pairing")?.querySelector(".stc-help");
    if (event.key === "?" && help) help.open = !help.open;
    else if (Object.hasOwn(KEYS, event.key)) choose(KEYS[event.key]);
    else return;
    event.preventDefault();
  });

  document.addEventListener("click", (event) => {
    const button = event.target.closest(".stc-judging button");
    if (button?.dataset.compare !== undefined) choose(button.dataset.compare);
    else if (button?.dataset.pairs !== undefined) send("pairs_of", { query: button.dataset.pairs });
  });

  // Note when a pair is shown. Move the focus to it if a key or button requested it.
  new MutationObserver(() => {
    const at = pair();
    if (!seen(at)) return;
    if (!at.dataset.shown) at.dataset.shown = String(now());
    if (!follow || at.dataset.busy) return;
    follow = false;
    at.querySelector(".stc-asked")?.focus({ preventScroll: true });
    const { top } = at.getBoundingClientRect();
    if (top < 0) at.scrollIntoView();
  }).observe(document.documentElement, { childList: true, subtree: true });
})();
