// What the views of a position share: the board, the moves to it, and the form that sets it up.

import { call, session } from "./backend.js";
import * as board from "./board.js";
import { $, button, clamp, element, fill, option } from "./dom.js";
import { run } from "./jobs.js";
import * as overlays from "./overlays.js";
import {
  ahead, at, go, playAgain, setShown, shown, state, takeBack, turn,
} from "./state.js";

// Shows the position of the state. The result is true; false if there is no such position;
// undefined if another position took its place meanwhile.
export const showPosition = () => run("position", async (signal) => {
  $("depth").value = state.depth;
  $("chess960").checked = state.chess960;
  const [position] = await Promise.all([call("position", at(), signal), session()]);
  signal.throwIfAborted();
  setShown(position);
  setError("");
  drawBoard();
  $("fen").value = shown.fen;
  $("named").value = state.moves.length ? "" : shown.name;
  if (!$("named").value) $("named").value = "";
  $("back").disabled = !state.moves.length;
  $("forward").disabled = !ahead.length;
  $("fen-note").hidden = !shown.impossible;
  $("fen-note").textContent = `No game reaches this position: ${shown.impossible}.`;
  $("status").textContent = statusText();
  fill($("line"), line());
  return true;
}, (error) => {
  setError(error.message);
  return false;
});

// Draws the board of the position again, after it showed something else.
export function drawBoard() {
  board.drawPosition();
  overlays.showOverlays();
}

function setError(text) {
  $("fen-error").textContent = text;
  $("fen").setAttribute("aria-invalid", String(text !== ""));
}

function statusText() {
  const side = shown.side === "white" ? "White" : "Black";
  if (shown.status === "checkmate") return `${side} is checkmated`;
  if (shown.status === "stalemate") return "Stalemate";
  return `${side} to move${shown.status === "check" ? ", in check" : ""}`;
}

function line() {
  const start = shown.name.includes("/") ? "Position" : shown.name;
  return [start, ...shown.line.map(({ san }) => san)].map((text, count) => [
    count > 0 && element("span", { class: "muted", "aria-hidden": "true" }, "›"),
    button(text, () => go({ moves: state.moves.slice(0, count) }),
      { "aria-current": count === state.moves.length && "step" }),
  ]);
}

export function listen({ engine, max_depth: maxDepth, positions }) {
  document.body.classList.toggle("has-engine", Boolean(engine));
  $("engine-name").hidden = !engine;
  $("engine-name").textContent = `Engine: ${engine}`;
  $("depth").max = maxDepth;
  $("named").append(option("", "–"),
    ...positions.map(({ name, about }) => option(name, name, { title: about })));
  board.listen(overlays.showOverlays);
  overlays.listen();
  $("setup").addEventListener("submit", (event) => {
    event.preventDefault();
    const text = $("fen").value.trim();
    go({
      depth: clamp(Number($("depth").value) || 3, 1, maxDepth),
      chess960: $("chess960").checked,
      ...(text === shown?.fen ? {} : { position: text, moves: [] }),
    });
  });
  for (const id of ["depth", "chess960"]) {
    $(id).addEventListener("change", () => $("setup").requestSubmit());
  }
  $("named").addEventListener("change", ({ target: { value } }) => {
    if (value) go({ position: value, moves: [], chess960: false });
  });
  $("back").addEventListener("click", takeBack);
  $("forward").addEventListener("click", playAgain);
  $("flip").addEventListener("click", turn);
  addEventListener("keydown", (event) => {
    if (event.altKey || event.ctrlKey || event.metaKey || $("tree").hidden) return;
    if (event.target.closest?.("input, select, textarea, [role=grid], dialog")) return;
    const action = { ArrowLeft: takeBack, ArrowRight: playAgain, f: turn }[event.key];
    if (!action) return;
    action();
    event.preventDefault();
  });
}
