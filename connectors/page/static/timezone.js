// Offers the time zone of this machine where none was chosen.
const field = document.querySelector("#timezone[data-guess]");
const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
const isKnown = [...document.querySelectorAll("#timezones option")].some(({ value }) => value === zone);
if (field && isKnown) field.value = zone;
