// What computes: the server of `perft explore`. The page talks to it through this file only, by
// `call`, `stream` and `session`; another backend would export the same.

// The token of the printed address. It is kept for this tab and taken out of the address, so that
// copied links lack it.
function takeToken() {
  const match = location.hash.match(/^#token=([0-9a-f]+)$/);
  if (match) {
    sessionStorage.setItem("token", match[1]);
    history.replaceState(history.state, "", location.pathname + location.search);
  }
  return sessionStorage.getItem("token") ?? "";
}
const token = takeToken();

// The browser's own words for a lost connection say little.
function explain(error) {
  if (!(error instanceof TypeError)) throw error;
  throw new Error("The server does not respond. Has perft explore ended?");
}

async function post(name, body, signal) {
  const response = await fetch(`/api/${name}`, {
    method: "POST", signal, body: JSON.stringify(body),
    headers: { "Content-Type": "application/json", "X-Perft-Token": token },
  }).catch(explain);
  if (!response.ok) {
    const { error } = await response.json().catch(() => ({ error: response.statusText }));
    throw new Error(error);
  }
  return response;
}

// The value of a function that responds at once.
export const call = async (name, body, signal) => (await post(name, body, signal)).json();

// Calls `onEvent` with each event of a function that responds with several.
export async function stream(name, body, signal, onEvent) {
  const response = await post(name, body, signal);
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (;;) {
    const { done, value } = await reader.read().catch(explain);
    signal.throwIfAborted();
    if (done) return;
    const lines = (rest + value).split("\n");
    rest = lines.pop();
    for (const line of lines) {
      const event = JSON.parse(line);
      if (event.event === "error") throw new Error(event.message);
      onEvent(event);
    }
  }
}

// Facts that do not change, asked for once.
let facts = null;
export const session = () => (facts ??= call("session", {}));
