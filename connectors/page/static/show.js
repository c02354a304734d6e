// Shows what is typed unseen, for as long as the button is pressed in.
for (const button of document.querySelectorAll("button.show")) {
  const field = button.parentElement.querySelector("input");
  button.hidden = false;
  button.setAttribute("aria-pressed", "false");
  button.addEventListener("click", () => {
    const isShown = field.type === "text";
    field.type = isShown ? "password" : "text";
    button.setAttribute("aria-pressed", String(!isShown));
  });
}
