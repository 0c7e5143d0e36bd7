// A topic's words, chosen by click or key, are told to the server; what is told comes into view.
document.addEventListener("click", (event) => {
  const chosen = event.target.closest("button.stc-topic");
  if (chosen === null) return;
  for (const other of document.querySelectorAll('button.stc-topic[aria-pressed="true"]')) other.setAttribute("aria-pressed", "false");
  chosen.setAttribute("aria-pressed", "true");
  Shiny.setInputValue(chosen.dataset.input, `${chosen.dataset.kind} ${chosen.dataset.place}`, { priority: "event" });
});
