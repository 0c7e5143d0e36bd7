// The upload tab: sends a chosen or dropped file by HTTP, shows how far it is, and names it to the page when it has arrived.
(() => {
  const zone = () => document.querySelector(".stc-drop");
  const part = (name) => zone().querySelector(`.stc-drop-${name}`);
  let running = null;

  function state(text, error = "") {
    part("state").textContent = text;
    part("error").textContent = error;
  }

  function show(isRunning) {
    part("running").hidden = !isRunning;
    zone().querySelector("input[type=file]").disabled = isRunning;
  }

  const megabytes = (bytes) => `${(bytes / 2 ** 20).toLocaleString("en", { maximumFractionDigits: 1 })} MB`;

  function fail(text) {
    state("", text);
  }

  // The server's reason for a refusal; a text of our own if there is no readable answer.
  function reason(request) {
    try {
      const { message, hint } = JSON.parse(request.responseText).error;
      return hint ? `${message}. ${hint}` : `${message}.`;
    } catch {
      if (request.status) return say("the server answered {status}.", { status: request.status });
      return say("the connection to the server broke. Try again.");
    }
  }

  function send(file) {
    if (running) return fail(say("another file is being uploaded."));
    const limit = Number(zone().dataset.limit);
    if (file.size > limit) {
      const values = { name: file.name, size: megabytes(file.size), most: megabytes(limit) };
      return fail(say("{name} has {size}; at most {most} are allowed.", values));
    }
    if (file.size === 0) return fail(say("{name} is empty or a folder. Choose another file.", { name: file.name }));
    const request = new XMLHttpRequest();
    const bar = zone().querySelector("progress");
    running = request;
    bar.value = 0;
    show(true);
    state(say("Uploading {name} …", { name: file.name }));
    request.upload.addEventListener("progress", (event) => {
      if (event.lengthComputable) bar.value = (100 * event.loaded) / event.total;
    });
    request.addEventListener("loadend", () => {
      running = null;
      show(false);
      zone().querySelector("input[type=file]").value = "";
    });
    request.addEventListener("abort", () => state(say("Upload cancelled.")));
    request.addEventListener("error", () => fail(reason(request)));
    request.addEventListener("load", () => {
      if (request.status !== 200) return fail(reason(request));
      const { key, name, size } = JSON.parse(request.responseText);
      state(say("{name} has arrived ({size} bytes).", { name, size: size.toLocaleString("en") }));
      Shiny.setInputValue(`${document.querySelector(".stc-upload").dataset.ns}arrived`, key, { priority: "event" });
      return undefined;
    });
    request.open("POST", "upload");
    request.setRequestHeader("Content-Type", "application/octet-stream");
    request.setRequestHeader("X-Stc-Upload", zone().dataset.ticket);
    request.setRequestHeader("X-Stc-Name", encodeURIComponent(file.name));
    request.send(file);
    return undefined;
  }

  function choose(files) {
    if (files.length > 1) fail(say("choose one file at a time."));
    else if (files.length === 1) send(files[0]);
  }

  const inside = (event) => event.target instanceof Element && event.target.closest(".stc-drop");

  document.addEventListener("change", (event) => {
    if (inside(event) && event.target.matches("input[type=file]")) choose(event.target.files);
  });
  document.addEventListener("click", (event) => {
    if (inside(event) && event.target.closest(".stc-drop-cancel") && running) running.abort();
  });
  document.addEventListener("dragover", (event) => {
    if (!inside(event)) return;
    event.preventDefault();
    zone().classList.add("stc-over");
  });
  document.addEventListener("dragleave", (event) => {
    if (inside(event) && !zone().contains(event.relatedTarget)) zone().classList.remove("stc-over");
  });
  document.addEventListener("drop", (event) => {
    if (!inside(event)) return;
    event.preventDefault();
    zone().classList.remove("stc-over");
    choose(event.dataTransfer.files);
  });
})();
