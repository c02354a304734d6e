// Watches the page of the tab, or what is selected in it.
import { activeTab, deployment, formAddress, selectionIn, subscribe, subscription } from "./deployment.js";

const extension = globalThis.browser ?? globalThis.chrome;
const at = (id) => document.getElementById(id);
const say = (text) => (at("state").textContent = text);

async function open(address) {
  await extension.tabs.create({ url: address });
  window.close();
}

async function watch(event, given, page, quote) {
  event.preventDefault();
  const asked = { page, quote: at("selected").checked ? quote : "", words: at("words").value, receiver: at("receiver").value.trim() };
  say("Asking Vokter…");
  try {
    const { id } = await subscribe(given, subscription(asked));
    say("Watched. The first fetch is the baseline.");
    const link = Object.assign(document.createElement("a"), { href: `${given.address}/watch/${id}`, target: "_blank", textContent: " Open the watch" });
    at("state").append(link);
  } catch (error) {
    say(`It is not watched: ${error.message}`);
  }
}

async function begin() {
  const given = await deployment();
  const tab = await activeTab();
  if (!given.address) return say("First give the address of your Vokter in the options.");
  if (!/^https?:/.test(tab?.url ?? "")) return say("Only pages of the web can be watched.");
  const quote = await selectionIn(tab);
  if (!given.key) return open(formAddress(given.address, tab.url, quote));
  at("page").textContent = tab.title || tab.url;
  at("part").hidden = !quote;
  at("quote").textContent = quote;
  at("form").hidden = false;
  at("form").addEventListener("submit", (event) => watch(event, given, tab.url, quote));
  at("words").focus();
}

begin();
