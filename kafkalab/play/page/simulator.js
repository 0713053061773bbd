// Asks the worker, and gives it up: a worker that is stopped is replaced by a new one.
export class Simulator {
  constructor(onProgress) {
    this.onProgress = onProgress;
    this.number = 0;
    this.#begin();
  }

  ask(what, more = {}) {
    return new Promise((resolve, reject) => {
      const id = ++this.number;
      this.waiting.set(id, { resolve, reject });
      this.worker.postMessage({ id, ask: what, ...more });
    });
  }

  // End what runs now. The next question waits until a new Python has loaded.
  stop() {
    this.worker.terminate();
    for (const { reject } of this.waiting.values()) reject(new Stopped());
    this.#begin();
  }

  #begin() {
    this.waiting = new Map();
    this.worker = new Worker(new URL("./worker.js", import.meta.url), { type: "module" });
    this.worker.onmessage = ({ data }) => {
      if (data.progress) return this.onProgress(data.progress);
      const { resolve, reject } = this.waiting.get(data.id);
      this.waiting.delete(data.id);
      if (data.broken) this.stop();
      if (data.refused) reject(new Error(data.refused));
      else resolve(data.answer);
    };
    this.worker.onerror = (event) => {
      event.preventDefault();
      for (const { reject } of this.waiting.values()) reject(new Error(`The simulator could not be loaded: ${event.message || "the browser gives no reason"}.`));
      this.waiting.clear();
    };
  }
}

export class Stopped extends Error {}
