// What the events of the work with an engine, and of a pasted divide, look like. No other file
// reads their fields.

import {
  boards, button, code, copyable, element, grouped, note, paragraph, problem,
} from "./dom.js";
import { miniBoard, piecesOf } from "./squares.js";
import { go, state } from "./state.js";

const split = (moves) => moves.split(" ").filter(Boolean);
const totals = ({ nodes, their_nodes: theirs }) => `${grouped(nodes)} here, ${grouped(theirs)} there`;
const listed = (texts) => texts.map((text) => element("li", {}, text));
const strong = (text) => paragraph(element("strong", {}, text));

// The engine's side of a divide; false for another event.
export const engineDivide = ({
  event, depth, equal, command, diff, moves, only_totals: onlyTotals,
}) => event === "engine" && {
  depth, command,
  counts: new Map(moves.map(([uci, nodes]) => [uci, String(nodes)])),
  extra: diff.extra,
  badge: (uci) =>
    diff.missing.includes(uci) ? "Missing" : diff.repeated.includes(uci) ? "Repeated" : "",
  summary: equal ? `engine equal to depth ${depth}` : `engine: ${inShort(diff)} at depth ${depth}`,
  isEqual: equal,
  notes: [onlyTotals && element("li", { class: "plain" },
    "The engine prints totals only: each move was asked for alone."), listed(diff.remarks)],
};

// A difference in a few words: the totals, or the moves if the totals are equal.
function inShort(diff) {
  if (diff.nodes !== diff.their_nodes) return totals(diff);
  const few = (moves) => `${moves.slice(0, 3).join(" ")}${moves.length > 3 ? " …" : ""}`;
  const lists = ["missing", "extra"].filter((name) => diff[name].length);
  return lists.map((name) => `${name} ${few(diff[name])}`).join(", ") || "other counts";
}

function wrongMoves({ missing, extra, repeated, counts, remarks }) {
  const lists = [
    ["Missing", missing, "badge missing"], ["Extra", extra, "badge"],
    ["Listed twice", repeated, "badge"],
  ].filter(([, moves]) => moves.length);
  const words = lists.length
    ? lists.flatMap(([name, moves, kind]) =>
      [element("span", { class: kind }, name), code(moves.join(" "))])
    : counts.slice(0, 6).map((count) => code(`${count.move}: ${totals(count)}`));
  return paragraph([...words, ...remarks].map((word) => [word, " "]));
}

function arrowsOf({ extra, missing, counts }) {
  const list = (moves, kind) => moves.map((uci) => ({ uci, kind }));
  if (extra.length + missing.length) return [...list(extra, "extra"), ...list(missing, "missing")];
  return list(counts.slice(0, 3).map(({ move }) => move), "extra");
}

const figure = (title, fen, diff, ...buttons) => element("figure", {},
  element("figcaption", {}, title), miniBoard(fen, arrowsOf(diff), `${title}: ${fen}`), buttons);

const causeParts = ({ is_rule: isRule, name, text, remarks }) => [
  element("h2", {}, `${isRule ? "Broken rule" : "Cause"}: ${name}`),
  element("p", { class: "rule" }, text),
  element("ul", { class: "remarks" }, listed(remarks)),
];

const reproduction = ({ epd, fen, moves, at }) => [
  epd && [element("h3", {}, "For a suite (EPD)"), copyable(epd)],
  element("h3", {}, "As a test (UCI)"),
  copyable(`position fen ${fen}${moves.length ? " moves " : ""}${moves.join(" ")}\n`
    + `go perft ${at.depth}\n# expect ${at.nodes}`),
];

function equalParts({ positions, max_depth: depth, nodes, coverage }) {
  const text = !coverage ? `No difference to depth ${depth}: ${grouped(nodes)} nodes.`
    : `No difference in ${grouped(positions)} random positions, ${grouped(nodes)} nodes. `
      + `${coverage.rules.filter((rule) => rule.positions).length} of ${coverage.rules.length} `
      + "rules were exercised.";
  return [element("h2", {}, "Equal"), paragraph(text)];
}

// The mismatch as it was found: the smallest one has it only if it is another one.
const foundOf = (mismatch) => mismatch.found ?? mismatch;

function mismatchParts(mismatch) {
  const { cause, unexplained } = mismatch;
  const found = foundOf(mismatch);
  const open = ({ fen, moves, chess960 }) => button("Walk there",
    () => go({ position: fen, moves, chess960, view: "walk" }));
  const shown = (title, of) => figure(title, of.at.fen, of.at, open(of));
  return [
    cause ? causeParts(cause)
      : element("h2", {}, "Different, and no single known rule explains it"),
    unexplained && problem(`The cause is not determined: ${unexplained}`),
    found.impossible && paragraph(`No game reaches this position: ${found.impossible}. `
      + "An engine need not be right about it."),
    paragraph(`Different at depth ${found.depth}: ${totals(found)}.`), wrongMoves(found.at),
    found.moves.length > 0 && paragraph("Moves: ", code(found.moves.join(" "))),
    found.at.right_without_moves && paragraph("Wrong only after these moves: given the FEN alone, "
      + "the engine is right. The bug is in making moves, not in generating them."),
    boards(shown("Where the moves differ", found), mismatch.at.fen !== found.at.fen
      && shown("The smallest position", mismatch)),
    reproduction(mismatch),
  ];
}

function suiteParts({ stage: { name, positions, wrong }, failures }, find) {
  const result = wrong ? `${wrong} wrong` : positions ? "equal" : "skipped";
  const figures = failures.map(({ line, depth, fen, chess960, diff }) => {
    const open = async () => {
      await go({ position: fen, moves: [], chess960, depth });
      find();
    };
    return figure(`line ${line}, depth ${depth}: ${inShort(diff)}`, fen, diff,
      button("Find the bug", open));
  });
  return [element("h3", {}, `${name}: ${grouped(positions)} positions, ${result}`),
    element("div", { class: "boards failures" }, figures)];
}

function lineParts({ lines, moves }) {
  const bad = lines.filter(({ meaning }) => meaning.startsWith("not"));
  const echo = bad.map(({ text, meaning }) =>
    element("li", {}, code(text), element("span", { class: "bad" }, meaning)));
  return [note(`${moves} moves read.`), bad.length > 0
    && [paragraph("Lines that were not understood:"), element("ul", { class: "echo" }, echo)]];
}

function comparedParts({ depth, diff, mismatch }) {
  if (!mismatch) return strong(`Equal at depth ${depth}: ${grouped(diff.nodes)} nodes.`);
  const { cause, next } = mismatch;
  const follow = () => go({ moves: [...state.moves, next], depth: depth - 1 });
  return [
    strong(`Different: ${totals(diff)}.`), wrongMoves(diff), cause && causeParts(cause),
    next && button(`Follow ${next} to depth ${depth - 1}`, follow), reproduction(mismatch),
  ];
}

// What an event shows: `text` on the progress, `command` for the terminal, `verdict`, `suite` and
// `pasted` nodes, `arrows`, and a `line`: the position after some moves of a root, or of the
// position of the page. `find` finds the bug of the position of the page.
const EVENTS = {
  phase: ({ text }) => ({ text: `${text} …` }),
  equal: ({ depth, nodes }) => ({ text: `Equal at depth ${depth}: ${grouped(nodes)} nodes` }),
  position: ({ name, number, all, wrong }) => ({
    text: all ? `${name}: ${number} of ${all} positions, ${wrong} wrong`
      : `${grouped(number)} random positions`,
  }),
  suite: (event, find) => ({ suite: suiteParts(event, find) }),
  end: ({ wrong, command }) =>
    ({ text: wrong ? `${wrong} positions are wrong.` : "All positions are equal.", command }),
  query: ({ number, moves, depth, fen }) => ({
    text: `Query ${grouped(number)}: depth ${depth} `
      + (moves ? `after ${moves}` : "from the position"),
    line: { pieces: piecesOf(fen), moves: split(moves) },
    arrows: split(moves).slice(-1).map((uci) => ({ uci, kind: "query" })),
  }),
  verdict: ({ command, stage, mismatch }) => {
    if (!mismatch) return { text: "", command, verdict: equalParts(stage) };
    const { fen: root, moves, at } = foundOf(mismatch);
    const line = { root, pieces: piecesOf(at.fen), moves };
    return { text: "", command, verdict: mismatchParts(mismatch), line, arrows: arrowsOf(at) };
  },
  lines: (event) => ({ pasted: lineParts(event) }),
  compared: (event) => ({
    pasted: comparedParts(event), command: event.command,
    arrows: event.mismatch ? arrowsOf(event.diff) : [],
  }),
};

export const isQuery = ({ event }) => event === "query";
export const rendered = (event, find) => EVENTS[event.event]?.(event, find) ?? {};
