// Writes moments as "3 minutes ago", with the exact time on hover; after "since" the exact time.
const UNITS = [["day", 86_400], ["hour", 3_600], ["minute", 60], ["second", 1]];
const { lang } = document.documentElement;
const relative = new Intl.RelativeTimeFormat(lang, { numeric: "auto" });
const exact = new Intl.DateTimeFormat(lang === "en" ? "en-GB" : lang, { dateStyle: "medium", timeStyle: "medium" });

export function showTimes(root) {
  for (const element of root.querySelectorAll("time[datetime]")) {
    const moment = new Date(element.dateTime);
    const seconds = (moment - Date.now()) / 1000;
    if (Number.isNaN(seconds)) continue;
    const [unit, size] = UNITS.find(([, each]) => Math.abs(seconds) >= each) ?? UNITS.at(-1);
    const isExact = "exact" in element.dataset;
    const text = isExact ? exact.format(moment) : relative.format(Math.trunc(seconds / size), unit);
    if (element.textContent !== text) element.textContent = text;
    element.title = exact.format(moment);
  }
}
