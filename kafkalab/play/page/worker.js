// Runs Pyodide and the simulator, so that the page stays alive.
// A message in: {id, ask, ...}. Messages out: {id, answer} or {id, refused}, and {progress}.
import { loadPyodide } from "./pyodide/pyodide.mjs";
import makeModule from "./pyodide/pyodide.asm.mjs";
import { BYTES, MEMORY, WHEEL } from "./parts.js";

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
  const wheel = ask(WHEEL).then((answer) => answer.arrayBuffer());
  const given = { indexURL: new URL("./pyodide/", import.meta.url).href, env: { PYTHONHASHSEED: "0" } };
  const python = await loadPyodide(MEMORY ? { ...given, ...remembered() } : given);
  python.FS.writeFile(`/lib/${WHEEL}`, new Uint8Array(await wheel));
  if (!MEMORY) python.runPython(`import sys; sys.path.insert(0, "/lib/${WHEEL}")`);
  door = python.pyimport("kafkalab.play.door");
}

async function ask(name) {
  const answer = await fetch(new URL(name, import.meta.url));
  if (!answer.ok) throw new Error(`${name} cannot be read: ${answer.status}`);
  return answer;
}

// What makes Pyodide begin with the memory that kafkalab/play/remember.mjs has kept. It comes while the machine code is made.
function remembered() {
  const memory = new Uint8Array(BYTES);
  const filled = ask(MEMORY).then(async ({ body }) => {
    let at = 0;
    const pieces = body.pipeThrough(new DecompressionStream("gzip")).getReader();
    for (let next = await pieces.read(); !next.done; next = await pieces.read()) {
      memory.set(next.value, at);
      at += next.value.length;
    }
  });
  return { _loadSnapshot: memory, createPyodideModule: async (settings) => {
    const [made] = await Promise.all([makeModule(settings), filled]);
    // Each browser has its own way to call a function of Python: the module has noted it, and it belongs into the memory.
    const place = (made.__PyRuntime + made.HEAP32[made.__PyEM_EMSCRIPTEN_TRAMPOLINE_OFFSET / 4]) / 4;
    const words = new Int32Array(memory.buffer);
    words[words[1] / 4 + place] = made.HEAP32[place];
    made._malloc(BYTES); // The module begins with less: this makes room.
    return made;
  } };
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
