// The view of the magics: how a slider system looks up the attacks of a square.

import { call, session, stream } from "./backend.js";
import {
  $, boards, button, code, copyable, drawn, element, fill, grouped, note, option, paragraph,
  problem, setCommand,
} from "./dom.js";
import { run, stop } from "./jobs.js";
import { Grid, SQUARES, picture, pieceAt } from "./squares.js";
import { go, state } from "./state.js";

const COLORS = [
  "#22666b", "#8e44ad", "#1a5fa8", "#a05a12", "#7a3b3b", "#2e6b3a",
  "#5b5b9c", "#8a2f62", "#3f5d2a", "#5c4a1e", "#2a5f86", "#6b4b8a",
];
const LETTERS = { rook: "R", bishop: "B", queen: "Q" };
const grid = new Grid($("magic-board"), toggleBlocker);

const bit = (hex, i) => Number((BigInt(hex) >> BigInt(i)) & 1n);
const colorOf = (term) => COLORS[term % COLORS.length];
const card = (...children) => element("section", { class: "card" }, ...children);
const legend = (...kinds) => element("p", { class: "legend" }, kinds.map(([kind, name]) =>
  element("span", {}, element("i", { class: kind }), name)));

export const show = () => run("magics", async (signal) => {
  const { piece, square, system, friends } = state;
  const occupied = [...state.enemies, ...friends].filter((other) => other !== square);
  const sliders = piece === "queen" ? ["rook", "bishop"] : [piece];
  const lookups = await Promise.all(sliders.map((slider) =>
    call("magics", { piece: slider, square, system, occupied, friends }, signal)));
  await session();
  signal.throwIfAborted();
  for (const name of ["piece", "square", "system"]) $(`magic-${name}`).value = state[name];
  drawGrid();
  const [{ about, table_bytes: bytes, command, system: name }] = lookups;
  $("magic-about").textContent = `${name}: ${about}. ${grouped(bytes)} bytes of tables.`;
  fill($("lookups"), lookups.map((lookup) => lookupCard(lookup, occupied)));
  const hashed = lookups.filter(({ steps }) => steps.kind === "hashed");
  fill($("tables"), hashed.map(tableCard));
  renderLab(system === "pext" ? [] : hashed);
  setCommand(command);
});

function drawGrid() {
  const { square: own, piece, enemies, friends } = state;
  const kinds = [
    [[own], LETTERS[piece], `white ${piece}`], [enemies, "p", "enemy blocker"],
    [friends, "P", "friendly blocker"], [SQUARES, ".", "empty"],
  ];
  const kindOf = (square) => kinds.find(([squares]) => squares.includes(square));
  grid.draw(SQUARES.map((square) => kindOf(square)[1]), own,
    (square) => ({ classes: ["can"], name: kindOf(square)[2] }));
}

// A square goes from empty to an enemy, to a friend, to empty.
function toggleBlocker(square) {
  if (square === state.square) return;
  const { enemies, friends } = state;
  const without = (list) => list.filter((other) => other !== square);
  const isEnemy = enemies.includes(square);
  const isEmpty = !isEnemy && !friends.includes(square);
  go({
    enemies: isEmpty ? [...enemies, square] : without(enemies),
    friends: isEnemy ? [...friends, square] : without(friends),
  }, { small: true });
}

// A board of bits. `kind` is the class of a set bit, or gives it; `texts` and `colors` are those
// of squares.
function bitBoard(title, hex, { kind = "on", texts = {}, colors = {}, pieces = {}, text } = {}) {
  const board = picture("bits", `${title}: ${hex}`, (i, x, y, square) => [
    bit(hex, i) === 1 && drawn("rect", {
      x: x + 1.2, y: y + 1.2, width: 7.6, height: 7.6, rx: 1.6,
      class: typeof kind === "function" ? kind(i, square) : kind,
      style: colors[square] && { fill: colors[square] },
    }),
    texts[square] && drawn("text", { x: x + 5, y: y + 7.2 }, texts[square]),
    pieces[square] && pieceAt(pieces[square], x, y),
  ]);
  return element("figure", {}, element("figcaption", {}, title), board,
    text && element("div", { class: "muted mono" }, text));
}

function lookupCard({ piece, square, attacks, targets, captures, steps }, occupied) {
  const title = `${piece === "rook" ? "Rook" : "Bishop"} on ${square}`;
  const pieces = { [square]: LETTERS[piece] };
  const results = [
    bitBoard("Attacks", attacks, { pieces }),
    bitBoard("Without friends", targets, { pieces }),
    bitBoard("Captures", captures, { kind: "enemy", pieces }),
  ];
  const parts = steps.kind === "lines" ? lineParts(steps, pieces, results)
    : hashParts(steps, pieces, occupied, results, piece);
  return card(element("h2", {}, title), parts);
}

const lineParts = ({ lines }, pieces, results) => [
  note("No table of this square: each of the two lines is looked up alone, here by subtraction of "
    + "twice the slider, above and, on the mirrored board, below."),
  lines.map(({ line, blockers, above, below, attacks }, i) => boards(
    bitBoard(`Line ${i + 1}`, line, { kind: "mask", pieces }),
    bitBoard("Blockers", blockers, { kind: "enemy", pieces }),
    bitBoard("Blockers − 2 · slider", above),
    bitBoard("The same, mirrored", below),
    bitBoard("Attacks", attacks, { pieces }))),
  boards(results),
];

function hashParts(steps, pieces, occupied, results, piece) {
  const { terms, magic, product, index, index_bits: bits, offset } = steps;
  const shift = 64 - bits;
  const all = occupied.reduce((set, square) => set | (1n << BigInt(SQUARES.indexOf(square))), 0n);
  const owner = (_, square) => (state.friends.includes(square) ? "friend" : "enemy");
  const ofTerms = (value) =>
    Object.fromEntries(terms.map((term, i) => [term.square, value(term, i)]));
  const marks = { texts: ofTerms(({ letter }) => letter), colors: ofTerms((_, i) => colorOf(i)) };
  const top = (i) => (i >= shift ? "top" : "on");
  const region = { class: "scroll", tabindex: "0", role: "region" };
  const fact = (name, text) => [element("dt", {}, name), element("dd", {}, code(text))];
  const digits = index.toString(2).padStart(bits, "0");
  const sum = `${offset < 0 ? "−" : "+"} ${Math.abs(offset)} = ${steps.slot}`;
  return [
    boards(
      bitBoard("Occupied", `0x${all.toString(16)}`, { kind: owner, pieces }),
      bitBoard("Relevant squares", steps.mask, { kind: "mask", pieces }),
      bitBoard("Blockers", steps.blockers, marks),
      magic && bitBoard("Magic", magic, { text: magic }),
      bitBoard(magic ? "Product" : "Bits closed up", product, { kind: top, text: product }),
      results),
    element("div", { ...region, "aria-label": `Sum of the ${piece}` }, multiplication(steps)),
    legend(["k-on", "shifted copy"], ["k-carry", "carried"], ["k-top", "index"]),
    element("dl", { class: "facts" },
      fact("Index", `${product} >> ${shift} = ${index} (${digits})`),
      fact("Slot", `${index} ${sum}`)),
  ];
}

// One row for each blocker: its shifted copy, and below the last the sum. The top bits are framed.
function multiplication({ terms, start, product, index_bits: bits }) {
  const [size, left, height] = [7, 40, 9];
  const list = terms.map(({ letter, square, value, carries }, i) =>
    ({ label: `${letter} ${square}`, hex: value, carries, fill: colorOf(i) }));
  if (BigInt(start) !== 0n) list.unshift({ label: "start", hex: start, fill: "#6b7580" });
  list.push({ label: "sum", hex: product, isSum: true });
  const image = drawn("svg", {
    viewBox: `0 0 ${left + 64 * size} ${height * list.length + 4}`, class: "multiplication",
    role: "img", "aria-label": `Shifted copies of the magic, and their sum ${product}`,
  });
  const rect = (x, y, width, tall, kind, more = {}) =>
    image.append(drawn("rect", { x, y, width, height: tall, class: kind, ...more }));
  for (const [row, { label, hex, carries = "0x0", fill, isSum }] of list.entries()) {
    const y = row * height + (isSum ? 3 : 0);
    image.append(drawn("text", { x: 0, y: y + 6.4 }, label));
    for (let i = 63; i >= 0; i--) {
      const x = left + (63 - i) * size;
      const kind = !bit(hex, i) ? "off" : isSum && i >= 64 - bits ? "top" : "on";
      const style = kind === "on" && fill && { fill };
      rect(x, y + 0.5, size - 1, size - 0.5, kind, { rx: 1, style });
      if (bit(carries, i)) rect(x, y + height - 1.9, size - 1, 1.3, "carry");
    }
  }
  rect(left - 0.7, 0.1, bits * size + 0.4, height * list.length + 3.4, "window", { rx: 1.5 });
  return image;
}

function tableCard({ piece, square, steps: { table, index, index_bits: bits } }) {
  const slots = table.sets.length;
  const text = `${grouped(slots)} slots of ${grouped(1 << bits)}: ${grouped(table.used)} used, `
    + `${grouped(table.shared)} of them by several sets with the same attacks (harmless), `
    + `${grouped(slots - table.used)} unused`;
  const canvas = element("canvas", { id: `table-${piece}`, role: "img", "aria-label": text });
  drawTable(canvas, table, index);
  return card(element("h2", {}, `Table of the ${piece} on ${square}`), note(`${text}.`), canvas,
    legend(["k-on", "used"], ["k-shared", "shared"], ["k-unused", "unused"],
      ["k-now", "this lookup"]));
}

function drawTable(canvas, { sets, min }, index) {
  const [columns, cell] = [128, 7];
  canvas.width = columns * cell;
  canvas.height = Math.ceil(sets.length / columns) * cell;
  const context = canvas.getContext("2d");
  const unused = getComputedStyle(document.documentElement).getPropertyValue("--line");
  for (const [i, count] of sets.entries()) {
    const color = count === 0 ? unused : count === 1 ? "#22666b" : "#7fb9a8";
    context.fillStyle = i + min === index ? "#c9781a" : color;
    const [x, y] = [i % columns, Math.floor(i / columns)];
    context.fillRect(x * cell, y * cell, cell - 1, cell - 1);
  }
}

// Checking a magic of one's own, and searching for one. What was typed stays with its square.
function renderLab(lookups) {
  const { piece, square, system } = state;
  const owner = lookups.length ? `${piece} ${square} ${system}` : "";
  if ($("lab").dataset.owner === owner) return;
  $("lab").dataset.owner = owner;
  const key = { black: "black", packed: "black", fold32: "fold32" }[system] ?? "white";
  fill($("lab"), lookups.map((lookup) => labCard(lookup, key)));
}

function labCard({ piece, square, relevant }, key) {
  const relevantBits = BigInt(relevant).toString(2).replaceAll("0", "").length;
  const bits = element("input",
    { type: "number", min: "1", max: "16", id: `bits-${piece}`, value: relevantBits });
  const input = element("input", {
    type: "text", id: `own-${piece}`, placeholder: "0x0080001020400080", spellcheck: "false",
    autocomplete: "off",
  });
  const result = element("div", { id: `result-${piece}`, "aria-live": "polite" });
  const halt = button("Stop", () => {
    stop("lab");
    say(note("Stopped."));
  }, { hidden: true });
  const say = (...nodes) => fill(result, ...nodes);
  const fail = (error) => say(problem(error.message));
  const target = () => ({ piece, square, key, bits: Number(bits.value) });
  const check = (event) => {
    event.preventDefault();
    return run("lab", async (signal) => {
      const checked = await call("magics/check", { ...target(), magic: input.value }, signal);
      setCommand(checked.command);
      say(checked.valid ? accepted("Valid: no harmful collision.", checked)
        : refused(checked, { [square]: LETTERS[piece] }));
    }, fail);
  };
  const search = async () => {
    halt.hidden = false;
    say(note("Searching …"));
    await run("lab", (signal) => stream("magics/find", target(), signal, (event) => {
      const tries = `${grouped(event.tries)} tries`;
      const speed = `${(event.per_second / 1e6).toFixed(2)} million tries a second`;
      if (event.event === "tries") return say(note(`${tries}, ${speed}`));
      if (event.event !== "found") return;
      input.value = event.magic;
      setCommand(event.command);
      say(accepted(`Found after ${tries}, ${speed}; ${grouped(event.slots)} slots.`, event));
    }), fail);
    halt.hidden = true;
  };
  return card(element("form", { class: "setup", onsubmit: check },
    element("label", { class: "grow" }, `A magic of your own for the ${piece} on ${square}`, input),
    element("label", {}, "Index bits", bits), button("Check", null, { type: "submit" }),
    button("Search for one", search), halt), result);
}

const accepted = (text, { magic, constants: { rust, cpp, python } }) => [
  paragraph(element("strong", {}, magic), ` ${text}`),
  [["Rust", rust], ["C++", cpp], ["Python", python]].map(([name, line]) =>
    [element("h3", {}, name), copyable(line)]),
];

function refused({ magic, collision: { index, blockers, attacks } }, pieces) {
  const text = "is no magic: two sets of blockers with different attacks have the index";
  return [problem(`${magic} ${text} ${index}.`), boards([0, 1].map((i) => [
    bitBoard(`Blockers ${i + 1}`, blockers[i], { kind: "enemy", pieces }),
    bitBoard(`Attacks ${i + 1}`, attacks[i], { pieces })]))];
}

export function listen({ systems }) {
  $("magic-square").append(...SQUARES.map((name) => option(name)));
  $("magic-system").append(...systems.map(({ name }) => option(name)));
  for (const name of ["piece", "square", "system"]) {
    const select = $(`magic-${name}`);
    select.addEventListener("change", () => go({ [name]: select.value }));
  }
  $("magic-clear").addEventListener("click", () => go({ enemies: [], friends: [] }));
  $("magic-board").addEventListener("click", ({ target }) => {
    const cell = target.closest(".square");
    if (cell) toggleBlocker(cell.dataset.square);
  });
}
