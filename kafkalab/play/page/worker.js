// Runs Pyodide and the simulator, so that the page stays alive.
// A message in: {id, ask, ...}. Messages out: {id, answer} or {id, refused}, and {progress}.
import { loadPyodide } from "./pyodide/pyodide.mjs";

let door;

// What kafkalab/play/stacks.py asks of JavaScript.
const turns = []; // What keeps the promise of each stack that waits.
globalThis.waitForTurn = (own) => new Promise((keep) => { turns[own] = keep; });
globalThis.giveTurn = (other) => turns[other]();
globalThis.passTurn = (own, other) => {
  const promise = waitForTurn(own);
  giveTurn(other);
  return promise;
};
globalThis.beginStack = (begin) => {
  const own = begin.copy();
  queueMicrotask(() => own.callPromising().finally(() => own.destroy()));
};
globalThis.tellProgress = (now_ms, events) => postMessage({ progress: { now_ms, events } });

async function load() {
  const wheel = fetch("./kafkalab.zip").then((answer) => {
    if (!answer.ok) throw new Error(`the simulator's archive cannot be read: ${answer.status}`);
    return answer.arrayBuffer();
  });
  const python = await loadPyodide({ indexURL: new URL("./pyodide/", import.meta.url).href });
  python.unpackArchive(await wheel, "zip", { extractDir: "/lib/kafkalab" });
  python.runPython("import sys; sys.path.insert(0, '/lib/kafkalab')");
  door = python.pyimport("kafkalab.play.door");
}

let before = load();
before.catch(() => {}); // Each question says what failed.

// One question after another: while a story's programs wait for each other, the worker could hear the next one.
onmessage = ({ data }) => {
  before = before.then(() => answer(data), (error) => { refuse(data, error); throw error; });
  before.catch(() => {});
};

async function answer(data) {
  try {
    const words = JSON.stringify(data);
    const found = "Suspending" in WebAssembly ? await door.answer.callPromising(words) : door.answer(words);
    postMessage({ id: data.id, ...JSON.parse(found) });
  } catch (error) {
    refuse(data, error);
  }
}

function refuse(data, error) {
  const words = String(error.message ?? error).trim().split("\n").at(-1);
  postMessage({ id: data.id, refused: `The simulator failed: ${words}. A new one is loading.`, broken: true });
}
