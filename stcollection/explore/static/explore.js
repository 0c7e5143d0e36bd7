// Light or dark, as the reader's system says.
const dark = window.matchMedia("(prefers-color-scheme: dark)");
const follow = () => document.documentElement.setAttribute("data-bs-theme", dark.matches ? "dark" : "light");
dark.addEventListener("change", follow);
follow();
