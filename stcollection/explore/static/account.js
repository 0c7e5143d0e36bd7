// When the server closes the connection of an ended session, open the sign-in page; it leads back to the same view.
$(document).on("shiny:disconnected", async () => {
  try {
    const answer = await fetch("session", { cache: "no-store" });
    if (answer.status === 401) window.location.assign(`sign-in?${new URLSearchParams({ next: window.location.search.slice(1) })}`);
  } catch {
    // The server is down: Shiny greys the page out.
  }
});
