// A text in the page's language. English is in the scripts; the page brings the translations (web/words.py).
const WORDS = JSON.parse(document.querySelector("meta[name=stc-words]")?.content || "{}");
function say(text, values = {}) {
  return (WORDS[text] ?? text).replace(/\{(\w+)\}/g, (mark, name) => values[name] ?? mark);
}

// Theme: the system's, light or dark. The reader's choice is remembered by the browser. Figures follow it.
const system = window.matchMedia("(prefers-color-scheme: dark)");
const THEMES = ["system", "light", "dark"];
const drawn = new Map();

function theme() {
  try {
    return THEMES.includes(localStorage.getItem("stc.theme")) ? localStorage.getItem("stc.theme") : "system";
  } catch {
    return "system";
  }
}

const isDark = () => theme() === "dark" || (theme() === "system" && system.matches);

function colours() {
  const style = getComputedStyle(document.body);
  return { text: style.color, grid: isDark() ? "#444" : "#ddd" };
}

function themed(figure, { text, grid }, paper = "transparent") {
  const axis = { gridcolor: grid, zerolinecolor: grid, linecolor: grid, automargin: true };
  const layout = { paper_bgcolor: paper, plot_bgcolor: paper, font: { color: text }, ...figure.layout };
  for (const name of Object.keys(layout).filter((key) => /^[xy]axis/.test(key)).concat(["xaxis", "yaxis"])) {
    layout[name] = { ...axis, ...layout[name] };
  }
  return layout;
}

// plotly.js, 4.8 MB, is loaded with the first figure, so that the page does not wait for it.
let plotly = null;
function loadPlotly() {
  plotly ??= new Promise((done, failed) => {
    const script = Object.assign(document.createElement("script"), { src: "plotly/plotly.min.js", onload: done });
    script.onerror = () => {
      plotly = null; // try again with the next figure
      failed(new Error(`${script.src} cannot be loaded`));
    };
    document.head.append(script);
  });
  return plotly;
}

async function draw(element, figure) {
  await loadPlotly();
  if (drawn.get(element) !== figure) return; // another one came meanwhile
  Plotly.react(element, figure.data, themed(figure, colours()), { responsive: true, displaylogo: false });
  element.dispatchEvent(new CustomEvent("stc-drawn", { bubbles: true }));
}

function follow() {
  document.documentElement.setAttribute("data-bs-theme", isDark() ? "dark" : "light");
  for (const button of document.querySelectorAll(".stc-theme")) button.textContent = button.dataset[theme()];
  for (const [element, figure] of drawn) draw(element, figure);
}
system.addEventListener("change", follow);
document.addEventListener("DOMContentLoaded", () => {
  document.querySelector(".navbar .container-fluid").append(...document.querySelectorAll(".stc-account, .stc-language, .stc-theme"));
  document.querySelector(".navbar-collapse").prepend(...document.querySelectorAll(".stc-views"));
  document.querySelector(".tab-content").setAttribute("role", "main");
  // Open the tab that the address names, before Shiny connects: a reader who clicks early stays where the click leads.
  const tab = new URLSearchParams(window.location.search).getAll("tab").pop();
  const link = tab && document.querySelector(`#tab a[data-value="${CSS.escape(tab)}"]`);
  if (link) bootstrap.Tab.getOrCreateInstance(link).show();
  follow();
});
document.documentElement.setAttribute("data-bs-theme", isDark() ? "dark" : "light");

document.addEventListener("click", (event) => {
  if (!event.target.closest(".stc-theme")) return;
  try {
    localStorage.setItem("stc.theme", THEMES[(THEMES.indexOf(theme()) + 1) % THEMES.length]);
  } catch {
    // The browser stores nothing: the page follows the system.
  }
  follow();
});

// The reader's choice of a language loads the page again in it, at the same view.
document.addEventListener("change", (event) => {
  if (!event.target.matches(".stc-language")) return;
  const secure = window.location.protocol === "https:" ? "; secure" : "";
  document.cookie = `stc_language=${event.target.value}; path=/; max-age=31536000; samesite=lax${secure}`;
  const address = new URL(window.location.href);
  address.searchParams.delete("lang");
  window.location.assign(address);
});

// A figure of stcollection.explore.figures.
class FigureBinding extends Shiny.OutputBinding {
  find(scope) {
    return $(scope).find(".stc-figure");
  }
  async renderValue(element, figure) {
    if (figure === null) {
      if (drawn.delete(element) && window.Plotly) Plotly.purge(element);
      element.dispatchEvent(new CustomEvent("stc-drawn", { bubbles: true }));
      return;
    }
    drawn.set(element, figure);
    await draw(element, figure);
  }
}
Shiny.outputBindings.register(new FigureBinding(), "stc.figure");

// The page's URL: the server changes its parameters, and back and forward tell the server (explore/address.py).
Shiny.addCustomMessageHandler("stc-address", ({ push, changes }) => {
  const address = new URL(window.location.href);
  for (const [name, value] of Object.entries(changes)) {
    if (value === "") address.searchParams.delete(name);
    else address.searchParams.set(name, value);
  }
  if (address.href === window.location.href) return;
  if (push) window.history.pushState(null, "", address);
  else window.history.replaceState(null, "", address);
});
window.addEventListener("popstate", () => Shiny.setInputValue("stc_address", window.location.search, { priority: "event" }));

// A link to another view of the page opens it without loading the page again.
document.addEventListener("click", (event) => {
  const link = event.target.closest?.('a[href^="?"]');
  if (!link || event.defaultPrevented || event.button || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
  if (!Shiny.shinyapp?.isConnected()) return;
  event.preventDefault();
  const spoken = new URLSearchParams(window.location.search).get("lang");
  window.history.pushState(null, "", link.getAttribute("href") + (spoken ? `&lang=${encodeURIComponent(spoken)}` : ""));
  Shiny.setInputValue("stc_address", window.location.search, { priority: "event" });
  window.scrollTo(0, 0);
});
