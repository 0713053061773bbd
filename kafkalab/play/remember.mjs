// Keeps the memory of a Python that has loaded the simulator, in node: `node remember.mjs PYODIDE WHEEL OUT`.
// OUT is that memory, compressed: a page that begins with it imports nothing. The same wheel gives the same bytes.
import crypto from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { basename } from "node:path";
import { pathToFileURL } from "node:url";
import { gzipSync } from "node:zlib";

const [folder, wheel, out] = process.argv.slice(2);
const NOW_MS = 1_700_000_000_000; // No clock and no chance is in the memory.
const Clock = Date;
globalThis.Date = class extends Clock {
  constructor(...given) { super(...(given.length ? given : [NOW_MS])); }
  static now() { return NOW_MS; }
};
globalThis.performance = { now: () => 0, timeOrigin: NOW_MS };
crypto.randomFillSync = (view) => view.fill(0);
// Pyodide notes in this memory whether stacks can be suspended. Here nothing is; the page's browser can, or asks for nothing that does.
WebAssembly.Suspending = function Suspending(call) { return call; };
WebAssembly.promising = (call) => call;

const { loadPyodide } = await import(pathToFileURL(`${folder}/pyodide.mjs`));
const python = await loadPyodide({ indexURL: folder, env: { PYTHONHASHSEED: "0" }, _makeSnapshot: true });
const place = `/lib/${basename(wheel)}`;
python.FS.writeFile(place, new Uint8Array(readFileSync(wheel)));
python.runPython(`
import sys
sys.path.insert(0, "${place}")
from kafkalab.play.door import remember
remember()
`);
writeFileSync(out, gzipSync(python.makeMemorySnapshot(), { level: 9 }));
