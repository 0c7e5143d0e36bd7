// Disagreements and proposed queries of the view Judging: j and k move between them, other keys press a button of the focused one.
(() => {
  const ITEM = ".stc-dispute, .stc-proposal";
  const PLACE = "stc.judging.place"; // of the item whose decision was sent
  const items = () => [...document.querySelectorAll(ITEM)];

  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.altKey || event.metaKey || event.repeat || event.isComposing) return;
    if (event.target.closest("input, textarea, select")) return;
    const here = event.target.closest(ITEM);
    const place = items().indexOf(here);
    if ((event.key === "j" || event.key === "k") && items().length) {
      items()[Math.min(Math.max(place + (event.key === "j" ? 1 : -1), 0), items().length - 1)].focus();
    } else {
      const button = /^[0-9a-z]$/.test(event.key) && here?.querySelector(`[data-key="${event.key}"]`);
      if (!button) return;
      button.click();
    }
    event.preventDefault();
  });

  // The name above the list is stored with each decision.
  document.addEventListener("submit", ({ target }) => {
    const item = target.closest(ITEM);
    for (const name of ["reviewer", "adjudicator"]) {
      const typed = document.querySelector(`.stc-begin [name=${name}]`);
      const sent = target.method === "post" && target.elements.namedItem(name);
      if (typed && sent) sent.value = typed.value;
    }
    if (item) sessionStorage.setItem(PLACE, String(items().indexOf(item)));
  });

  const place = sessionStorage.getItem(PLACE);
  sessionStorage.removeItem(PLACE);
  if (place !== null && items().length) items()[Math.min(Number(place), items().length - 1)].focus();
})();
