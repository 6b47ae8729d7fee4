// What every board is drawn with: squares, pieces, arrows.

import { clamp, drawn, element, fill } from "./dom.js";

export const SQUARES = Array.from({ length: 64 }, (_, i) => "abcdefgh"[i % 8] + (1 + (i >> 3)));
export const PIECE_NAMES =
  { p: "pawn", n: "knight", b: "bishop", r: "rook", q: "queen", k: "king" };
const STEPS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

const colorOf = (letter) => (letter === letter.toUpperCase() ? "white" : "black");
const nameOf = (letter) =>
  letter === "." ? "empty" : `${colorOf(letter)} ${PIECE_NAMES[letter.toLowerCase()]}`;
const isDark = (i) => (i + (i >> 3)) % 2 === 0;

// Column and row of a square, from the left and from the top.
function place(square, flip) {
  const i = SQUARES.indexOf(square);
  return flip ? [7 - (i % 8), i >> 3] : [i % 8, 7 - (i >> 3)];
}

export const pieceImage = (letter, attributes = {}) => drawn("svg", {
  viewBox: "0 0 40 40", "aria-hidden": "true", class: `${colorOf(letter)}-piece`, ...attributes,
}, drawn("use", { href: `#${letter.toLowerCase()}` }));

// A board of cells, over which the arrow keys walk.
export class Grid {
  // `activate` is called with the square of Enter, `cancel` after Escape.
  constructor(node, activate, cancel) {
    const cell = () => element("div", { class: "square", role: "gridcell", tabindex: "-1" });
    const row = () => element("div", { role: "row" }, Array.from({ length: 8 }, cell));
    node.append(...Array.from({ length: 8 }, row));
    this.cells = [...node.querySelectorAll(".square")];
    node.addEventListener("keydown", (event) => {
      const i = this.cells.indexOf(event.target);
      if (i < 0) return;
      if (event.key === "Enter" || event.key === " ") activate(event.target.dataset.square);
      else if (event.key === "Escape") cancel?.();
      else if (STEPS[event.key]) {
        const [dx, dy] = STEPS[event.key];
        const next = 8 * clamp((i >> 3) + dy, 0, 7) + clamp((i % 8) + dx, 0, 7);
        event.target.tabIndex = -1;
        this.cells[next].tabIndex = 0;
        this.cells[next].focus();
      } else return;
      event.preventDefault();
      event.stopPropagation();
    });
  }

  cell(square) {
    const [x, y] = place(square, this.flip);
    return this.cells[8 * y + x];
  }

  // Draws pieces. The tab key leads to `home`, unless a square has the focus already. `describe`
  // gives further classes of a square, its name and what follows the name.
  draw(pieces, home, describe = () => ({}), flip = false) {
    const focused = this.cells.find((cell) => cell === document.activeElement)?.dataset.square;
    this.flip = flip;
    for (const [i, square] of SQUARES.entries()) {
      const [x, y] = place(square, flip);
      const { classes = [], name = nameOf(pieces[i]), more = "" } = describe(square);
      const cell = this.cell(square);
      cell.dataset.square = square;
      cell.tabIndex = square === (focused ?? home) ? 0 : -1;
      cell.className = ["square", isDark(i) && "dark", ...classes].filter(Boolean).join(" ");
      cell.setAttribute("aria-label", `${square}, ${name}${more}`);
      cell.setAttribute("aria-selected", "false");
      fill(cell, pieces[i] !== "." && pieceImage(pieces[i]),
        y === 7 && element("span", { class: "name file", "data-name": square[0] }),
        x === 0 && element("span", { class: "name rank", "data-name": square[1] }));
    }
    if (focused) this.cell(focused).focus();
  }
}

function arrow({ uci, kind }, flip) {
  const center = (square) => place(square, flip).map((n) => 10 * n + 5);
  const [[x1, y1], [x2, y2]] = [center(uci.slice(0, 2)), center(uci.slice(2, 4))];
  const length = Math.hypot(x2 - x1, y2 - y1) || 1;
  const [ux, uy] = [(x2 - x1) / length, (y2 - y1) / length];
  const [bx, by] = [x2 - 3.6 * ux, y2 - 3.6 * uy];
  const tip = [
    [x2 + ux, y2 + uy], [bx - 2.1 * uy, by + 2.1 * ux], [bx + 2.1 * uy, by - 2.1 * ux],
  ];
  const points = tip.map((point) => point.map((n) => n.toFixed(2)).join(",")).join(" ");
  return drawn("g", { class: kind },
    drawn("line", { x1, y1, x2: bx, y2: by }), drawn("polygon", { points }));
}

// Arrows of moves. Engines print other things too.
export const arrows = (list, flip = false) =>
  list.filter(({ uci }) => /^([a-h][1-8]){2}/.test(uci)).map((one) => arrow(one, flip));

// A board that is only looked at. `content` gives what stands on a square, from its corner.
export function picture(kind, label, content) {
  const attributes = { viewBox: "0 0 80 80", class: kind, role: "img", "aria-label": label };
  return drawn("svg", attributes, SQUARES.map((square, i) => {
    const [x, y] = [10 * (i % 8), 70 - 10 * (i >> 3)];
    const background = { x, y, width: 10, height: 10, class: isDark(i) ? "d" : "l" };
    return [drawn("rect", background), content(i, x, y, square)];
  }));
}

export const pieceAt = (letter, x, y) =>
  pieceImage(letter, { x: x + 0.4, y: y + 0.4, width: 9.2, height: 9.2 });

// The letters of the pieces of a FEN from a1 to h8, "." for an empty square.
export const piecesOf = (fen) => fen.split(" ")[0].split("/").reverse().join("")
  .replace(/\d/g, (empty) => ".".repeat(empty));

export function miniBoard(fen, list, label) {
  const pieces = piecesOf(fen);
  const board = picture("mini", label, (i, x, y) => pieces[i] !== "." && pieceAt(pieces[i], x, y));
  board.append(drawn("g", { class: "arrows" }, arrows(list)));
  return board;
}
