// Shared by the sheets and pairs of the view Judging: decisions that the server has not confirmed, keys, and the time a document is seen.
const offline = (() => {
  // Decisions by id, one entry each in localStorage, which survives a closed browser.
  function keeper(prefix) {
    const memory = new Map(); // in case the browser stores nothing
    return {
      all() {
        const found = [...memory.values()];
        try {
          for (const name of Object.keys(localStorage).filter((one) => one.startsWith(prefix))) {
            try {
              found.push(JSON.parse(localStorage.getItem(name)));
            } catch {
              // Not ours.
            }
          }
        } catch {
          // Only the decisions in memory.
        }
        return found.filter(Boolean).sort((a, b) => a.at - b.at);
      },
      add(decision) {
        try {
          localStorage.setItem(prefix + decision.id, JSON.stringify(decision));
        } catch {
          memory.set(decision.id, decision);
        }
      },
      remove(id) {
        memory.delete(id);
        try {
          localStorage.removeItem(prefix + id);
        } catch {
          // It was never stored.
        }
      },
    };
  }

  // Milliseconds, without the time in which the tab was hidden.
  let away = 0;
  let left = 0;
  const now = () => (document.hidden ? left : performance.now()) - away;
  document.addEventListener("visibilitychange", () => {
    if (document.hidden) left = performance.now();
    else if (left) away += performance.now() - left;
  });

  // What this browser tab remembers, also after a reload.
  const session = {
    get(name, other) {
      try {
        return JSON.parse(sessionStorage.getItem(name)) ?? other;
      } catch {
        return other;
      }
    },
    set(name, value) {
      try {
        sessionStorage.setItem(name, JSON.stringify(value));
      } catch {
        // It lasts until the page is closed.
      }
    },
  };

  const SECONDS = 15;
  // Send something and return the record of the answer, or null if the server cannot be reached.
  async function post(address, body, type = "application/json") {
    const end = AbortSignal.timeout(SECONDS * 1000);
    let reply;
    try {
      const headers = { "content-type": type, accept: "application/json" };
      reply = await window.fetch(address, { method: "POST", body, headers, signal: end, cache: "no-store" });
      if (reply.status === 401) {
        window.location.reload(); // the session has ended
        return null;
      }
      return await reply.json();
    } catch {
      return reply && reply.status < 500 ? { ids: [], error: reply.statusText } : null;
    }
  }

  const RETRY_MS = 2000;
  const MOST = 20; // decisions of one message

  // Decisions that are kept until the server confirms them, and sent again after a lost connection.
  // prefix: of their names in localStorage. own: true for those of this page, which are sent first. address: where they are sent.
  // body: returns further fields to send. received: called with each answer. notice: called when the connection is lost or back.
  function outbox({ prefix, own, address, body, received, notice }) {
    const kept = keeper(prefix);
    const box = { kept, lost: false, lose, resume };

    function lose() {
      if (box.lost) return;
      box.lost = true;
      notice();
      setTimeout(resume, RETRY_MS);
    }

    async function resume() {
      let told = "";
      for (;;) {
        const all = kept.all();
        const queue = [...all.filter(own), ...all.filter((one) => !own(one))].slice(0, MOST);
        const reply = await post(address, JSON.stringify({ ...body(), window: name, queue }));
        if (reply === null) {
          box.lost = false;
          lose();
          return;
        }
        box.lost = false;
        for (const id of reply.ids ?? []) kept.remove(id);
        told += reply.told ?? "";
        received({ ...reply, told });
        const more = !reply.error && reply.ids?.length > 0 && all.length > queue.length;
        if (!more) {
          if (reply.error && queue.length) setTimeout(resume, 5 * RETRY_MS); // the database is down
          break;
        }
      }
      notice();
    }
    return box;
  }

  // The reader's own keys, by action. name: of the entry in localStorage. reserved: keys that no action can have.
  function bindings(name, reserved = /^$/) {
    const fields = [...document.querySelectorAll(".stc-binding")];
    const usual = Object.fromEntries(fields.map((one) => [one.dataset.action, one.dataset.key]));
    let keys = usual;
    function bind(changes) {
      try {
        if (changes) localStorage.setItem(name, JSON.stringify(changes));
        keys = { ...usual, ...JSON.parse(localStorage.getItem(name)) };
      } catch {
        keys = { ...usual, ...changes };
      }
      for (const one of fields) one.value = keys[one.dataset.action];
      mark();
    }
    function mark() {
      for (const one of document.querySelectorAll("[data-of]")) one.textContent = keys[one.dataset.of] ?? one.textContent;
    }
    document.addEventListener("change", ({ target }) => {
      if (!target.matches(".stc-binding")) return;
      const { action } = target.dataset;
      const taken = Object.entries(keys).some(([other, key]) => other !== action && key === target.value);
      const refused = taken || !target.value.trim() || reserved.test(target.value);
      target.setAttribute("aria-invalid", String(refused));
      if (refused) target.value = keys[action];
      else bind({ ...keys, [action]: target.value });
    });
    document.querySelector(".stc-reset")?.addEventListener("click", () => bind(usual));
    bind();
    return { action: (key) => Object.keys(keys).find((one) => keys[one] === key), mark };
  }

  const random = () => Array.from(crypto.getRandomValues(new Uint32Array(4)), (one) => one.toString(36)).join("");
  const name = session.get("stc.judging.window", "") || random();
  session.set("stc.judging.window", name);
  const writing = (element) => element.closest("input, textarea, select, [contenteditable]");
  return { bindings, now, outbox, post, random, session, window: name, writing };
})();
