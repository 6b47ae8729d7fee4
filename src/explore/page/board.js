// The board of the position: its pieces and arrows, and moves by mouse and keys.

import { $, button, element, fill } from "./dom.js";
import { stop } from "./jobs.js";
import { Grid, PIECE_NAMES, SQUARES, arrows, pieceImage } from "./squares.js";
import { go, playMove, shown, state } from "./state.js";

const grid = new Grid($("board"), activate, () => select(null));
let selected = null;
let viewed = null;     // the moves to the position of an engine's query, while the board shows it
let baseArrows = [];   // arrows of an overlay, below those of a move
let onSelect = null;

const letterOn = (square) => shown.pieces[SQUARES.indexOf(square)];
const movesFrom = (square) => shown.moves.filter((move) => move.from === square);

// The moves of the selected piece, or else null.
export const selectedMoves = () => selected && movesFrom(selected);

export function drawArrows(list = []) {
  fill($("arrows"), arrows([...baseArrows, ...list], state.flip));
}

export function drawPosition() {
  selected = viewed = null;
  const last = shown.line.at(-1)?.uci ?? "";
  const ends = [last.slice(0, 2), last.slice(2, 4)];
  grid.draw(shown.pieces, shown.king, (square) => {
    const isInCheck = square === shown.king && shown.status.startsWith("check");
    const classes = [
      ends.includes(square) && "last", isInCheck && "check", movesFrom(square).length && "can",
    ];
    return { classes, more: isInCheck ? ", in check" : "" };
  }, state.flip);
  drawArrows();
}

// Shows a position after some moves, which the first click or key on the board plays.
export function drawLine(pieces, moves, list) {
  stop("overlays");
  selected = null;
  viewed = moves;
  baseArrows = [];
  grid.draw(pieces, shown.king, undefined, state.flip);
  drawArrows(list);
}

// Shows sets of squares and arrows until the board is drawn again.
export function drawOverlay(sets, list = []) {
  for (const mark of $("board").querySelectorAll("i")) mark.remove();
  for (const [kind, squares] of sets) {
    for (const square of squares) grid.cell(square).prepend(element("i", { class: kind }));
  }
  baseArrows = list;
  drawArrows();
}

function select(square) {
  selected = square;
  const targets = (selectedMoves() ?? []).flatMap(({ to, rook }) => [to, rook]);
  for (const cell of grid.cells) {
    const { square: name } = cell.dataset;
    cell.classList.toggle("selected", name === square);
    cell.classList.toggle("target", targets.includes(name));
    cell.classList.toggle("occupied", letterOn(name) !== ".");
    cell.setAttribute("aria-selected", String(name === square));
  }
  onSelect();
}

// A click or Enter on a square: plays the move from the selected square, or selects.
function activate(square) {
  if (viewed) return go({ moves: viewed });
  if (selected && selected !== square && tryMove(selected, square)) return;
  const canSelect = movesFrom(square).length || state.show.includes("mobility");
  select(square !== selected && canSelect ? square : null);
}

function tryMove(from, to) {
  const moves = movesFrom(from);
  let candidates = moves.filter((move) => move.to === to);
  if (!candidates.length) candidates = moves.filter((move) => move.rook === to);
  if (candidates.length === 1) playMove(candidates[0].uci);
  else if (candidates.length) choosePromotion(candidates);
  return candidates.length > 0;
}

function choosePromotion(candidates) {
  fill($("promotion").firstElementChild, ["q", "r", "b", "n"].map((letter) => {
    const move = candidates.find(({ promotion }) => promotion === letter);
    const image = pieceImage(shown.side === "white" ? letter.toUpperCase() : letter);
    const attributes = { type: "submit", "aria-label": PIECE_NAMES[letter] };
    return move && button(image, () => playMove(move.uci), attributes);
  }));
  $("promotion").showModal();
}

// Clicks and drags: a drag of a few pixels or less is a click.
function pointerDown(event) {
  const cell = event.target.closest(".square");
  if (!cell || event.button !== 0) return;
  const { square } = cell.dataset;
  if (viewed) return activate(square);
  const size = cell.getBoundingClientRect().width;
  const ended = new AbortController();
  let ghost = null;
  const move = ({ clientX, clientY }) => {
    const distance = Math.hypot(clientX - event.clientX, clientY - event.clientY);
    if (!ghost && distance > 5 && movesFrom(square).length) {
      select(square);
      ghost = pieceImage(letterOn(square), { width: size, height: size });
      ghost.classList.add("ghost");
      document.body.append(ghost);
      cell.classList.add("dragged");
    }
    if (!ghost) return;
    ghost.style.left = `${clientX - size / 2}px`;
    ghost.style.top = `${clientY - size / 2}px`;
  };
  const up = ({ clientX, clientY }) => {
    ended.abort();
    cell.classList.remove("dragged");
    ghost?.remove();
    const target = document.elementFromPoint(clientX, clientY)?.closest("#board .square");
    if (ghost && !(target && tryMove(square, target.dataset.square))) select(null);
    else if (!ghost && target === cell) activate(square);
  };
  const { signal } = ended;
  addEventListener("pointermove", move, { signal });
  addEventListener("pointerup", up, { signal });
  addEventListener("pointercancel", up, { signal });
}

// `whenSelected` is called after a square is selected, or none.
export function listen(whenSelected) {
  onSelect = whenSelected;
  $("board").addEventListener("pointerdown", pointerDown);
}
