// The page that plays: opens the address, runs its story in a worker, and shows what happened.
import { StoryForm } from "./form.js";
import { Result } from "./result.js";
import { Simulator, Stopped } from "./simulator.js";

const find = (selector) => document.querySelector(selector);
const status = (words) => { find("#status").textContent = words; };
const marks = {}; // When the page was ready for what, in ms: the tests read it.
window.kafkalab = { marks, busy: true };

status("Python is loading.");
const tables = await (await fetch(new URL("./stories.json", import.meta.url))).json();
const form = new StoryForm(find("#parts"), tables);
let seconds = 0;
let progress = null;
const simulator = new Simulator((told) => {
  progress = told;
  status(`Running: ${Math.round(told.now_ms / 1000)} of ${seconds} s of the lab, ${told.events.toLocaleString("en")} events.`);
});
window.kafkalab.simulator = simulator;
const result = new Result(simulator, alarm);

for (const { chapter, title, look } of tables.ready) {
  const entry = document.createElement("li");
  const link = document.createElement("a");
  link.href = `#story=${chapter}`;
  link.title = look;
  const name = document.createElement("b");
  name.textContent = `${chapter} `;
  link.append(name, title);
  entry.append(link);
  find("#ready").append(entry);
}

function alarm(words) {
  find("#alarm").textContent = words;
  find("#alarm").hidden = !words;
}

function busy(running) {
  window.kafkalab.busy = running;
  find("#run").disabled = running;
  find("#stop").disabled = !running;
  find("main").setAttribute("aria-busy", running);
}

// The address is read twice: at once for the form, and by the story's own reader for what it says.
function glance(address) {
  const given = {};
  const words = new URLSearchParams(address);
  const ready = tables.ready.find(({ chapter }) => chapter === words.get("story"));
  for (const name of words.keys()) given[name] = words.getAll(name).length > 1 ? words.getAll(name) : words.get(name);
  form.fill({ ...ready?.settings, ...given });
}

let turn = 0; // Counts what was begun: what was stopped says nothing more once something else runs.

async function open() {
  const address = location.hash.slice(1);
  glance(address);
  for (const link of document.querySelectorAll("#ready a")) {
    if (link.hash === location.hash) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
  busy(true);
  await guarded(async () => {
    const { story, unread } = await simulator.ask("open", { address });
    marks.loaded ??= performance.now();
    form.fill(story.given);
    const apps = await simulator.ask("apps");
    find("#apps").textContent = apps ? tables.with_apps : tables.without_apps;
    await play(form.read(), unread && `The address could not be read: ${unread}. This is the default story.`);
  });
}

async function play(story, before = "") {
  busy(true);
  alarm(before);
  status("Running.");
  seconds = story.seconds;
  progress = null;
  const begun = performance.now();
  const told = await simulator.ask("run", { story });
  const took = performance.now() - begun;
  const ready = tables.ready.find(({ chapter }) => location.hash === `#story=${chapter}`);
  await result.show(told, ready?.look ?? "");
  marks.picture ??= result.drawn;
  marks.run = took;
  const [first] = told.sides;
  status(`Done: ${first.now_ms / 1000} s of the lab in ${(took / 1000).toFixed(1)} s, ${first.events.toLocaleString("en")} events.`);
}

async function guarded(work) {
  const own = ++turn;
  try {
    await work();
  } catch (error) {
    if (own !== turn) return;
    if (error instanceof Stopped) status(`Stopped${progress ? ` at ${Math.round(progress.now_ms / 1000)} s of the lab` : ""}. Python is loading again.`);
    else {
      status("Refused.");
      alarm(error.message);
    }
  }
  if (own === turn) busy(false);
}

find("#story").addEventListener("submit", (event) => {
  event.preventDefault();
  guarded(async () => {
    busy(true);
    alarm("");
    const story = form.read();
    const { address } = await simulator.ask("read", { story });
    const ready = tables.ready.find(({ chapter }) => location.hash === `#story=${chapter}`);
    if (!ready || address !== ready.address) history.pushState(null, "", `#${address}`);
    await play(story);
  });
});
find("#stop").addEventListener("click", () => simulator.stop());
find("#reset").addEventListener("click", () => {
  if (location.hash) location.hash = "";
  else open();
});
find("#link").addEventListener("click", () => guarded(async () => {
  const { address } = await simulator.ask("read", { story: form.read() });
  const link = new URL(`#${address}`, location.href).href;
  await copy(link, "The link is in the clipboard.");
}));
find("#copy-cell").addEventListener("click", () => copy(find("#cell").textContent, "The cell is in the clipboard."));
find("#skip").addEventListener("click", (event) => { event.preventDefault(); find("#result").focus(); });

async function copy(text, words) {
  try {
    await navigator.clipboard.writeText(text);
    status(words);
  } catch {
    status(`This browser does not let the page copy. Here it is: ${text}`);
  }
}

addEventListener("hashchange", () => {
  if (window.kafkalab.busy) simulator.stop(); // The story before is not waited for.
  open();
});
await open();
