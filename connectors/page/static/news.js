// Adds news as they are notified, by server-sent events; where those are closed, the list is polled.
import { keepRead } from "./read.js";
import { showTimes } from "./times.js";

const LAG_MS = 5_000; // in which what was notified just before the stream began is recorded
const MOST = 200; // pieces of news that stay in the list

const list = document.getElementById("list");
let source = null;

function parsed(html) {
  return new DOMParser().parseFromString(html, "text/html");
}

function timeline() {
  const known = list.querySelector(".timeline");
  if (known) return known;
  const made = document.createElement("ol");
  made.className = "timeline";
  list.replaceChildren(made);
  return made;
}

function add(item, isNew) {
  const { id, at } = item.dataset;
  if (list.querySelector(`[data-id="${CSS.escape(id)}"]`)) return;
  const found = document.importNode(item, true);
  showTimes(found);
  found.classList.toggle("arrived", isNew);
  const items = timeline();
  items.insertBefore(found, [...items.children].find((each) => each.dataset.at <= at) ?? null);
  while (items.children.length > MOST) items.lastElementChild.remove();
  if (!isNew) return;
  const status = document.getElementById("arrived");
  status.textContent = status.dataset.text.replace("{}", () => found.querySelector("h2").textContent);
}

async function catchUp() {
  const response = await fetch(location.href, { cache: "no-store", redirect: "error" });
  if (response.status !== 200) return;
  const items = parsed(await response.text()).querySelectorAll("#list [data-id]");
  for (const each of [...items].reverse()) add(each, false);
}

function begin() {
  list.removeAttribute("data-live"); // no polling
  const again = () => catchUp().catch(() => {});
  again();
  setTimeout(again, LAG_MS);
}

function open() {
  if (source || document.hidden) return;
  source = new EventSource(list.dataset.stream);
  source.addEventListener("begin", begin);
  source.addEventListener("news", (event) => add(parsed(event.data).querySelector("li"), true));
  source.addEventListener("error", () => {
    list.setAttribute("data-live", "");
    if (source?.readyState === EventSource.CLOSED) source = null;
  });
}

function close() {
  source?.close();
  source = null;
}

if (list) keepRead(list);
if (list?.dataset.stream) {
  open();
  // A browser has few connections to one host: only a tab that is looked at has a stream.
  document.addEventListener("visibilitychange", () => (document.hidden ? close() : open()));
  addEventListener("pagehide", close);
}
