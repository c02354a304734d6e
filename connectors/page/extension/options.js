// Keeps the address of the deployment, and a key if one is given.
import { deployment, save } from "./deployment.js";

const [form, address, key, state] = ["form", "address", "key", "state"].map((id) => document.getElementById(id));

deployment().then((given) => {
  address.value = given.address;
  key.value = given.key;
});
form.addEventListener("submit", async (event) => {
  event.preventDefault();
  try {
    await save(address.value, key.value.trim());
    state.textContent = "Saved.";
  } catch (error) {
    state.textContent = error.message;
  }
});
