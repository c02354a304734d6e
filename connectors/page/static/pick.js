// Picks an element of the copied page in a frame. The frame gets no event: what lies around it does.
import { lightKeywords } from "./light.js";

const steps = {
  ArrowUp: (element) => element.parentElement?.closest("[data-n]"),
  ArrowDown: (element) => next(element.firstElementChild, "nextElementSibling"),
  ArrowRight: (element) => next(element.nextElementSibling, "nextElementSibling"),
  ArrowLeft: (element) => next(element.previousElementSibling, "previousElementSibling"),
};

const hasText = (element) => element.textContent.trim() !== "";

function next(element, step) {
  while (element && !hasText(element)) element = element[step];
  return element;
}

export function showPicker(copy, pick) {
  const picker = copy.querySelector(".picker");
  const frame = picker?.querySelector("iframe");
  if (!frame) return;
  if (picker.mark) {
    picker.mark();
    return;
  }
  picker.mark = () => {};
  // The frame may have been loaded before this script.
  const page = frame.contentDocument;
  if (page?.readyState === "complete" && page.querySelector("[data-n]")) start();
  else frame.addEventListener("load", start, { once: true });

  function start() {
    const page = frame.contentDocument;
    const status = copy.querySelector(".at");
    let current = null;

    const at = (event) => {
      const corner = frame.getBoundingClientRect();
      const found = page.elementFromPoint(event.clientX - corner.left, event.clientY - corner.top);
      return found?.closest("[data-n]");
    };
    const go = (element) => {
      if (!element || element === current || !hasText(element)) return;
      current?.classList.remove("over");
      current = element;
      current.classList.add("over");
    };
    const say = () => {
      const text = current.innerText.trim().replace(/\s+/g, " ");
      status.textContent = `${current.localName}: ${text.slice(0, 100)}${text.length > 100 ? " …" : ""}`;
    };

    picker.mark = () => {
      page.querySelectorAll(".found").forEach((each) => each.classList.remove("found"));
      for (const number of copy.dataset.found.split(" ").filter(Boolean)) {
        page.querySelector(`[data-n="${number}"]`)?.classList.add("found");
      }
      lightKeywords(frame, document.querySelector("#read .text"));
    };
    const fit = () => {
      frame.style.height = `${page.body.offsetHeight}px`;
    };

    picker.classList.add("ready");
    Object.assign(picker, { tabIndex: 0, ariaLabel: picker.dataset.label });
    picker.setAttribute("role", "application");
    picker.setAttribute("aria-describedby", "pick-hint");
    frame.tabIndex = -1;
    fit();
    new ResizeObserver(fit).observe(picker);
    picker.mark();

    picker.addEventListener("pointermove", (event) => go(at(event)));
    picker.addEventListener("pointerleave", () => current?.classList.remove("over"));
    picker.addEventListener("click", (event) => {
      go(at(event));
      if (current) pick(current.dataset.n);
    });
    picker.addEventListener("keydown", (event) => {
      if (event.key === "Enter" && current) pick(current.dataset.n);
      else if (!(event.key in steps)) return;
      else {
        go(current ? steps[event.key](current) : next(page.body.firstElementChild, "nextElementSibling"));
        if (current) {
          current.scrollIntoView({ block: "nearest" });
          say();
        }
      }
      event.preventDefault();
    });
  }
}
