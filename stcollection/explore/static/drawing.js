// Figures that the server draws as SVG: downloads as PNG, on white, in twice their size.
document.addEventListener("click", async (event) => {
  const button = event.target.closest("button[data-svg]");
  if (!button) return;
  const image = new Image();
  image.src = button.dataset.svg;
  await image.decode();
  const canvas = Object.assign(document.createElement("canvas"), { width: 2 * image.width, height: 2 * image.height });
  const pen = canvas.getContext("2d");
  pen.fillStyle = "#fff";
  pen.fillRect(0, 0, canvas.width, canvas.height);
  pen.drawImage(image, 0, 0, canvas.width, canvas.height);
  canvas.toBlob((png) => {
    const link = Object.assign(document.createElement("a"), { href: URL.createObjectURL(png), download: `${button.dataset.name}.png` });
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
  });
});
