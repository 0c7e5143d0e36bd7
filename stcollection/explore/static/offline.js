// Shared by the sheets and pairs of the view Judging: decisions that the server has not confirmed, and the time a document is seen.
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

  const random = () => Array.from(crypto.getRandomValues(new Uint32Array(4)), (one) => one.toString(36)).join("");
  const name = session.get("stc.judging.window", "") || random();
  session.set("stc.judging.window", name);
  const writing = (element) => element.closest("input, textarea, select, [contenteditable]");
  return { keeper, now, post, random, session, window: name, writing };
})();
