// Times as people say them, and lists that stay up to date. Without this script, the page works.
import { showTimes } from "./times.js";
import { keepKeys } from "./keys.js";
import { keepLive } from "./live.js";
import { keepPreview } from "./add.js";

showTimes(document);
setInterval(() => showTimes(document), 10_000);
keepLive(showTimes);
keepPreview();
keepKeys();
