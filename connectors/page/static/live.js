// Fetches the page again while somebody looks at it, and replaces what says that it is live.
const EVERY_MS = 5_000;

let tag = null;

async function refresh(changed) {
  const live = document.querySelectorAll("[data-live]");
  if (document.hidden || !live.length) return;
  const headers = tag ? { "If-None-Match": tag } : {};
  const response = await fetch(location.href, { headers, cache: "no-store", redirect: "error" });
  if (response.status !== 200) return;
  tag = response.headers.get("ETag");
  const fresh = new DOMParser().parseFromString(await response.text(), "text/html");
  for (const old of live) {
    const found = fresh.getElementById(old.id);
    if (!found || old.contains(document.activeElement) || old.querySelector("input:checked")) continue;
    changed(found);
    if (found.innerHTML !== old.innerHTML) old.replaceChildren(...found.childNodes);
  }
}

export function keepLive(changed) {
  const again = () => refresh(changed).catch(() => {});
  setInterval(again, EVERY_MS);
  document.addEventListener("visibilitychange", again);
}
