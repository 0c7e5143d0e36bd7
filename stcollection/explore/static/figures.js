// Figures of the tabs: downloads as SVG, PNG and CSV.
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

  // The tables beside a drawing as CSV, one after another, each with its heads.
  function tablesCsv(element) {
    const tables = element.parentElement.querySelectorAll(".stc-drawn-rows table");
    return Array.from(tables, (table) =>
      Array.from(table.rows, (row) => `${Array.from(row.cells, (one) => cell(one.textContent.trim())).join(",")}\r\n`).join(""),
    ).join("\r\n");
  }

  // A drawing that the server made as SVG.
  function saveDrawing(element, kind, filename) {
    if (kind === "csv") {
      offer(`${filename}.csv`, new Blob([tablesCsv(element)], { type: "text/csv;charset=utf-8" }));
      return;
    }
    const svg = element.querySelector("svg");
    const blob = new Blob([new XMLSerializer().serializeToString(svg)], { type: "image/svg+xml;charset=utf-8" });
    if (kind === "svg") {
      offer(`${filename}.svg`, blob);
      return;
    }
    const [width, height] = [svg.viewBox.baseVal.width, svg.viewBox.baseVal.height];
    const image = new Image();
    image.onload = () => {
      const canvas = Object.assign(document.createElement("canvas"), { width: 2 * width, height: 2 * height });
      const pen = canvas.getContext("2d");
      pen.fillStyle = "#fff";
      pen.fillRect(0, 0, canvas.width, canvas.height);
      pen.drawImage(image, 0, 0, canvas.width, canvas.height);
      canvas.toBlob((png) => offer(`${filename}.png`, png), "image/png");
      URL.revokeObjectURL(image.src);
    };
    image.src = URL.createObjectURL(blob);
  }

  function save(element, kind) {
    const label = element.getAttribute("aria-label").split(";")[0];
    const filename = label.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, "-").replace(/^-|-$/g, "").slice(0, 60) || "figure";
    if (element.matches(".stc-drawing")) {
      saveDrawing(element, kind, filename);
      return;
    }
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
  });
})();
