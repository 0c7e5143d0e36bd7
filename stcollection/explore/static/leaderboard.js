// The leaderboard: sorting, live filter, brackets of groups, the card of a run, and buttons that send a value to the server.
(() => {
  // Sort rows by a column. An empty key comes last in both directions.
  function sortRows(table, head, order) {
    const at = Array.from(head.parentNode.children).indexOf(head);
    const number = head.querySelector(".stc-sort").dataset.number === "yes";
    const way = order === "ascending" ? 1 : -1;
    const rows = Array.from(table.tBodies[0].rows).map((row) => [row.cells[at].dataset.key, row]);
    rows.sort(([one], [other]) => {
      if (one === "" || other === "") return (one === "") - (other === "");
      if (number) return way * (Number(one) - Number(other));
      return way * (one < other ? -1 : one > other ? 1 : 0);
    });
    table.tBodies[0].append(...rows.map(([, row]) => row));
    for (const other of head.parentNode.children) other.setAttribute("aria-sort", other === head ? order : "none");
    bracket(table);
  }

  function clicked(button) {
    const head = button.closest("th");
    const table = head.closest("table");
    const before = head.getAttribute("aria-sort");
    const first = button.dataset.number === "yes" ? "descending" : "ascending";
    const order = before === "none" ? first : before === "ascending" ? "descending" : "ascending";
    sortRows(table, head, order);
    if (table === board()) remember({ sort: button.dataset.name, order: order === "ascending" ? "up" : "" });
  }

  // Draw one bracket along adjacent visible runs of a group.
  function bracket(table) {
    const rows = Array.from(table.tBodies[0].rows).filter((row) => !row.hidden);
    rows.forEach((row, at) => {
      const cell = row.querySelector(".stc-group");
      if (!cell) return;
      const group = row.dataset.group;
      cell.classList.toggle("stc-grouped", Boolean(group));
      cell.classList.toggle("stc-first", Boolean(group) && rows[at - 1]?.dataset.group !== group);
      cell.classList.toggle("stc-last", Boolean(group) && rows[at + 1]?.dataset.group !== group);
    });
  }

  // Live filter: of the rows in the browser, kept in the URL. The server does not see it.
  const FIELDS = { filter: "stc-filter", team: "stc-filter-team", family: "stc-filter-family" };
  const field = (name) => document.getElementById(FIELDS[name]);
  const board = () => document.querySelector(".stc-board table");

  function fromAddress() {
    const place = new URLSearchParams(window.location.search);
    for (const name of Object.keys(FIELDS)) {
      const value = place.get(name) ?? "";
      const element = field(name);
      if (element.tagName === "SELECT" && value && !Array.from(element.options).some((one) => one.value === value)) continue;
      element.value = value;
    }
  }

  // Put values into the URL, without an entry in the history; '' removes a parameter.
  function remember(values) {
    const address = new URL(window.location.href);
    for (const [name, value] of Object.entries(values)) {
      if (value) address.searchParams.set(name, value);
      else address.searchParams.delete(name);
    }
    if (address.href !== window.location.href) window.history.replaceState(null, "", address);
  }

  // Sort the table as the URL says, else as the server did.
  function sortByAddress() {
    const table = board();
    if (!table) return;
    const place = new URLSearchParams(window.location.search);
    const heads = Array.from(table.tHead.rows[0].cells);
    const head = heads.find((one) => one.querySelector(".stc-sort").dataset.name === place.get("sort"));
    if (head) sortRows(table, head, place.get("order") === "up" ? "ascending" : "descending");
    else if (heads[Number(table.dataset.first)]) sortRows(table, heads[Number(table.dataset.first)], "descending");
  }

  function offer(rows) {
    for (const name of ["team", "family"]) {
      const values = [...new Set(rows.map((row) => row.dataset[name]).filter(Boolean))].sort();
      const select = field(name);
      const chosen = select.value;
      const options = values.map((value) => Object.assign(document.createElement("option"), { value, textContent: value }));
      select.replaceChildren(select.options[0], ...options);
      select.value = values.includes(chosen) ? chosen : "";
      select.parentElement.hidden = values.length < 2;
    }
  }

  function applyFilter() {
    const table = board();
    if (!table) return;
    const words = field("filter").value.toLowerCase().split(/[\s,]+/).filter(Boolean);
    const [team, family] = [field("team").value, field("family").value];
    const rows = Array.from(table.tBodies[0].rows);
    for (const row of rows) {
      const text = `${row.dataset.run} ${row.dataset.team ?? ""} ${row.dataset.family ?? ""}`.toLowerCase();
      const fits = words.every((word) => text.includes(word));
      row.hidden = !fits || (team && row.dataset.team !== team) || (family && row.dataset.family !== family);
    }
    const count = rows.filter((row) => !row.hidden).length;
    const shown = count === rows.length ? "" : say("Runs shown: {count} of {all}", { count, all: rows.length });
    const none = say("No run matches the filter. Clear it to show all runs.");
    document.getElementById("stc-filter-count").textContent = count ? shown : none;
    bracket(table);
  }

  function renewed() {
    const table = board();
    document.querySelector(".stc-filter").hidden = !table;
    if (!table) return;
    offer(Array.from(table.tBodies[0].rows));
    table.dataset.first = Array.from(table.tHead.rows[0].cells).findIndex((one) => one.ariaSort === "descending");
    fromAddress();
    applyFilter();
    if (new URLSearchParams(window.location.search).has("sort")) sortByAddress();
  }

  // Shiny has replaced the table.
  document.addEventListener("DOMContentLoaded", () => {
    const output = document.getElementById("leaderboard-table");
    if (output) new MutationObserver(renewed).observe(output, { childList: true });
  });
  for (const kind of ["input", "change"]) {
    document.addEventListener(kind, (event) => {
      if (event.target.id === "leaderboard-by") remember({ sort: "", order: "" }); // rank by this one
      if (!Object.values(FIELDS).includes(event.target.id)) return;
      applyFilter();
      remember(Object.fromEntries(Object.keys(FIELDS).map((name) => [name, field(name).value])));
    });
  }
  window.addEventListener("popstate", () => {
    fromAddress();
    applyFilter();
    sortByAddress();
  });

  // A run is not compared with itself: select the best other run at once, before the reader selects one that the server would replace.
  document.addEventListener("change", (event) => {
    const [run, other] = ["run", "other"].map((name) => document.getElementById(`leaderboard-pair-${name}`));
    if (![run, other].includes(event.target) || !run || run.value !== other.value) return;
    other.value = Array.from(other.options, (one) => one.value).find((value) => value && value !== run.value) ?? "";
    other.dispatchEvent(new Event("change", { bubbles: true }));
  });

  // The card of a run is a modal dialog, so that the browser keeps the focus in it and closes it with Escape.
  const card = () => document.querySelector("dialog.stc-card");
  let opener = null; // the button that opened it, which may be drawn anew meanwhile
  Shiny.addCustomMessageHandler("stc-card", ({ open }) => {
    if (open && !card().open) card().showModal();
    else if (!open && card().open) card().close();
  });
  document.addEventListener("DOMContentLoaded", () => {
    card()?.addEventListener("close", () => {
      Shiny.setInputValue(`${card().dataset.ns}closed`, true, { priority: "event" });
      const again = opener && Array.from(document.querySelectorAll("button.stc-open")).find((one) => one.dataset.value === opener);
      again?.focus();
    });
    card()?.addEventListener("click", (event) => {
      // 'Close', or outside of its content
      if (event.target === card() || event.target.closest(".stc-card-close button")) card().close();
    });
  });

  Shiny.addCustomMessageHandler("stc-focus", ({ id }) => {
    const element = document.getElementById(id);
    opener = null;
    element?.scrollIntoView();
    element?.focus();
  });

  document.addEventListener("click", (event) => {
    const sorter = event.target.closest("button.stc-sort");
    if (sorter) clicked(sorter);
    const open = event.target.closest("button.stc-open");
    if (open) {
      opener = open.dataset.value;
      Shiny.setInputValue(open.dataset.input, open.dataset.value, { priority: "event" });
    }
    const picker = event.target.closest("button.stc-pick");
    if (!picker) return;
    for (const other of picker.closest("table").querySelectorAll("button.stc-pick")) other.setAttribute("aria-pressed", "false");
    picker.setAttribute("aria-pressed", "true");
    Shiny.setInputValue(picker.dataset.input, picker.dataset.value, { priority: "event" });
  });
})();
