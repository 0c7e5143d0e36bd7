// The search tab: Enter key, panels of results, facets, similar documents, copying.
function tell(element, name, value) {
  Shiny.setInputValue(element.closest("[data-ns]").dataset.ns + name, value, { priority: "event" });
}

document.addEventListener("keydown", (event) => {
  const field = event.target;
  if (event.key === "Enter" && field.matches(".stc-search input[type=text]:not([list]), .stc-search input[type=number]")) {
    event.preventDefault();
    field.dispatchEvent(new Event("change", { bubbles: true }));
    field.closest(".stc-search").querySelector(".bslib-task-button").click();
  } else if (event.key === "/" && !field.matches("input, textarea, select, [contenteditable]")) {
    const box = document.querySelector(".tab-pane.active .stc-search input[type=text]");
    if (box) {
      event.preventDefault();
      box.focus();
    }
  }
});

// The compact list: one line per result. The browser remembers it.
const COMPACT = "stc.search.compact";

function compact(on) {
  document.querySelector('.tab-pane[data-value="search"]').classList.toggle("stc-dense", on);
  document.querySelector(".stc-compact").setAttribute("aria-pressed", String(on));
}

document.addEventListener("DOMContentLoaded", () => {
  const button = document.querySelector(".stc-compact");
  if (!button) return;
  try {
    compact(localStorage.getItem(COMPACT) === "1");
  } catch {
    // The browser stores nothing.
  }
  button.addEventListener("click", () => {
    const on = button.getAttribute("aria-pressed") !== "true";
    compact(on);
    try {
      localStorage.setItem(COMPACT, on ? "1" : "0");
    } catch {
      // The choice lasts until the page is closed.
    }
  });
});

// Open, change or close the panel below a result. The server fills it (stc-fill).
function open(button) {
  const panel = document.getElementById(button.getAttribute("aria-controls"));
  const closes = button.getAttribute("aria-expanded") === "true";
  for (const other of button.parentElement.querySelectorAll("[aria-expanded]")) other.setAttribute("aria-expanded", "false");
  panel.hidden = closes;
  panel.dataset.what = closes ? "" : button.dataset.what;
  panel.textContent = closes ? "" : "…";
  if (closes) return;
  button.setAttribute("aria-expanded", "true");
  tell(button, "open", { doc: button.dataset.doc, what: button.dataset.what });
}

function copy(button) {
  const source = document.getElementById(button.dataset.copies);
  const done = () => (button.textContent = say("Copied"));
  const choose = () => {
    window.getSelection().selectAllChildren(source);
    button.textContent = say("Selected: press Ctrl+C");
  };
  if (navigator.clipboard) navigator.clipboard.writeText(source.textContent).then(done, choose);
  else choose();
}

let pressed = null; // the facet or chip that was clicked last, which is drawn anew: the facet gets the focus back, else a neighbour

document.addEventListener("click", (event) => {
  const button = event.target.closest(".stc-near, .stc-reveal, .stc-copy, [data-facet], [data-chip], [data-export]");
  if (!button) return;
  if (button.matches("a") && (event.ctrlKey || event.metaKey || event.shiftKey || event.button !== 0)) return;
  const { doc, field, facet, value, chip, export: kind } = button.dataset;
  if (button.matches(".stc-copy")) copy(button);
  else if (button.matches(".stc-reveal")) open(button);
  else if (button.matches(".stc-near")) tell(button, "near", { doc, field: field || "" });
  else if (kind) tell(button, "export", { kind });
  else if (chip) {
    pressed = { chip };
    tell(button, "chip", { name: chip, value });
  } else {
    event.preventDefault();
    pressed = button.matches("button") ? { facet, value } : null;
    tell(button, "facet", { facet, value });
  }
});

function refocus() {
  if (!pressed || (document.activeElement && document.activeElement !== document.body)) return;
  const target = pressed.chip
    ? document.querySelector(".stc-chips button") || document.querySelector(".stc-told")
    : [...document.querySelectorAll("button[data-facet]")].find(
        ({ dataset }) => dataset.facet === pressed.facet && dataset.value === pressed.value,
      );
  if (target) target.focus({ preventScroll: true });
  pressed = null;
}

// Facets are open beside the results, and folded above them on a narrow page.
const wide = window.matchMedia("(min-width: 900px)");
function unfold() {
  for (const folded of document.querySelectorAll(".stc-folded")) folded.open = wide.matches;
}
wide.addEventListener("change", unfold);
document.addEventListener("DOMContentLoaded", () => {
  unfold();
  for (const part of document.querySelectorAll(".stc-side, .stc-active")) {
    new MutationObserver(refocus).observe(part, { childList: true, subtree: true });
  }
});

// 'toggle' does not bubble.
document.addEventListener(
  "toggle",
  (event) => {
    const details = event.target;
    if (!details.open || details.dataset.asked || !details.matches(".stc-statement")) return;
    tell(details, "sql", { opened: true });
    details.dataset.asked = "yes";
  },
  true,
);

// Insert HTML from the server, which has escaped texts.
Shiny.addCustomMessageHandler("stc-fill", ({ where, html }) => {
  const element = document.querySelector(where);
  if (element) element.innerHTML = html;
});

Shiny.addCustomMessageHandler("stc-stored", ({ queries }) => {
  const list = document.getElementById("stc-stored");
  list.replaceChildren(
    ...queries.map(({ name, text }) => Object.assign(document.createElement("option"), { value: name, label: text })),
  );
});

Shiny.addCustomMessageHandler("stc-download", ({ name, type, text }) => {
  const address = URL.createObjectURL(new Blob([text], { type: `${type};charset=utf-8` }));
  Object.assign(document.createElement("a"), { href: address, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(address), 60_000);
});
