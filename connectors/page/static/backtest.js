// Shows as you type how often the keywords would have notified you. Without it, a button does.
import { showTimes } from "./times.js";

const PAUSE_MS = 400;
const form = document.getElementById("add");
const place = document.getElementById("backtest");
const others = ["interval", "longest", "send", "webhook"];
let pause = 0;
let isAsking = false;
let hasChanged = false;

// One request at a time, so that quick typing asks no more than the answers allow.
async function ask() {
  hasChanged = isAsking;
  if (isAsking) return;
  isAsking = true;
  place.classList.add("busy");
  const isOpen = place.querySelector("details")?.open ?? false;
  const body = new URLSearchParams(new FormData(form));
  try {
    const response = await fetch("/add/backtest", { method: "POST", body });
    const fresh = new DOMParser().parseFromString(await response.text(), "text/html");
    place.replaceChildren(...(fresh.getElementById("backtest")?.childNodes ?? []));
    place.querySelector("details")?.toggleAttribute("open", isOpen);
    showTimes(place);
  } catch {
    // The server is away: the next key asks again.
  }
  place.classList.remove("busy");
  isAsking = false;
  if (hasChanged) ask();
}

form?.addEventListener("input", ({ target }) => {
  const url = form.elements.url;
  clearTimeout(pause);
  if (!others.includes(target.name) && url.value && url.validity.valid) {
    pause = setTimeout(ask, PAUSE_MS);
  }
});
document.getElementById("past")?.remove();
if (form?.elements.url.value && form.elements.url.validity.valid) ask();
