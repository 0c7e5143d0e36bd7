// The view Upload: sends a chosen or dropped file, shows how far it is, and opens its page when it has arrived.
const zone = document.querySelector(".stc-drop");
let running = null;

// The texts of the zone, in the reader's language, with values in their placeholders.
const text = (name, values = {}) => zone.dataset[name].replace(/\{(\w+)\}/g, (whole, key) => values[key] ?? whole);
const megabytes = (bytes) => `${(bytes / 2 ** 20).toLocaleString("en", { maximumFractionDigits: 1 })} MB`;

function state(told, error = "") {
  zone.querySelector(".stc-drop-state").textContent = told;
  const place = zone.querySelector(".stc-drop-error");
  place.textContent = error && `${place.dataset.before} ${error}`;
}

function show(isRunning) {
  zone.querySelector(".stc-waiting").hidden = !isRunning;
  zone.querySelector("input[type=file]").disabled = isRunning;
}

// The server's reason for a refusal; a text of our own if there is no readable answer.
function reason(request) {
  try {
    const { message, hint } = JSON.parse(request.responseText).error;
    return hint ? `${message}. ${hint}` : `${message}.`;
  } catch {
    return request.status ? text("status", { status: request.status }) : text("broken");
  }
}

function fault(file) {
  const limit = Number(zone.dataset.limit);
  if (running) return text("busy");
  if (file.size > limit) return text("large", { name: file.name, size: megabytes(file.size), most: megabytes(limit) });
  return file.size ? "" : text("empty", { name: file.name });
}

function send(file) {
  const why = fault(file);
  if (why) {
    state("", why);
    return;
  }
  const request = new XMLHttpRequest();
  const bar = zone.querySelector("progress");
  running = request;
  bar.value = 0;
  show(true);
  state(text("uploading", { name: file.name }));
  request.upload.addEventListener("progress", (event) => {
    if (event.lengthComputable) bar.value = (100 * event.loaded) / event.total;
  });
  request.addEventListener("loadend", () => {
    running = null;
    show(false);
    zone.querySelector("input[type=file]").value = "";
  });
  request.addEventListener("abort", () => state(text("cancelled")));
  request.addEventListener("error", () => state("", reason(request)));
  request.addEventListener("load", () => {
    if (request.status !== 200) {
      state("", reason(request));
      return;
    }
    const { key, name, size } = JSON.parse(request.responseText);
    state(text("arrived", { name, size: size.toLocaleString("en") }));
    const address = new URL(window.location.href);
    address.searchParams.delete("every");
    address.searchParams.set("file", key);
    window.location.assign(address);
  });
  request.open("POST", "/upload");
  request.setRequestHeader("Content-Type", "application/octet-stream");
  request.setRequestHeader("X-Stc-Upload", zone.dataset.ticket);
  request.setRequestHeader("X-Stc-Name", encodeURIComponent(file.name));
  request.send(file);
}

function choose(files) {
  if (files.length > 1) state("", text("several"));
  else if (files.length === 1) send(files[0]);
}

if (zone) {
  zone.querySelector("input[type=file]").addEventListener("change", (event) => choose(event.target.files));
  zone.querySelector(".stc-drop-cancel").addEventListener("click", () => running?.abort());
  zone.addEventListener("dragover", (event) => {
    event.preventDefault();
    zone.classList.add("stc-over");
  });
  zone.addEventListener("dragleave", (event) => {
    if (!zone.contains(event.relatedTarget)) zone.classList.remove("stc-over");
  });
  zone.addEventListener("drop", (event) => {
    event.preventDefault();
    zone.classList.remove("stc-over");
    choose(event.dataTransfer.files);
  });
}

// Another kind of file is checked at once.
document.querySelector(".stc-kind").addEventListener("change", (event) => event.currentTarget.requestSubmit());
