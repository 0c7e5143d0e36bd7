// The search tab: Enter key, explanations, neighbours, copying SQL.
function tell(element, name, value) {
  Shiny.setInputValue(element.closest("[data-ns]").dataset.ns + name, value, { priority: "event" });
}

document.addEventListener("keydown", (event) => {
  const field = event.target;
  if (event.key === "Enter" && field.matches(".stc-search input:not([list])")) {
    event.preventDefault();
    field.dispatchEvent(new Event("change", { bubbles: true }));
    field.closest(".stc-search").querySelector(".bslib-task-button").click();
  } else if (event.key === "/" && !field.matches("input, textarea, select, [contenteditable]")) {
    const box = document.querySelector(".tab-pane.active .stc-search input[type=text]");
    if (box) {
      event.preventDefault();
      box.focus();
    }
  }
});

document.addEventListener("click", (event) => {
  const near = event.target.closest(".stc-near");
  if (near) tell(near, "near", { doc: near.dataset.doc, field: near.dataset.field || "" });
  const copy = event.target.closest(".stc-copy");
  if (copy) {
    const source = document.getElementById(copy.dataset.copies);
    const done = () => (copy.textContent = "Copied");
    const choose = () => {
      window.getSelection().selectAllChildren(source);
      copy.textContent = "Selected: press Ctrl+C";
    };
    if (navigator.clipboard) navigator.clipboard.writeText(source.textContent).then(done, choose);
    else choose();
  }
});

// 'toggle' does not bubble.
document.addEventListener(
  "toggle",
  (event) => {
    const details = event.target;
    if (!details.open || details.dataset.asked) return;
    if (details.matches(".stc-why")) tell(details, "why", { doc: details.dataset.doc });
    else if (details.matches(".stc-sql")) tell(details, "sql", { opened: true });
    else return;
    details.dataset.asked = "yes";
  },
  true,
);

// Insert HTML from the server, which has escaped texts.
Shiny.addCustomMessageHandler("stc-fill", ({ where, html }) => {
  const element = document.querySelector(where);
  if (element) element.innerHTML = html;
});

Shiny.addCustomMessageHandler("stc-stored", ({ queries }) => {
  const list = document.getElementById("stc-stored");
  list.replaceChildren(
    ...queries.map(({ name, text }) => Object.assign(document.createElement("option"), { value: name, label: text })),
  );
});
