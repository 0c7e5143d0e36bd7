// Send the topic that the reader selects to the server, and scroll its documents into view.
document.addEventListener("click", (event) => {
  const chosen = event.target.closest("button.stc-topic");
  if (chosen === null) return;
  for (const other of document.querySelectorAll('button.stc-topic[aria-pressed="true"]')) other.setAttribute("aria-pressed", "false");
  chosen.setAttribute("aria-pressed", "true");
  Shiny.setInputValue(chosen.dataset.input, `${chosen.dataset.kind} ${chosen.dataset.place}`, { priority: "event" });
});

$(document).on("shiny:value", (event) => {
  if (event.target.closest?.(".stc-held")) {
    requestAnimationFrame(() => event.target.querySelector("h2")?.scrollIntoView({ block: "nearest" }));
  }
});
