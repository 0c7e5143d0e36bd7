// The map: draws the marks on a canvas, with zoom, titles on hover and a click that opens a document.
const canvas = document.querySelector(".stc-map canvas");
const title = document.querySelector(".stc-map-title");
const { follow } = await import(canvas.dataset.parts);
const NEAR = 12; // pixels between the pointer and a mark
const EDGE = 16;
const MOST = 60; // times

let map = null;
let titles = {};
let view = { zoom: 1, x: 0, y: 0 }; // x, y: from the middle of the map to the middle of the canvas, in shares of the side
let wanted = 0;

const size = () => ({ width: canvas.clientWidth, height: canvas.clientHeight });
const radius = () => (map.doc.length <= 500 ? 5 : map.doc.length <= 2000 ? 4 : 3) * Math.min(2, 1 + Math.log2(view.zoom) / 4);
const opened = () => Number(document.getElementById("map-open").dataset.doc || NaN);

function place(at) {
  const { width, height } = size();
  return [
    width / 2 + (map.x[at] / map.side - 0.5 - view.x) * view.zoom * (width - 2 * EDGE),
    height / 2 + (map.y[at] / map.side - 0.5 - view.y) * view.zoom * (height - 2 * EDGE),
  ];
}

function draw() {
  wanted = 0;
  if (!map) return;
  const { width, height } = size();
  const sharp = window.devicePixelRatio || 1;
  canvas.width = width * sharp;
  canvas.height = height * sharp;
  const pen = canvas.getContext("2d");
  const unit = radius();
  for (let at = 0; at < map.doc.length; at += 1) {
    const [x, y] = place(at);
    if (x < -EDGE || y < -EDGE || x > width + EDGE || y > height + EDGE) continue;
    const group = map.groups[map.group[at]];
    const scale = unit * group.size * sharp;
    pen.setTransform(scale, 0, 0, scale, x * sharp, y * sharp);
    pen.fillStyle = group.colour;
    pen.fill(group.path);
    if (group.size < 1) continue;
    pen.lineWidth = 0.6 / (unit * group.size);
    pen.strokeStyle = "#777";
    pen.stroke(group.path);
  }
  const ring = map.doc.indexOf(opened());
  if (ring < 0) return;
  const [x, y] = place(ring);
  pen.setTransform(sharp, 0, 0, sharp, 0, 0);
  pen.beginPath();
  pen.arc(x, y, 12, 0, 2 * Math.PI);
  pen.lineWidth = 3;
  pen.strokeStyle = "#d55e00";
  pen.stroke();
}

const redraw = () => (wanted ||= requestAnimationFrame(draw));

// The mark next to a point, -1 if none is near.
function nearest(x, y) {
  let found = -1;
  let least = NEAR ** 2;
  for (let at = 0; map && at < map.doc.length; at += 1) {
    const [left, top] = place(at);
    const distance = (left - x) ** 2 + (top - y) ** 2;
    if (distance <= least) [found, least] = [at, distance];
  }
  return found;
}

function zoom(factor, x = size().width / 2, y = size().height / 2) {
  const { width, height } = size();
  const next = Math.min(MOST, Math.max(1, view.zoom * factor));
  // What is below the pointer stays there.
  const left = (x - width / 2) / (width - 2 * EDGE);
  const top = (y - height / 2) / (height - 2 * EDGE);
  view = { zoom: next, x: view.x + left / view.zoom - left / next, y: view.y + top / view.zoom - top / next };
  if (next === 1) view = { zoom: 1, x: 0, y: 0 };
  redraw();
}

function move(x, y) {
  const { width, height } = size();
  view = { ...view, x: view.x - x / (view.zoom * (width - 2 * EDGE)), y: view.y - y / (view.zoom * (height - 2 * EDGE)) };
  redraw();
}

function say(at, x, y) {
  title.hidden = at < 0;
  canvas.classList.toggle("stc-on-mark", at >= 0);
  if (at < 0) return;
  title.textContent = titles[map.doc[at]] ?? "…";
  const { width } = size();
  title.classList.toggle("stc-left", x > width / 2);
  const space = title.parentElement.getBoundingClientRect();
  title.style.setProperty("inset-block-start", `${y + 14}px`);
  title.style.setProperty(x > width / 2 ? "inset-inline-end" : "inset-inline-start", `${x > width / 2 ? space.width - x : x}px`);
  title.style.removeProperty(x > width / 2 ? "inset-inline-start" : "inset-inline-end");
}

function open(at) {
  const address = new URL(canvas.dataset.documents, window.location.href);
  address.searchParams.set("doc", map.doc[at]);
  follow(address.href, "map-open");
}

// One pointer moves the map, two zoom it; a press without a move opens a document.
const pointers = new Map();
let moved = 0;
canvas.addEventListener("pointerdown", (event) => {
  canvas.setPointerCapture(event.pointerId);
  pointers.set(event.pointerId, [event.offsetX, event.offsetY]);
  moved = 0;
});
canvas.addEventListener("pointermove", (event) => {
  const before = pointers.get(event.pointerId);
  if (!before) {
    say(nearest(event.offsetX, event.offsetY), event.offsetX, event.offsetY);
    return;
  }
  const [x, y] = [event.offsetX - before[0], event.offsetY - before[1]];
  moved += Math.abs(x) + Math.abs(y);
  const other = [...pointers].find(([id]) => id !== event.pointerId)?.[1];
  if (other) {
    const apart = (point) => Math.hypot(point[0] - other[0], point[1] - other[1]) || 1;
    zoom(apart([event.offsetX, event.offsetY]) / apart(before), ...other);
  } else move(x, y);
  pointers.set(event.pointerId, [event.offsetX, event.offsetY]);
});
canvas.addEventListener("pointerup", (event) => {
  if (pointers.size === 1 && moved < 5) {
    const at = nearest(event.offsetX, event.offsetY);
    if (at >= 0) open(at);
  }
  pointers.delete(event.pointerId);
});
canvas.addEventListener("pointercancel", (event) => pointers.delete(event.pointerId));
canvas.addEventListener("pointerleave", () => say(-1));
canvas.addEventListener(
  "wheel",
  (event) => {
    event.preventDefault();
    zoom(1.0015 ** -event.deltaY, event.offsetX, event.offsetY);
  },
  { passive: false },
);
const KEYS = { ArrowLeft: [60, 0], ArrowRight: [-60, 0], ArrowUp: [0, 60], ArrowDown: [0, -60] };
canvas.addEventListener("keydown", (event) => {
  if (event.key === "+" || event.key === "=") zoom(1.5);
  else if (event.key === "-") zoom(1 / 1.5);
  else if (event.key === "0") zoom(0);
  else if (KEYS[event.key]) move(...KEYS[event.key]);
  else return;
  event.preventDefault();
});
for (const button of document.querySelectorAll("[data-zoom]")) {
  button.addEventListener("click", () => zoom({ in: 1.5, out: 1 / 1.5, all: 0 }[button.dataset.zoom]));
}

// Downloads show what the canvas shows, on white.
function svg() {
  const { width, height } = size();
  const unit = radius();
  const marks = map.doc.map((_, at) => {
    const group = map.groups[map.group[at]];
    const [x, y] = place(at).map((value) => value.toFixed(1));
    return `<path transform="translate(${x} ${y}) scale(${(unit * group.size).toFixed(2)})" d="${group.shape}" fill="${group.colour}"/>`;
  });
  const head = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}">`;
  return new Blob([`${head}<rect width="100%" height="100%" fill="white"/>${marks.join("")}</svg>`], { type: "image/svg+xml" });
}

function png() {
  const drawn = Object.assign(document.createElement("canvas"), { width: canvas.width, height: canvas.height });
  const pen = drawn.getContext("2d");
  pen.fillStyle = "#fff";
  pen.fillRect(0, 0, drawn.width, drawn.height);
  pen.drawImage(canvas, 0, 0);
  return new Promise((done) => drawn.toBlob(done));
}

for (const button of document.querySelectorAll("[data-save]")) {
  button.addEventListener("click", async () => {
    const kind = button.dataset.save;
    const href = URL.createObjectURL(kind === "svg" ? svg() : await png());
    Object.assign(document.createElement("a"), { href, download: `${canvas.dataset.name}.${kind}` }).click();
    setTimeout(() => URL.revokeObjectURL(href), 10_000);
  });
}

const form = document.querySelector(".stc-map-form");
form.addEventListener("change", () => form.requestSubmit());
form.addEventListener("formdata", ({ formData }) => formData.set("doc", document.getElementById("map-open").dataset.doc));
document.addEventListener("stc-part", redraw);
new ResizeObserver(redraw).observe(canvas);

map = await (await fetch(canvas.dataset.points)).json();
for (const group of map.groups) group.path = new Path2D(group.shape);
redraw();
titles = await (await fetch(canvas.dataset.titles)).json();
canvas.dataset.ready = "true";
