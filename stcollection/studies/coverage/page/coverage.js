// A stored query and a custom text exclude each other.
const form = document.querySelector(".stc-coverage");
form?.elements.source.addEventListener("change", () => (form.elements.text.value = ""));
form?.elements.text.addEventListener("input", () => (form.elements.source.value = ""));
form?.addEventListener("formdata", ({ formData }) => formData.get("source") && formData.delete("text"));
