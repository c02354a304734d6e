// The deployment that was given in the options, and what it is asked.
const extension = globalThis.browser ?? globalThis.chrome;

export async function deployment() {
  const { address = "", key = "" } = await extension.storage.local.get(["address", "key"]);
  return { address, key };
}

export async function save(text, key) {
  const { origin, protocol, hostname } = new URL(text);
  if (protocol !== "https:" && protocol !== "http:") throw new Error("The address begins with https:// or http://.");
  // Only a key is sent by this extension itself; without one, no site needs to be allowed.
  // In Firefox, a pattern with a port matches nothing.
  if (key && !(await extension.permissions.request({ origins: [`${protocol}//${hostname}/*`] })))
    throw new Error("Without this permission the key cannot be sent.");
  await extension.storage.local.set({ address: origin, key });
}

export async function activeTab() {
  const [tab] = await extension.tabs.query({ active: true, currentWindow: true });
  return tab;
}

export async function selectionIn(tab) {
  const func = () => String(getSelection()).trim().slice(0, 1000);
  try {
    const [found] = await extension.scripting.executeScript({ target: { tabId: tab.id }, func });
    return found?.result ?? "";
  } catch {
    return ""; // a page of the browser, which no extension may read
  }
}

export function formAddress(address, page, quote) {
  const query = new URLSearchParams(quote ? { url: page, quote } : { url: page });
  return `${address}/share?${query}`;
}

export function subscription({ page, quote, words, receiver }) {
  const keywords = words.split("\n").map((word) => word.trim()).filter(Boolean);
  return {
    documentUrl: page,
    keywords: keywords.length ? keywords : ["*"],
    ...(receiver ? { clientUrl: receiver } : { session: "page" }),
    ...(quote ? { view: { select: [{ quote: { exact: quote } }] } } : {}),
  };
}

export async function subscribe({ address, key }, body) {
  const answer = await fetch(`${address}/vokter/v1/subscribe`, {
    method: "POST",
    headers: { Authorization: `Bearer ${key}`, "Content-Type": "application/json" },
    body: JSON.stringify(body),
    credentials: "omit",
    redirect: "error",
  });
  const said = await answer.json();
  if (!answer.ok) throw new Error(said.detail || said.message || `It answered ${answer.status}.`);
  return said;
}
