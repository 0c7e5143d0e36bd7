// Figures of all tabs: downloads as SVG, PNG and CSV, and clicks on marks that the server receives.
(() => {
  const LIGHT = { text: "#1b1b1b", grid: "#ddd" };
  const FORMULA = /^[=+\-@\t\r\n＝＋－＠]/; // what a spreadsheet would run: see stcollection/cells.py

  // Texts of figures are HTML: tags mark up, and three signs are escaped.
  function plain(text) {
    return String(text).replace(/<br\s*\/?>/g, "; ").replace(/<[^>]*>/g, "")
      .replaceAll("&lt;", "<").replaceAll("&gt;", ">").replaceAll("&amp;", "&");
  }

  function cell(value) {
    if (value === null || value === undefined || Number.isNaN(value)) return "";
    if (typeof value === "number") return String(value);
    let text = plain(value).replace(/\r\n?/g, "\n");
    if (FORMULA.test(text) && !/^[=+\-@]$/.test(text) && !(text.trim() === text && Number.isFinite(Number(text)))) text = `'${text}`;
    return /[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
  }

  const isList = (value) => Array.isArray(value) || ArrayBuffer.isView(value);
  const size = (list) => (isList(list) ? list.length : 0);

  // The ends of an error bar at a mark.
  function ends(bar, value, at) {
    const above = bar.array ? bar.array[at] : bar.type === "percent" ? (value * bar.value) / 100 : bar.value;
    const below = bar.symmetric === false && bar.arrayminus ? bar.arrayminus[at] : above;
    return [value - below, value + above];
  }

  function traceRows(trace, titles) {
    if (isList(trace.z) && isList(trace.z[0])) {
      return trace.z.flatMap((line, i) =>
        Array.from(line, (z, j) => ({ [titles.x]: trace.x?.[j] ?? j, [titles.y]: trace.y?.[i] ?? i, value: z })));
    }
    const lists = { x: trace.x, y: trace.y, value: trace.z ?? trace.values, label: trace.labels };
    const told = isList(trace.hovertext) ? trace.hovertext : trace.text;
    const count = Math.max(...Object.values(lists).map(size));
    return Array.from({ length: Math.max(0, count) }, (_, at) => {
      const row = {};
      if (isList(told) && told[at] !== undefined) row.text = told[at];
      for (const [name, list] of Object.entries(lists)) if (isList(list)) row[titles[name] ?? name] = list[at];
      for (const name of ["x", "y"]) {
        const bar = trace[`error_${name}`];
        if (!bar || bar.visible === false || !isList(lists[name]) || typeof lists[name][at] !== "number") continue;
        [row[`${titles[name]} low`], row[`${titles[name]} high`]] = ends(bar, lists[name][at], at);
      }
      return row;
    });
  }

  // A table of everything that a figure draws, one row a mark.
  function csv(element) {
    const layout = element._fullLayout;
    const title = (name) => plain(layout[`${name}axis`]?.title?.text ?? "").replace(/^Click to enter.*$/, "") || name;
    const titles = { x: title("x"), y: title("y") };
    if (titles.x === titles.y) titles.y = `${titles.y} (y)`;
    const traces = element._fullData;
    const rows = traces.flatMap((trace) =>
      traceRows(trace, titles).map((row) => (traces.length > 1 ? { series: trace.name, ...row } : row)));
    const heads = [...new Set(rows.flatMap(Object.keys))].filter((head) => {
      // A text that only repeats another column adds nothing.
      const others = (row) => Object.entries(row).some(([name, value]) => name !== head && value === row[head]);
      return head !== "text" || !rows.every((row) => !row.text || others(row));
    });
    const lines = [heads, ...rows.map((row) => heads.map((head) => row[head]))];
    return lines.map((line) => `${line.map(cell).join(",")}\r\n`).join("");
  }

  function offer(name, blob) {
    const link = document.createElement("a");
    link.href = URL.createObjectURL(blob);
    link.download = name;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
  }

  function save(element, kind) {
    const label = element.getAttribute("aria-label").split(";")[0];
    const filename = label.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, "-").replace(/^-|-$/g, "").slice(0, 60) || "figure";
    if (kind === "csv") {
      offer(`${filename}.csv`, new Blob([csv(element)], { type: "text/csv;charset=utf-8" }));
      return;
    }
    // Always on white, for papers and slides.
    const figure = drawn.get(element);
    const layout = { ...themed(figure, LIGHT, "#fff"), width: element.clientWidth, height: element.clientHeight };
    const [width, height] = [element.clientWidth, element.clientHeight];
    Plotly.downloadImage({ data: figure.data, layout }, { format: kind, filename, width, height, scale: kind === "png" ? 2 : 1 });
  }

  document.addEventListener("click", (event) => {
    const button = event.target.closest("button.stc-save");
    if (button) save(document.getElementById(button.dataset.figure), button.dataset.kind);
  });

  document.addEventListener("stc-drawn", (event) => {
    const element = event.target;
    const saves = element.parentElement?.querySelector(":scope > .stc-saves");
    if (saves) saves.hidden = !drawn.has(element);
    if (!element.dataset.click || !drawn.has(element)) return;
    element.removeAllListeners("plotly_click");
    element.on("plotly_click", ({ points }) => {
      const value = points[0]?.customdata?.[0];
      if (value !== undefined) Shiny.setInputValue(element.dataset.click, value, { priority: "event" });
    });
  });
})();
