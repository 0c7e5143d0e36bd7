// Sortable tables, and buttons that send the selected query to the server.
function sortTable(button) {
  const head = button.closest("th");
  const table = head.closest("table");
  const at = Array.from(head.parentNode.children).indexOf(head);
  const before = head.getAttribute("aria-sort");
  const first = button.dataset.number === "yes" ? "descending" : "ascending";
  const order = before === "none" ? first : before === "ascending" ? "descending" : "ascending";
  const way = order === "ascending" ? 1 : -1;
  const rows = Array.from(table.tBodies[0].rows).map((row) => [row.cells[at].dataset.key, row]);
  rows.sort(([one], [other]) => {
    if (one === "" || other === "") return (one === "") - (other === "");
    if (button.dataset.number === "yes") return way * (Number(one) - Number(other));
    return way * (one < other ? -1 : one > other ? 1 : 0);
  });
  table.tBodies[0].append(...rows.map(([, row]) => row));
  for (const other of head.parentNode.children) other.setAttribute("aria-sort", other === head ? order : "none");
}

document.addEventListener("click", (event) => {
  const sorter = event.target.closest("button.stc-sort");
  if (sorter) sortTable(sorter);
  const picker = event.target.closest("button.stc-pick");
  if (!picker) return;
  for (const other of picker.closest("table").querySelectorAll("button.stc-pick")) {
    other.toggleAttribute("aria-pressed", false);
  }
  picker.setAttribute("aria-pressed", "true");
  Shiny.setInputValue(picker.dataset.input, picker.dataset.value, { priority: "event" });
});
