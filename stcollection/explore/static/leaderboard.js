// The leaderboard: a form that waits says so and can be stopped, and figures are saved as PNG.
const wait = document.querySelector(".board-wait");
document.addEventListener("submit", (event) => {
  if (event.target.matches(".board-form")) wait.hidden = false;
});
window.addEventListener("pageshow", () => {
  if (wait) wait.hidden = true; // back from another page
});

// Draw the SVG of the server on a white canvas, twice as large.
function save(button) {
  const image = new Image();
  image.onload = () => {
    const [width, height] = [image.naturalWidth || 640, image.naturalHeight || 400];
    const canvas = Object.assign(document.createElement("canvas"), { width: 2 * width, height: 2 * height });
    const pen = canvas.getContext("2d");
    pen.fillStyle = "#fff";
    pen.fillRect(0, 0, canvas.width, canvas.height);
    pen.drawImage(image, 0, 0, canvas.width, canvas.height);
    canvas.toBlob((png) => {
      const link = Object.assign(document.createElement("a"), { href: URL.createObjectURL(png), download: button.dataset.name });
      link.click();
      setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
    });
  };
  image.src = button.dataset.svg;
}

document.addEventListener("click", (event) => {
  const button = event.target.closest("button");
  if (button?.matches(".board-png")) save(button);
  if (button?.matches(".board-stop")) {
    window.stop();
    wait.hidden = true;
  }
});
