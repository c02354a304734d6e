// Which news were read, in the browser's storage: all up to a time, and single ones after it.
import { moveTo } from "./keys.js";

const MOST = 500;

export function keepRead(list) {
  const name = `vokter-read:${list.dataset.reader}`;
  const head = document.getElementById("unread");
  const items = () => [...list.querySelectorAll("[data-id]")];
  const newest = () => items().reduce((last, each) => (each.dataset.at > last ? each.dataset.at : last), "");
  const isUnread = ({ dataset: { id, at } }, { upTo, ids }) => at > upTo && !ids.includes(id);

  function load() {
    try {
      const { upTo, ids } = JSON.parse(localStorage.getItem(name));
      return { upTo: String(upTo), ids: [...ids].map(String) };
    } catch {
      return save({ upTo: newest(), ids: [] }); // what is there at the first visit is no news
    }
  }

  function save(state) {
    localStorage.setItem(name, JSON.stringify(state));
    return state;
  }

  function show() {
    const state = load();
    const unread = items().filter((each) => {
      const found = isUnread(each, state);
      each.classList.toggle("unread", found);
      return found;
    });
    head.hidden = !unread.length;
    head.firstElementChild.textContent = head.dataset.text.replace("{}", unread.length);
  }

  function read(event) {
    const item = event.target.closest("[data-id]");
    const state = load();
    if (!item || !event.target.closest("h2 a") || !isUnread(item, state)) return;
    save({ ...state, ids: [...state.ids, item.dataset.id].slice(-MOST) });
    show();
  }

  for (const each of ["click", "auxclick", "focusin"]) list.addEventListener(each, read);
  head.querySelector("button").addEventListener("click", () => {
    const { upTo, ids } = load();
    const seen = items().map((each) => each.dataset.id);
    // Of a part of the news, others that are older may be unread.
    save(location.search ? { upTo, ids: [...ids, ...seen].slice(-MOST) } : { upTo: newest() > upTo ? newest() : upTo, ids: [] });
    show();
  });
  document.addEventListener("next-unread", () => moveTo(list.querySelector(".unread h2 a")));
  addEventListener("storage", show); // another tab has read some
  new MutationObserver(show).observe(list, { childList: true, subtree: true });
  show();
}
