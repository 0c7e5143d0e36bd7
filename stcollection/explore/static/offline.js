// Shared by the panels of the judging tab: decisions that the server has not confirmed, the time a document is visible, and
// reconnecting after a lost connection.
const offline = (() => {
  // Decisions by id, one entry each in localStorage, which survives a closed browser.
  function keeper(prefix) {
    const memory = new Map(); // in case the browser stores nothing
    return {
      all() {
        const found = [...memory.values()];
        try {
          for (const name of Object.keys(localStorage).filter((one) => one.startsWith(prefix))) {
            found.push(JSON.parse(localStorage.getItem(name)));
          }
        } catch {
          // Only the decisions in memory.
        }
        return found.sort((a, b) => a.at - b.at).slice(0, 200);
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

  // Reload the page when the server answers.
  async function reconnect() {
    try {
      if ((await fetch("explore/icon.svg", { cache: "no-store" })).ok) {
        window.location.reload();
        return;
      }
    } catch {
      // Not yet.
    }
    setTimeout(reconnect, 2000);
  }

  const random = () => Array.from(crypto.getRandomValues(new Uint32Array(4)), (one) => one.toString(36)).join("");
  const seen = (element) => element && element.getClientRects().length > 0;
  return { keeper, now, reconnect, random, seen };
})();
