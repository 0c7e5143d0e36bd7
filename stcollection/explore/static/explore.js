// Follow the system's light or dark theme, also in figures.
const dark = window.matchMedia("(prefers-color-scheme: dark)");
const drawn = new Map();

function colours() {
  const style = getComputedStyle(document.body);
  return { text: style.color, grid: dark.matches ? "#444" : "#ddd" };
}

function draw(element, figure) {
  const { text, grid } = colours();
  const axis = { gridcolor: grid, zerolinecolor: grid, linecolor: grid, automargin: true };
  const layout = { paper_bgcolor: "transparent", plot_bgcolor: "transparent", font: { color: text }, ...figure.layout };
  for (const name of Object.keys(layout).filter((key) => /^[xy]axis/.test(key)).concat(["xaxis", "yaxis"])) {
    layout[name] = { ...axis, ...layout[name] };
  }
  Plotly.react(element, figure.data, layout, { responsive: true, displaylogo: false });
}

function follow() {
  document.documentElement.setAttribute("data-bs-theme", dark.matches ? "dark" : "light");
  for (const [element, figure] of drawn) draw(element, figure);
}
dark.addEventListener("change", follow);
document.documentElement.setAttribute("data-bs-theme", dark.matches ? "dark" : "light");

// A figure of stcollection.explore.figures.
class FigureBinding extends Shiny.OutputBinding {
  find(scope) {
    return $(scope).find(".stc-figure");
  }
  renderValue(element, figure) {
    if (figure === null) {
      Plotly.purge(element);
      drawn.delete(element);
      return;
    }
    drawn.set(element, figure);
    draw(element, figure);
  }
}
Shiny.outputBindings.register(new FigureBinding(), "stc.figure");
