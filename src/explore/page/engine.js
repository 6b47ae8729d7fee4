// What the events of the work with an engine, and of a pasted divide, look like. No other file
// reads their fields.

import {
  boards, button, code, copyable, element, grouped, note, paragraph, problem,
} from "./dom.js";
import { miniBoard } from "./squares.js";
import { go, state } from "./state.js";

const split = (moves) => moves.split(" ").filter(Boolean);
const totals = ({ ours, theirs }) => `${grouped(ours)} here, ${grouped(theirs)} there`;
const listed = (texts) => texts.map((text) => element("li", {}, text));
const strong = (text) => paragraph(element("strong", {}, text));

// The engine's side of a divide; false for another event.
export const engineDivide = ({ event, depth, equal, command, diff }) => event === "engine" && {
  depth, command,
  counts: new Map(diff.moves),
  extra: diff.extra,
  badge: (uci) =>
    diff.missing.includes(uci) ? "Missing" : diff.repeated.includes(uci) ? "Repeated" : "",
  summary: equal ? `engine equal to depth ${depth}` : `engine: ${inShort(diff)} at depth ${depth}`,
  isEqual: equal,
  notes: [diff.only_totals && element("li", { class: "plain" },
    "The engine prints totals only: each move was asked for alone."), listed(diff.remarks)],
};

// A difference in a few words: the totals, or the moves if the totals are equal.
function inShort(diff) {
  if (diff.ours !== diff.theirs) return totals(diff);
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
    : counts.slice(0, 6).map((count) => code(`${count.uci}: ${totals(count)}`));
  return paragraph([...words, ...remarks].map((word) => [word, " "]));
}

function arrowsOf({ extra, missing, counts }) {
  const list = (moves, kind) => moves.map((uci) => ({ uci, kind }));
  if (extra.length + missing.length) return [...list(extra, "extra"), ...list(missing, "missing")];
  return list(counts.slice(0, 3).map(({ uci }) => uci), "extra");
}

const figure = (title, { pieces, diff, fen }, ...buttons) => element("figure", {},
  element("figcaption", {}, title), miniBoard(pieces, arrowsOf(diff), `${title}: ${fen}`), buttons);

const causeParts = ({ is_rule: isRule, name, text, remarks }) => [
  element("h2", {}, `${isRule ? "Broken rule" : "Cause"}: ${name}`),
  element("p", { class: "rule" }, text),
  element("ul", { class: "remarks" }, listed(remarks)),
];

const reproduction = (epd, test) => [
  epd && [element("h3", {}, "For a suite (EPD)"), copyable(epd)],
  element("h3", {}, "As a test (UCI)"), copyable(test),
];

function equalParts({ positions, depth, nodes, rules, all_rules: all }) {
  const text = positions === undefined
    ? `No difference to depth ${depth}: ${grouped(nodes)} nodes.`
    : `No difference in ${grouped(positions)} random positions, ${grouped(nodes)} nodes. `
      + `${rules} of ${all} rules were exercised.`;
  return [element("h2", {}, "Equal"), paragraph(text)];
}

function verdictParts(verdict) {
  const { cause, unexplained, impossible, depth, found, smallest } = verdict;
  const open = ({ root, moves, chess960 }) => button("Walk there",
    () => go({ position: root, moves, chess960, view: "walk" }));
  return [
    cause ? causeParts(cause)
      : element("h2", {}, "Different, and no single known rule explains it"),
    unexplained && problem(`The cause is not determined: ${unexplained}`),
    impossible && paragraph(`No game reaches this position: ${impossible}. `
      + "An engine need not be right about it."),
    paragraph(`Different at depth ${depth}: ${totals(verdict)}.`), wrongMoves(found.diff),
    found.moves.length > 0 && paragraph("Moves: ", code(found.moves.join(" "))),
    verdict.right_without_moves && paragraph("Wrong only after these moves: given the FEN alone, "
      + "the engine is right. The bug is in making moves, not in generating them."),
    boards(figure("Where the moves differ", found, open(found)), smallest.fen !== found.fen
      && figure("The smallest position", smallest, open(smallest))),
    reproduction(verdict.epd, smallest.test),
  ];
}

function suiteParts({ name, compared, wrong, failures }, find) {
  const result = wrong ? `${wrong} wrong` : compared ? "equal" : "skipped";
  const figures = failures.map((failure) => {
    const { line, depth, fen, chess960, diff } = failure;
    const open = async () => {
      await go({ position: fen, moves: [], chess960, depth });
      find();
    };
    return figure(`line ${line}, depth ${depth}: ${inShort(diff)}`, failure,
      button("Find the bug", open));
  });
  return [element("h3", {}, `${name}: ${grouped(compared ?? 0)} positions, ${result}`),
    element("div", { class: "boards failures" }, figures)];
}

function lineParts({ lines, moves }) {
  const bad = lines.filter(({ meaning }) => meaning.startsWith("not"));
  const echo = bad.map(({ text, meaning }) =>
    element("li", {}, code(text), element("span", { class: "bad" }, meaning)));
  return [note(`${moves} moves read.`), bad.length > 0
    && [paragraph("Lines that were not understood:"), element("ul", { class: "echo" }, echo)]];
}

function comparedParts({ equal, depth, diff, cause, next, epd, test }) {
  if (equal) return strong(`Equal at depth ${depth}: ${grouped(diff.ours)} nodes.`);
  const follow = () => go({ moves: [...state.moves, next], depth: depth - 1 });
  return [
    strong(`Different: ${totals(diff)}.`), wrongMoves(diff), cause && causeParts(cause),
    next && button(`Follow ${next} to depth ${depth - 1}`, follow), reproduction(epd, test),
  ];
}

// What an event shows: `text` on the progress, `command` for the terminal, `verdict`, `suite` and
// `pasted` nodes, `arrows`, and a `line`: the position after some moves of a root, or of the
// position of the page. `find` finds the bug of the position of the page.
const EVENTS = {
  phase: ({ text }) => ({ text: `${text} …` }),
  equal: ({ depth, nodes }) => ({ text: `Equal at depth ${depth}: ${grouped(nodes)} nodes` }),
  hunted: ({ positions }) => ({ text: `${grouped(positions)} random positions` }),
  suites: ({ number, all, wrong }) => ({ text: `${number} of ${all} positions, ${wrong} wrong` }),
  suite: (event, find) => ({ suite: suiteParts(event, find) }),
  end: ({ wrong, command }) =>
    ({ text: wrong ? `${wrong} positions are wrong.` : "All positions are equal.", command }),
  query: ({ number, moves, depth, pieces }) => ({
    text: `Query ${grouped(number)}: depth ${depth} `
      + (moves ? `after ${moves}` : "from the position"),
    line: { pieces, moves: split(moves) },
    arrows: split(moves).slice(-1).map((uci) => ({ uci, kind: "query" })),
  }),
  verdict: (event) => {
    const { command, equal, found } = event;
    if (equal) return { text: "", command, verdict: equalParts(event) };
    const { root, pieces, moves, diff } = found;
    const line = { root, pieces, moves };
    return { text: "", command, verdict: verdictParts(event), line, arrows: arrowsOf(diff) };
  },
  lines: (event) => ({ pasted: lineParts(event) }),
  compared: (event) => ({
    pasted: comparedParts(event), command: event.command,
    arrows: event.equal ? [] : arrowsOf(event.diff),
  }),
};

export const isQuery = ({ event }) => event === "query";
export const rendered = (event, find) => EVENTS[event.event]?.(event, find) ?? {};
