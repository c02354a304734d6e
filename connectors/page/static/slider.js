// Lays the picture after over the one before, with a slider between. Without it, both are shown.
function slide(pictures) {
  const label = document.createElement("label");
  label.className = "slide";
  label.textContent = pictures.dataset.slider;
  const slider = document.createElement("input");
  Object.assign(slider, { type: "range", min: 0, max: 100, value: 50 });
  const show = () => {
    pictures.style.setProperty("--shown", `${slider.value}%`);
    slider.setAttribute("aria-valuetext", pictures.dataset.part.replace("{}", slider.value));
  };
  slider.addEventListener("input", show);
  label.append(slider);
  pictures.prepend(label);
  pictures.classList.add("sliding");
  for (const image of pictures.querySelectorAll("img")) image.draggable = false;
  // The figure, for what is clipped of a picture gets no events.
  const picture = pictures.querySelector(".after");
  const drag = (event) => {
    if (!event.buttons) return;
    const { left, width } = picture.getBoundingClientRect();
    slider.value = (100 * (event.clientX - left)) / width;
    show();
  };
  picture.addEventListener("pointerdown", drag);
  picture.addEventListener("pointermove", drag);
  show();
}

document.querySelectorAll("[data-slider]").forEach(slide);
