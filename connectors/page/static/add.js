// Shows the preview again when what it depends on has changed, without leaving the form.
import { showPicker } from "./pick.js";

const form = document.getElementById("add");
const fields = ["url", "keywords", "by", "part", "quote", "prefix", "suffix", "ignore_case", "stemming", "credentials", "render", "number", "stock", "below", "above", "pick", "locale", "currency"];
const typed = ["keywords", "part", "quote"];
const PAUSE_MS = 500;
let current = null;
let language = form?.elements.by.value;
// The number of a part that was picked, until its selector is in the form: each preview asks for it.
let unfilled;
let answered = Promise.resolve();

function preview(picked = unfilled) {
  unfilled = picked;
  answered = ask(picked);
}

async function ask(picked) {
  const place = document.getElementById("preview");
  current?.abort();
  const mine = (current = new AbortController());
  const body = new URLSearchParams(new FormData(form));
  body.set("do", "preview");
  body.set("shown", document.getElementById("copy").dataset.copy);
  // By its words is chosen for a part that has nothing better; the next one may have.
  if (picked !== undefined) {
    body.set("picked", picked);
    body.set("by", language);
  }
  place.classList.add("busy");
  try {
    const response = await fetch("/add", { method: "POST", body, signal: mine.signal });
    show(new DOMParser().parseFromString(await response.text(), "text/html"), picked !== undefined);
  } catch (error) {
    if (error.name === "AbortError") return;
  }
  if (mine !== current) return;
  unfilled = undefined;
  place.classList.remove("busy");
}

function show(fresh, isPicked) {
  const errors = [...fresh.querySelectorAll("#add .error")].filter((each) => !each.closest("#preview"));
  if (errors.length) {
    for (const each of errors) each.removeAttribute("id");
    document.getElementById("seen").replaceChildren(...errors);
    return;
  }
  const filled = fresh.getElementById("add");
  if (filled) form.elements.title.value = filled.elements.title.value;
  if (isPicked) fillPart(filled);
  for (const id of ["seen", "read"]) {
    document.getElementById(id)?.replaceChildren(...(fresh.getElementById(id)?.childNodes ?? []));
  }
  const [copy, other] = [document.getElementById("copy"), fresh.getElementById("copy")];
  if (!other) return;
  // A frame that shows this page already stays, and so does where one has scrolled to in it.
  if (copy.dataset.copy !== other.dataset.copy) copy.replaceChildren(...other.childNodes);
  Object.assign(copy.dataset, { copy: other.dataset.copy, found: other.dataset.found });
  showPicker(copy, preview);
}

function fillPart(fresh) {
  if (!fresh) return;
  for (const name of ["by", "part", "quote", "prefix", "suffix"]) {
    form.elements[name].value = fresh.elements[name].value;
  }
  // Who follows the form hears of it; the preview is here already.
  form.elements.prefix.dispatchEvent(new Event("input", { bubbles: true }));
}

export function keepPreview() {
  if (!form) return;
  const url = form.elements.url;
  let timer = null;
  const follow = (event) => {
    clearTimeout(timer);
    if (!fields.includes(event.target.name)) return;
    // Another address or part was written after the part was picked.
    if (["url", "by", "part"].includes(event.target.name)) unfilled = undefined;
    if (url.validity.valid && url.value) preview();
  };
  form.addEventListener("change", (event) => {
    if (event.target.name === "by") language = event.target.value;
    follow(event);
  });
  document.getElementById("preview").addEventListener("click", ({ target }) => {
    const { pick, css, check, url } = target.dataset;
    const changed = (field) => field.dispatchEvent(new Event("change", { bubbles: true }));
    if (pick) preview(pick);
    if (check) {
      form.elements[check].checked = true;
      changed(form.elements[check]);
    }
    if (url) {
      form.elements.url.value = url;
      changed(form.elements.url);
    }
    if (css === undefined) return;
    form.elements.by.value = "css";
    form.elements.part.value = css;
    if (!css) for (const name of ["quote", "prefix", "suffix"]) form.elements[name].value = "";
    changed(form.elements.part);
  });
  // While one types, the page is not fetched again: its copy is known.
  form.addEventListener("input", (event) => {
    clearTimeout(timer);
    const isKnown = document.getElementById("copy").dataset.copy !== "";
    if (isKnown && typed.includes(event.target.name)) timer = setTimeout(follow, PAUSE_MS, event);
  });
  form.addEventListener("submit", async (event) => {
    if (unfilled === undefined) return;
    event.preventDefault();
    while (unfilled !== undefined) await answered;
    form.requestSubmit(event.submitter);
  });
  showPicker(document.getElementById("copy"), preview);
  // The address comes from a bookmark, a phone or an extension, or the browser went back to it.
  addEventListener("pageshow", () => {
    const isNew = document.querySelector("#seen .waiting") && !form.querySelector(".error");
    if (isNew && url.value && url.validity.valid) preview();
  });
}
