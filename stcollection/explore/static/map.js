// Send the document that the reader selects on the map or in its list to the server, and move the ring to the open document.
(() => {
  document.addEventListener("click", (event) => {
    const spot = event.target.closest("button.stc-spot");
    if (spot) Shiny.setInputValue(spot.dataset.input, Number(spot.dataset.doc), { priority: "event" });
  });

  document.addEventListener("stc-drawn", (event) => {
    const element = event.target;
    if (!element.matches(".stc-map .stc-figure") || !drawn.has(element)) return;
    element.removeAllListeners("plotly_click");
    element.on("plotly_click", (clicked) => {
      const doc = clicked?.points?.[0]?.customdata?.[0];
      if (doc !== undefined) Shiny.setInputValue(element.closest(".stc-map").dataset.input, doc, { priority: "event" });
    });
    ring(element);
  });

  const rings = new Map(); // by the id of the figure, which may be drawn later

  function ring(element) {
    if (!element?.data?.length || !rings.has(element.id)) return;
    const place = rings.get(element.id);
    const [x, y] = place ? [[place[0]], [place[1]]] : [[], []];
    Plotly.restyle(element, { x: [x], y: [y] }, [element.data.length - 1]);
  }

  Shiny.addCustomMessageHandler("stc-map-ring", ({ figure, place }) => {
    rings.set(figure, place);
    ring(document.getElementById(figure));
  });
})();
