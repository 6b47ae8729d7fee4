// The state of the page: the query of its address, and the position that it names.

import { clamp } from "./dom.js";

function readAddress() {
  const query = new URLSearchParams(location.search);
  const list = (name, otherwise = "") => (query.get(name) ?? otherwise).split(",").filter(Boolean);
  return {
    view: views.includes(query.get("view")) ? query.get("view") : views[0],
    position: query.get("position") ?? "startpos",
    moves: list("moves"),
    chess960: query.get("chess960") === "1",
    depth: clamp(Number(query.get("depth")) || 3, 1, 12),
    flip: query.get("flip") === "1",
    show: list("show"),
    piece: query.get("piece") ?? "rook",
    square: query.get("square") ?? "d4",
    system: query.get("system") ?? "fancy",
    enemies: list("enemies", "d6,b4,f6"),
    friends: list("friends", "g4,d2"),
  };
}

// The address of the state with some changes.
export function address(changes) {
  const of = { ...state, ...changes };
  const query = new URLSearchParams();
  const set = (name, value) => value && query.set(name, value);
  if (of.view !== views[0]) query.set("view", of.view);
  if (of.view === "magics") {
    const names = ["piece", "square", "system", "enemies", "friends"];
    for (const name of names) query.set(name, of[name]);
  }
  query.set("position", of.position);
  set("moves", of.moves.join(","));
  set("chess960", of.chess960 && "1");
  query.set("depth", of.depth);
  set("flip", of.flip && "1");
  set("show", of.show.join(","));
  return `?${query.toString().replaceAll("%2C", ",").replaceAll("%2F", "/")}`;
}

export let state = null;
// The position as the backend describes it.
export let shown = null;
// The moves that were taken back.
export let ahead = [];
let views = [];
let render = null;

export function setShown(position) {
  shown = position;
}

export const at = () =>
  ({ position: state.position, moves: state.moves, chess960: state.chess960 });

function set(next) {
  const line = [...state.moves, ...ahead];
  const isOnLine = next.position === state.position
    && next.moves.every((uci, i) => uci === line[i]);
  ahead = isOnLine ? line.slice(next.moves.length) : [];
  state = next;
  return render();
}

// Changes the state and shows it. Small changes do not get a place in the history.
export function go(changes, { small = false } = {}) {
  history[small ? "replaceState" : "pushState"](null, "", address(changes));
  return set({ ...state, ...changes });
}

export const turn = () => go({ flip: !state.flip }, { small: true });
export const playMove = (uci) => go({ moves: [...state.moves, uci] });
export const playAgain = () => ahead.length && playMove(ahead[0]);
export const takeBack = () => state.moves.length && go({ moves: state.moves.slice(0, -1) });

// Reads the state. `onChange` shows it; the first of the views is that of an address without one.
export function start(names, onChange) {
  views = names;
  render = onChange;
  state = readAddress();
  addEventListener("popstate", () => set(readAddress()));
}
