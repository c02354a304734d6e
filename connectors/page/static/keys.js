// Keys that move through lists. They can be turned off: some people's tools send letters.
const OFF = "vokter-keys-off";
const ITEMS = "main .timeline :is(h2, h3, h4) a, main tbody .title";
const STEPS = { j: 1, k: -1 };
const isVisible = (element) => element.offsetParent !== null;

export function moveTo(link) {
  link?.focus();
  link?.scrollIntoView({ block: "nearest" });
}

function step(by) {
  const items = [...document.querySelectorAll(ITEMS)].filter(isVisible);
  const at = items.indexOf(document.activeElement);
  moveTo(at < 0 ? items[0] : items[at + by]);
}

export function keepKeys() {
  const help = document.getElementById("keys");
  if (!help) return;
  const choice = help.querySelector("input");
  const show = document.getElementById("show-keys");
  show.hidden = false;
  show.addEventListener("click", () => help.showModal());
  choice.checked = localStorage.getItem(OFF) === null;
  choice.addEventListener("change", () => (choice.checked ? localStorage.removeItem(OFF) : localStorage.setItem(OFF, "1")));
  document.addEventListener("keydown", (event) => {
    const isTyped = event.target.closest("input:not([type=checkbox], [type=radio]), select, textarea, [role=application], dialog");
    if (!choice.checked || isTyped || event.ctrlKey || event.altKey || event.metaKey) return;
    if (event.key in STEPS) step(STEPS[event.key]);
    else if (event.key === "/") document.querySelector("main input[type=search]")?.focus();
    else if (event.key === "?") help.showModal();
    else if (event.key === "n") document.dispatchEvent(new Event("next-unread"));
    else return;
    event.preventDefault();
  });
}
