// The server-rendered views: theme, language, keys, panels below results, copying. Pages work without it, except for copying.
const root = document.documentElement;
root.classList.add("scripts");

// What the browser remembers; nothing if it stores nothing.
const kept = {
  get(name) {
    try {
      return localStorage.getItem(name);
    } catch {
      return null;
    }
  },
  set(name, value) {
    try {
      localStorage.setItem(name, value);
    } catch {
      // The choice lasts until the page is closed.
    }
  },
};

// Theme: the system's, light or dark.
const THEMES = ["system", "light", "dark"];
const theme = () => (THEMES.includes(kept.get("stc.theme")) ? kept.get("stc.theme") : "system");
root.dataset.theme = theme();
root.classList.toggle("compact", kept.get("stc.search.compact") === "1");

// Facets are open next to the results, and folded above them on a narrow page.
const wide = window.matchMedia("(min-width: 56.25rem)");
function unfold() {
  for (const folded of document.querySelectorAll(".stc-folded")) folded.open = wide.matches;
}
wide.addEventListener("change", unfold);

function show() {
  for (const button of document.querySelectorAll(".stc-theme")) button.textContent = button.dataset[theme()];
  for (const button of document.querySelectorAll(".stc-compact")) {
    button.setAttribute("aria-pressed", String(root.classList.contains("compact")));
  }
}

// Tabs scroll on a narrow page: bring the present one into view.
function reveal() {
  for (const tab of document.querySelectorAll(".board-parts [aria-current], .stc-panels [aria-current]")) {
    const strip = tab.closest(".board-parts, .stc-panels");
    strip.scrollLeft += tab.getBoundingClientRect().right - strip.getBoundingClientRect().right;
  }
}

document.addEventListener("DOMContentLoaded", () => {
  show();
  unfold();
  reveal();
});

function copy(button) {
  const source = document.getElementById(button.dataset.copies);
  const done = () => (button.textContent = button.dataset.copied);
  const choose = () => {
    window.getSelection().selectAllChildren(source);
    button.textContent = button.dataset.selected;
  };
  if (navigator.clipboard) navigator.clipboard.writeText(source.textContent).then(done, choose);
  else choose();
}

document.addEventListener("click", (event) => {
  const button = event.target.closest("button");
  if (button?.matches(".stc-copy")) copy(button);
  if (button?.matches(".stc-theme")) {
    kept.set("stc.theme", THEMES[(THEMES.indexOf(theme()) + 1) % THEMES.length]);
    root.dataset.theme = theme();
    show();
  }
  if (button?.matches(".stc-compact")) {
    kept.set("stc.search.compact", root.classList.toggle("compact") ? "1" : "0");
    show();
  }
});

// The choice of a language loads the page again in it.
document.addEventListener("change", (event) => {
  if (!event.target.matches(".stc-language")) return;
  const secure = window.location.protocol === "https:" ? "; secure" : "";
  document.cookie = `stc_language=${event.target.value}; path=/; max-age=31536000; samesite=lax${secure}`;
  const address = new URL(window.location.href);
  address.searchParams.delete("lang");
  window.location.assign(address);
});

// A language in the address stays there.
const spoken = new URLSearchParams(window.location.search).get("lang");
document.addEventListener(
  "click",
  (event) => {
    const link = spoken ? event.target.closest('a[href^="/"]') : null;
    if (!link) return;
    const address = new URL(link.href);
    if (!address.searchParams.has("lang")) address.searchParams.set("lang", spoken);
    link.setAttribute("href", address.pathname + address.search);
  },
  true,
);

// An address has only the fields whose values are not empty and not the default. Some forms join several values of a field.
document.addEventListener("formdata", (event) => {
  if (event.target.method !== "get") return;
  if (spoken) event.formData.set("lang", spoken);
  const joins = event.target.matches(".stc-search, .stc-short");
  for (const name of new Set(event.formData.keys())) {
    const given = event.formData.getAll(name).filter(Boolean);
    const field = event.target.elements[name];
    const usual = (field?.dataset ?? field?.[0]?.dataset)?.default;
    event.formData.delete(name);
    for (const value of joins ? [given.join(",")] : given) if (value && value !== usual) event.formData.append(name, value);
  }
});

// '/' moves to the search box. The space key presses links that are buttons.
document.addEventListener("keydown", (event) => {
  const field = event.target;
  if (event.key === " " && field.matches("a[role=button]")) {
    event.preventDefault();
    field.click();
  } else if (event.key === "/" && !field.matches("input, textarea, select, [contenteditable]")) {
    const box = document.querySelector("input[name=q]:not([type=hidden])");
    if (box) {
      event.preventDefault();
      box.focus();
      box.select();
    }
  }
});

// A panel below a result: a second press closes it, and another button replaces its content.
document.addEventListener(
  "click",
  (event) => {
    const button = event.target.closest("a[aria-expanded]");
    if (!button || event.ctrlKey || event.metaKey || event.shiftKey || event.button) return;
    const panel = document.getElementById(button.getAttribute("aria-controls"));
    const closes = button.getAttribute("aria-expanded") === "true";
    for (const other of button.parentElement.querySelectorAll("[aria-expanded]")) other.setAttribute("aria-expanded", "false");
    panel.hidden = closes;
    panel.textContent = closes ? "" : "…";
    if (closes) {
      event.preventDefault();
      event.stopPropagation();
    } else button.setAttribute("aria-expanded", "true");
  },
  true,
);

// Loading states: a line at the top of the window while the next page loads, and aria-busy on the part that a request replaces.
// Downloads leave the page open, so their links start nothing. The line disappears after a minute.
let waiting;
function busy(on) {
  clearTimeout(waiting);
  root.toggleAttribute("data-busy", on);
  document.getElementById("main")?.setAttribute("aria-busy", String(on));
  if (on) waiting = setTimeout(busy, 60_000, false);
}
const leads = (address) => address.origin === window.location.origin && !/\.\w+$/.test(address.pathname);
document.addEventListener("click", (event) => {
  const link = event.target.closest("a[href]");
  const elsewhere = !link || event.ctrlKey || event.metaKey || event.shiftKey || event.button;
  if (elsewhere || link.target || link.hasAttribute("download") || link.getAttribute("href").startsWith("#")) return;
  if (leads(new URL(link.href))) setTimeout(() => event.defaultPrevented || busy(true)); // another listener may take it
});
document.addEventListener("submit", (event) => {
  if (leads(new URL(event.target.action))) setTimeout(() => event.defaultPrevented || busy(true));
});
window.addEventListener("pageshow", () => busy(false));
for (const [name, on] of [["htmx:beforeRequest", true], ["htmx:afterRequest", false]]) {
  document.addEventListener(name, ({ detail }) => detail.target.setAttribute("aria-busy", String(on)));
}

// Requests that fail: the session has ended, or the server is down.
document.addEventListener("htmx:responseError", ({ detail }) => {
  if (detail.xhr.status === 401) window.location.reload();
});
document.addEventListener("htmx:sendError", ({ detail }) => {
  detail.target.textContent = document.body.dataset.unreachable;
});

// Signing out ends the session in all tabs of the browser.
const sessions = "BroadcastChannel" in window ? new BroadcastChannel("stc.sessions") : null;
document.addEventListener("submit", (event) => {
  if (event.target.matches(".stc-account")) sessions?.postMessage("ended");
});
async function check() {
  if (!document.querySelector(".stc-account")) return;
  try {
    if ((await fetch("/session", { cache: "no-store" })).status === 401) window.location.reload();
  } catch {
    // The server is down: the page stays readable.
  }
}
sessions?.addEventListener("message", () => setTimeout(check, 500));
window.addEventListener("pageshow", ({ persisted }) => persisted && check());
document.addEventListener("visibilitychange", () => document.hidden || check());
