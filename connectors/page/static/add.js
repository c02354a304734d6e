// Shows the preview again when an address or keywords have changed, without leaving the form.
const form = document.getElementById("add");
let current = null;

async function preview() {
  const place = document.getElementById("preview");
  current?.abort();
  const mine = (current = new AbortController());
  const body = new URLSearchParams(new FormData(form));
  body.set("do", "preview");
  place.classList.add("busy");
  try {
    const response = await fetch("/add", { method: "POST", body, signal: mine.signal });
    const fresh = new DOMParser().parseFromString(await response.text(), "text/html");
    const found = fresh.getElementById("preview");
    const error = fresh.querySelector("#add .error");
    if (found && error) found.replaceChildren(error);
    if (found) place.replaceChildren(...found.childNodes);
  } catch (error) {
    if (error.name === "AbortError") return;
  }
  if (mine === current) place.classList.remove("busy");
}

export function keepPreview() {
  if (!form) return;
  form.addEventListener("change", (event) => {
    const matters = ["url", "keywords", "part", "ignore_case", "stemming"];
    if (matters.includes(event.target.name) && form.elements.url.validity.valid && form.elements.url.value) preview();
  });
}
