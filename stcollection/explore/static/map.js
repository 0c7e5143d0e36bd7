// Send the document that the reader selects on the map or in its list to the server, and move the ring to the open document.
document.addEventListener("click", (event) => {
  const spot = event.target.closest("button.stc-spot");
  if (spot) Shiny.setInputValue(spot.dataset.input, Number(spot.dataset.doc), { priority: "event" });
});

$(document).on("plotly_click", ".stc-map .stc-figure", (event, clicked) => {
  const doc = clicked?.points?.[0]?.customdata?.[0];
  if (doc !== undefined) Shiny.setInputValue(event.target.closest(".stc-map").dataset.input, doc, { priority: "event" });
});

Shiny.addCustomMessageHandler("stc-map-ring", ({ figure, place }) => {
  const element = document.getElementById(figure);
  if (!element?.data?.length) return;
  const [x, y] = place ? [[place[0]], [place[1]]] : [[], []];
  Plotly.restyle(element, { x: [x], y: [y] }, [element.data.length - 1]);
});
