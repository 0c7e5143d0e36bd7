// Links that change one part of the page: data-part names it. Their page is fetched, and the part taken from it.
export async function follow(href, part) {
  const answer = await fetch(href, { headers: { "HX-Request": "true" } });
  const sent = new DOMParser().parseFromString(await answer.text(), "text/html").getElementById(part);
  if (!sent) {
    window.location.assign(href);
    return;
  }
  document.getElementById(part).replaceWith(document.adoptNode(sent));
  window.history.pushState(null, "", href);
  for (const link of document.querySelectorAll(`a[data-part="${part}"]`)) {
    if (link.href === window.location.href) link.setAttribute("aria-current", "true");
    else link.removeAttribute("aria-current");
  }
  document.getElementById(part).querySelector("h2")?.scrollIntoView({ block: "nearest" });
  document.dispatchEvent(new CustomEvent("stc-part", { detail: part }));
}

document.addEventListener("click", (event) => {
  const link = event.target.closest("a[data-part]");
  if (!link || event.ctrlKey || event.metaKey || event.shiftKey || event.button) return;
  event.preventDefault();
  follow(link.href, link.dataset.part);
});
window.addEventListener("popstate", () => window.location.reload());
