// One piece of work of each kind at a time: a new one ends the one before.

import { report } from "./dom.js";

const running = new Map();

export const isRunning = (kind) => running.has(kind);

export function stop(...kinds) {
  for (const kind of kinds) {
    running.get(kind)?.abort();
    running.delete(kind);
  }
}

// Does `work`, which gets the signal that ends it. The result is that of `work`, or of `onError`
// after an error; undefined if the work was ended.
export async function run(kind, work, onError = report) {
  stop(kind);
  const controller = new AbortController();
  running.set(kind, controller);
  try {
    return await work(controller.signal);
  } catch (error) {
    if (!controller.signal.aborted) return onError(error);
  } finally {
    if (running.get(kind) === controller) running.delete(kind);
  }
}
