// Send the document that the reader selects on the map or in its list to the server, and move the ring to the open document.
(() => {
  document.addEventListener("click", (event) => {
    const spot = event.target.closest("button.stc-spot");
    if (spot) Shiny.setInputValue(spot.dataset.input, Number(spot.dataset.doc), { priority: "event" });
  });

  // Listen to clicks on marks as soon as the figure is drawn; Plotly adds on() to its element then.
  function listen(element, frames = 300) {
    if (element.on !== undefined && element.stcOn === element.on) return;
    if (element.on === undefined) {
      if (frames > 0) requestAnimationFrame(() => listen(element, frames - 1));
      return;
    }
    element.stcOn = element.on; // a figure drawn anew after an error has another
    element.on("plotly_click", (clicked) => {
      const doc = clicked?.points?.[0]?.customdata?.[0];
      if (doc !== undefined) Shiny.setInputValue(element.closest(".stc-map").dataset.input, doc, { priority: "event" });
    });
  }
  $(document).on("shiny:value", (event) => {
    if (event.target.matches?.(".stc-map .stc-figure")) listen(event.target);
  });

  Shiny.addCustomMessageHandler("stc-map-ring", ({ figure, place }) => {
    const element = document.getElementById(figure);
    if (!element?.data?.length) return;
    const [x, y] = place ? [[place[0]], [place[1]]] : [[], []];
    Plotly.restyle(element, { x: [x], y: [y] }, [element.data.length - 1]);
  });
})();
