// Sets of squares on the board: attacks, pins, what the kernel does.

import { call } from "./backend.js";
import { drawOverlay, selectedMoves } from "./board.js";
import { $, element } from "./dom.js";
import { run } from "./jobs.js";
import { at, go, shown, state } from "./state.js";

// Name in the address, label, class of the squares, and the squares of the response.
const OVERLAYS = [
  ["white", "White attacks", "white", ({ white }) => white],
  ["black", "Black attacks", "black", ({ black }) => black],
  ["danger", "King danger", "danger", ({ danger }) => danger],
  ["pins", "Pins", "pin", ({ pins }) => pins.flatMap(({ line }) => line)],
  ["check", "Check mask", "mask", ({ check }) => check ?? []],
  ["special", "E.p. and castling", "special", ({ castling, en_passant: target }) =>
    [...castling.flatMap(({ empty, rook }) => [...empty, rook]), ...(target ? [target] : [])]],
  ["mobility", "Mobility of a clicked piece", "mobility", () =>
    (selectedMoves() ?? []).map(({ to }) => to)],
  ["kernel", "Two-ply kernel", "kernel", ({ made }) =>
    kernelMoves().filter(({ uci }) => !made.includes(uci)).map(({ to }) => to)],
];

const kernelMoves = () => selectedMoves() ?? shown.moves;

export function showOverlays() {
  for (const box of $("overlays").querySelectorAll("input")) {
    box.checked = state.show.includes(box.value);
  }
  drawOverlay([]);
  $("overlay-terminal").hidden = $("kernel-note").hidden = true;
  return run("overlays", async (signal) => {
    if (!state.show.length) return;
    const response = await call("overlays", { at: at(), show: state.show }, signal);
    const sets = OVERLAYS.filter(([key]) => state.show.includes(key))
      .map(([, , kind, squares]) => [kind, new Set(squares(response))]);
    const isKernel = state.show.includes("kernel");
    drawOverlay(sets, isKernel ? madeMoves(response) : []);
    if (isKernel) showKernelNote(response.made.length);
    $("overlay-command").textContent = response.command;
    $("overlay-terminal").hidden = false;
  });
}

// Those of the selected piece, or all. The targets of the others have dots.
const madeMoves = ({ made }) => kernelMoves()
  .filter(({ uci }) => made.includes(uci)).map(({ uci }) => ({ uci, kind: "made" }));

function showKernelNote(made) {
  const all = shown.moves.length;
  $("kernel-note").hidden = false;
  $("kernel-note").textContent = shown.status === "check"
    ? `In check, the kernel makes each of the ${all} moves and counts the replies.`
    : `Two plies before the leaves: behind ${all - made} of ${all} moves the replies are counted `
      + `without making the move (dots); ${made} are made (arrows).`;
}

export function listen() {
  const change = () => {
    const checked = [...$("overlays").querySelectorAll(":checked")];
    go({ show: checked.map(({ value }) => value) }, { small: true });
  };
  $("overlays").append(...OVERLAYS.map(([value, label, kind]) => element("label", {},
    element("input", { type: "checkbox", value, onchange: change }),
    element("span", { class: `swatch ${kind}`, "aria-hidden": "true" }), label)));
}
