// Send the topic that the reader selects to the server, and scroll its documents into view.
function pressTopic(topic) {
  for (const button of document.querySelectorAll("button.stc-topic")) {
    button.setAttribute("aria-pressed", `${button.dataset.kind} ${button.dataset.place}` === topic ? "true" : "false");
  }
}

document.addEventListener("click", (event) => {
  const chosen = event.target.closest("button.stc-topic");
  if (chosen === null) return;
  const topic = `${chosen.dataset.kind} ${chosen.dataset.place}`;
  pressTopic(topic);
  Shiny.setInputValue(chosen.dataset.input, topic, { priority: "event" });
});

// After back and forward another topic is selected.
Shiny.addCustomMessageHandler("stc-topic", ({ topic }) => pressTopic(topic));

$(document).on("shiny:value", (event) => {
  if (event.target.closest?.(".stc-held")) {
    requestAnimationFrame(() => event.target.querySelector("h2")?.scrollIntoView({ block: "nearest" }));
  }
});
