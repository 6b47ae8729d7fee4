// The page of `perft explore`. It draws what the server computes, and computes nothing about chess.

const $ = (id) => document.getElementById(id);
const SVG = "http://www.w3.org/2000/svg";
const FILES = "abcdefgh";
const SQUARES = Array.from({ length: 64 }, (_, i) => FILES[i % 8] + (1 + (i >> 3)));
const PIECE_NAMES = { p: "pawn", n: "knight", b: "bishop", r: "rook", q: "queen", k: "king" };

// ---------------------------------------------------------------- small helpers

function element(name, properties = {}, ...children) {
  const node = document.createElement(name);
  for (const [key, value] of Object.entries(properties)) {
    if (value === undefined || value === null || value === false) continue;
    if (key.startsWith("on")) node.addEventListener(key.slice(2), value);
    else if (key === "class") node.className = value;
    else node.setAttribute(key, value === true ? "" : value);
  }
  node.append(...children.filter((child) => child !== null && child !== undefined));
  return node;
}

function drawn(name, attributes = {}, ...children) {
  const node = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
  node.append(...children);
  return node;
}

const grouped = (digits) => String(digits).replace(/\B(?=(\d{3})+$)/g, ",");

async function copy(button, text) {
  const isCopied = await navigator.clipboard.writeText(text).then(() => true, () => false);
  button.textContent = isCopied ? "Copied" : "Not copied";
  setTimeout(() => (button.textContent = "Copy"), 1200);
}

const copyable = (text) => element("div", { class: "copyable" }, element("pre", {}, text),
  element("button", { type: "button", onclick: (event) => copy(event.currentTarget, text) }, "Copy"));

const isWhite = (letter) => letter === letter.toUpperCase();

function pieceImage(letter, attributes = {}) {
  const use = drawn("use", { href: `#${letter.toLowerCase()}` });
  return drawn("svg", {
    viewBox: "0 0 40 40", "aria-hidden": "true",
    class: isWhite(letter) ? "white-piece" : "black-piece", ...attributes,
  }, use);
}

// ---------------------------------------------------------------- the server

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

async function post(name, body, signal) {
  const response = await fetch(`/api/${name}`, {
    method: "POST", signal, body: JSON.stringify(body),
    headers: { "Content-Type": "application/json", "X-Perft-Token": token },
  });
  if (!response.ok) {
    const { error } = await response.json().catch(() => ({ error: response.statusText }));
    throw new Error(error);
  }
  return response;
}

const call = async (name, body, signal) => (await post(name, body, signal)).json();

// Calls `onEvent` with each line of a stream.
async function stream(name, body, signal, onEvent) {
  const reader = (await post(name, body, signal)).body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (;;) {
    const { done, value } = await reader.read();
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

// One piece of work of each kind at a time: a new one aborts the one before.
const running = {};
function restart(kind) {
  running[kind]?.abort();
  return (running[kind] = new AbortController()).signal;
}
const stop = (kind) => running[kind]?.abort();

function report(error) {
  if (error.name === "AbortError") return;
  $("alert").textContent = error instanceof TypeError
    ? "The server does not respond. Has perft explore ended?" : error.message;
  $("alert").hidden = false;
}

// ---------------------------------------------------------------- the state, in the query of the address

const OVERLAYS = [
  ["white", "White attacks", "white"], ["black", "Black attacks", "black"], ["danger", "King danger", "danger"],
  ["pins", "Pins", "pin"], ["check", "Check mask", "mask"], ["special", "E.p. and castling", "special"],
  ["mobility", "Mobility of a clicked piece", "mobility"], ["kernel", "Two-ply kernel", "kernel"],
];

let session = null;
let sessionReady = null; // the request for it, beside which the first position is asked for
let state = null;
let shown = null;       // the position as the server describes it
let counts = new Map(); // count of each move at the depth counted last
let counted = null;     // the last divide event
let theirs = null;      // the last engine event
let ahead = [];         // moves taken back
let selected = null;
let viewed = null;      // the moves to the position of the engine's query, while the board shows it
let baseArrows = [];    // arrows of an overlay, below those of a move
let sort = { key: "uci", down: false };

function readAddress() {
  const query = new URLSearchParams(location.search);
  const list = (name) => (query.get(name) ?? "").split(",").filter(Boolean);
  return {
    view: ["walk", "bugs", "magics"].includes(query.get("view")) ? query.get("view") : "walk",
    position: query.get("position") ?? "startpos",
    moves: list("moves"),
    chess960: query.get("chess960") === "1",
    depth: Math.max(1, Math.min(12, Number(query.get("depth")) || 3)),
    flip: query.get("flip") === "1",
    show: list("show"),
    piece: query.get("piece") ?? "rook",
    square: query.get("square") ?? "d4",
    system: query.get("system") ?? "fancy",
    enemies: query.has("enemies") ? list("enemies") : ["d6", "b4", "f6"],
    friends: query.has("friends") ? list("friends") : ["g4", "d2"],
  };
}

function address(of) {
  const query = new URLSearchParams();
  const set = (name, value) => value && query.set(name, value);
  if (of.view !== "walk") query.set("view", of.view);
  if (of.view === "magics") {
    for (const name of ["piece", "square", "system"]) query.set(name, of[name]);
    query.set("enemies", of.enemies.join(","));
    query.set("friends", of.friends.join(","));
  }
  query.set("position", of.position);
  set("moves", of.moves.join(","));
  set("chess960", of.chess960 && "1");
  query.set("depth", of.depth);
  set("flip", of.flip && "1");
  set("show", of.show.join(","));
  return `?${query.toString().replaceAll("%2C", ",").replaceAll("%2F", "/")}`;
}

// Changes the state and shows it. Small changes do not get a place in the history.
function go(changes, { small = false } = {}) {
  const next = { ...state, ...changes };
  state = next;
  history[small ? "replaceState" : "pushState"](null, "", address(next));
  return render();
}

const at = () => ({ position: state.position, moves: state.moves, chess960: state.chess960 });

// ---------------------------------------------------------------- showing the state

async function render() {
  for (const link of document.querySelectorAll("[data-view]")) {
    link.toggleAttribute("aria-current", link.dataset.view === state.view);
    if (link.dataset.view === state.view) link.setAttribute("aria-current", "page");
    link.href = address({ ...state, view: link.dataset.view });
  }
  $("alert").hidden = true;
  $("tree").hidden = state.view === "magics";
  $("magics").hidden = state.view !== "magics";
  $("walk").hidden = state.view !== "walk";
  $("bugs").hidden = state.view !== "bugs";
  $("depth").value = state.depth;
  $("chess960").checked = state.chess960;
  document.title = state.view === "magics" ? "Magics – perft explore" : `${state.position.split(" ")[0]} – perft explore`;
  if (state.view === "magics") return renderMagics();
  return renderPosition();
}

async function renderPosition() {
  const signal = restart("position");
  const key = JSON.stringify([at(), state.depth]);
  const isNew = key !== renderPosition.key;
  if (isNew) {
    stop("divide");
    stop("engine");
    if (state.view !== "magics") startDivide(key);
  }
  try {
    shown = await call("position", at(), signal);
    await sessionReady;
    if (!session || signal.aborted) return;
  } catch (error) {
    if (error.name === "AbortError") return;
    $("fen-error").textContent = error.message;
    $("fen").setAttribute("aria-invalid", "true");
    renderPosition.key = null;
    stop("divide");
    return;
  }
  $("fen-error").textContent = "";
  $("fen").removeAttribute("aria-invalid");
  selected = null;
  $("fen").value = shown.fen;
  $("named").value = session.positions.some(({ name }) => name === shown.name) && !state.moves.length ? shown.name : "";
  $("back").disabled = !state.moves.length;
  $("forward").disabled = !ahead.length;
  $("fen-note").hidden = !shown.impossible;
  $("fen-note").textContent = shown.impossible ? `No game reaches this position: ${shown.impossible}.` : "";
  const side = shown.side === "white" ? "White" : "Black";
  $("status").textContent = shown.status === "checkmate" ? `${side} is checkmated`
    : shown.status === "stalemate" ? "Stalemate" : `${side} to move${shown.status === "check" ? ", in check" : ""}`;
  renderLine();
  drawBoard();
  drawArrows([]);
  renderDivide();
  renderOverlays();
  if (state.view === "bugs") setCommand(renderPosition.bugCommand ?? shown.command);
}

function renderLine() {
  const to = (count) => () => {
    ahead = state.moves.slice(count).concat(ahead);
    go({ moves: state.moves.slice(0, count) });
  };
  const start = shown.name.includes("/") ? "Position" : shown.name;
  const crumb = (text, count) => element("button", {
    type: "button", onclick: to(count), "aria-current": count === state.moves.length ? "step" : null,
  }, text);
  const links = [crumb(start, 0)];
  shown.line.forEach(({ san }, i) => links.push(element("span", { class: "muted", "aria-hidden": "true" }, "›"), crumb(san, i + 1)));
  $("line").replaceChildren(...links);
}

function setCommand(text) {
  $("command").textContent = text;
}

// ---------------------------------------------------------------- counting

async function startDivide(key) {
  renderPosition.key = key;
  counts = new Map();
  counted = theirs = null;
  const { depth } = state;
  const body = { at: at(), depth };
  const signal = restart("divide");
  $("counting").hidden = true;
  const timer = setTimeout(() => showProgress(`depth ${depth}: …`), 150);
  sessionReady.then(() => session?.engine && !signal.aborted && startEngine(body));
  try {
    await stream("divide", body, signal, (event) => {
      if (signal.aborted) return;
      if (event.event === "divide") {
        counted = event;
        counts = new Map(event.moves);
        renderDivide();
        if (event.depth === depth) performance.mark("counted");
      } else if (event.event === "progress") {
        showProgress(`depth ${event.depth}: ${Math.floor(100 * event.share)} %, ${grouped(event.nodes)}`, event.share);
      }
    });
  } catch (error) {
    report(error);
  } finally {
    clearTimeout(timer);
    if (running.divide?.signal === signal) finish("divide");
    renderDivide();
  }
}

function showProgress(text, share = 0) {
  $("counting").hidden = false;
  $("progress").value = share;
  $("counting-text").textContent = text;
}

// Our count or the engine's is done. The other may go on.
function finish(kind) {
  delete running[kind];
  if (running.divide) return;
  $("counting").hidden = !running.engine;
  if (running.engine) showProgress(`engine: depth ${(theirs?.depth ?? 0) + 1} …`, (theirs?.depth ?? 0) / state.depth);
}

async function startEngine(body) {
  const signal = restart("engine");
  try {
    await stream("engine/divide", body, signal, (event) => {
      if (signal.aborted || event.event !== "engine") return;
      theirs = event;
      renderDivide();
      if (!running.divide) showProgress(`engine: depth ${event.depth + 1} …`, event.depth / body.depth);
    });
  } catch (error) {
    report(error);
  } finally {
    if (running.engine?.signal === signal) finish("engine");
  }
}

// The rows: our moves, and the extra ones of the engine.
function rows() {
  const diff = theirs?.depth === counted?.depth ? theirs?.diff : null;
  const engine = new Map(diff?.moves ?? []);
  const list = shown.moves.map((move) => ({
    ...move, nodes: counts.get(move.uci), theirs: engine.get(move.uci),
    wrong: diff ? engine.get(move.uci) !== counts.get(move.uci) : false,
    badge: diff?.missing.includes(move.uci) ? "Missing" : diff?.repeated.includes(move.uci) ? "Repeated" : "",
  }));
  for (const uci of diff?.extra ?? []) {
    list.push({ uci, san: "", kinds: [], theirs: engine.get(uci), wrong: true, badge: "Extra", illegal: true });
  }
  const text = (row) => ({ uci: row.uci, san: row.san, kind: row.kinds.join(" ") })[sort.key] ?? "";
  const number = (row) => BigInt((sort.key === "theirs" ? row.theirs : row.nodes) ?? 0);
  list.sort((a, b) => {
    let order = a.uci < b.uci ? -1 : 1;
    if (sort.key === "nodes" || sort.key === "theirs") {
      const [x, y] = [number(a), number(b)];
      if (x !== y) order = x < y ? -1 : 1;
    } else if (text(a) !== text(b)) {
      order = text(a) < text(b) ? -1 : 1;
    }
    return Boolean(b.badge) - Boolean(a.badge) || b.wrong - a.wrong || (sort.down ? -order : order);
  });
  return list;
}

function renderDivide() {
  if (!shown || state.view !== "walk") return;
  const list = rows();
  const total = Number(counted?.nodes ?? 0) || 1;
  const largest = Math.max(1, ...list.map((row) => Number(row.nodes ?? 0)));
  const focused = document.activeElement?.dataset?.move;
  const body = $("divide").tBodies[0];
  body.replaceChildren(...list.map((row) => {
    const name = row.illegal ? element("span", {}, row.uci)
      : element("button", { type: "button", "data-move": row.uci, "aria-label": `${row.uci}, play ${row.san}` }, row.uci);
    const bar = element("div", { class: "bar" });
    bar.style.width = `${(100 * Number(row.nodes ?? 0)) / largest}%`;
    const share = row.nodes === undefined ? "" : `${((100 * Number(row.nodes)) / total).toFixed(1)} %`;
    const badge = row.badge ? element("span", { class: `badge ${row.badge.toLowerCase()}` }, row.badge) : null;
    const cells = [
      element("td", {}, name),
      element("td", {}, row.san),
      element("td", { class: "number" }, row.nodes === undefined ? "" : grouped(row.nodes)),
      element("td", { class: "number engine-only" }, row.theirs === undefined ? badge ?? "" : grouped(row.theirs), row.theirs !== undefined && badge ? " " : null, row.theirs !== undefined ? badge : null),
      element("td", { class: "share-column", title: share }, row.nodes === undefined ? "" : bar),
      element("td", { class: "kind" }, row.kinds.join(", ")),
    ];
    const play = () => !row.illegal && playMove(row.uci);
    const arrow = () => drawArrows([{ uci: row.uci, kind: row.badge === "Extra" ? "extra" : row.badge === "Missing" ? "missing" : "hover" }]);
    return element("tr", {
      class: row.wrong ? "wrong" : null, onclick: play, onmouseenter: arrow, onfocusin: arrow,
      onmouseleave: () => drawArrows([]), onfocusout: () => drawArrows([]),
    }, ...cells);
  }));
  if (focused) body.querySelector(`[data-move="${focused}"]`)?.focus();
  $("divide").classList.toggle("stale", Boolean(counted) && counted.depth < state.depth && !$("counting").hidden);
  $("total").replaceChildren();
  if (counted) {
    const seconds = counted.seconds < 0.0995 ? `${(1000 * counted.seconds).toFixed(0)} ms` : `${counted.seconds.toFixed(2)} s`;
    const about = `depth ${counted.depth}, ${shown.moves.length} moves, ${seconds}`;
    const parts = [element("strong", { id: "nodes" }, grouped(counted.nodes)), element("span", {}, about)];
    if (theirs) {
      const text = theirs.equal ? `engine equal to depth ${theirs.depth}` : `engine: ${inShort(theirs.diff)} at depth ${theirs.depth}`;
      parts.push(element("span", { class: theirs.equal ? "" : "error" }, text));
    }
    $("total").append(...parts);
    const notes = theirs?.diff.remarks.map((text) => element("li", {}, text)) ?? [];
    if (theirs?.diff.only_totals) notes.unshift(element("li", { class: "plain" }, "The engine prints totals only: each move was asked for alone."));
    $("engine-notes").replaceChildren(...notes);
    setCommand((theirs ?? counted).command);
  }
  for (const header of $("divide").tHead.querySelectorAll("th")) {
    const key = header.firstChild.dataset.sort;
    const isSorted = key === sort.key && !header.classList.contains("share-column");
    isSorted ? header.setAttribute("aria-sort", sort.down ? "descending" : "ascending") : header.removeAttribute("aria-sort");
  }
}

// ---------------------------------------------------------------- the board

function buildBoard() {
  const board = $("board");
  for (let row = 0; row < 8; row++) {
    const cells = Array.from({ length: 8 }, () => element("div", { class: "square", role: "gridcell", tabindex: "-1" }));
    board.append(element("div", { role: "row" }, ...cells));
  }
  board.addEventListener("keydown", boardKey);
  board.addEventListener("pointerdown", pointerDown);
}

const cells = () => [...$("board").querySelectorAll(".square")];
const place = (square) => {
  const [x, y] = [FILES.indexOf(square[0]), Number(square[1]) - 1];
  return state.flip ? [7 - x, y] : [x, 7 - y];
};
const cellOf = (square) => {
  const [x, y] = place(square);
  return cells()[8 * y + x];
};
const letterOn = (square) => shown.pieces[SQUARES.indexOf(square)];
const movesFrom = (square) => shown.moves.filter((move) => move.from === square);

function drawBoard() {
  viewed = null;
  const last = shown.line.at(-1)?.uci;
  const inCheck = ["check", "checkmate"].includes(shown.status);
  const list = cells();
  const focused = document.activeElement?.dataset?.square;
  let tabbable = focused ?? selected ?? shown.king;
  for (const [i, square] of SQUARES.entries()) {
    const [x, y] = place(square);
    const cell = list[8 * y + x];
    const letter = shown.pieces[i];
    const isMovable = movesFrom(square).length > 0;
    cell.dataset.square = square;
    cell.tabIndex = square === tabbable ? 0 : -1;
    cell.className = "square";
    cell.classList.toggle("dark", (i + (i >> 3)) % 2 === 0);
    cell.classList.toggle("last", Boolean(last) && [last.slice(0, 2), last.slice(2, 4)].includes(square));
    cell.classList.toggle("check", inCheck && square === shown.king);
    cell.classList.toggle("can", isMovable);
    const parts = [];
    if (letter !== ".") parts.push(pieceImage(letter));
    if (y === 7) parts.push(element("span", { class: "name file", "data-name": square[0] }));
    if (x === 0) parts.push(element("span", { class: "name rank", "data-name": square[1] }));
    cell.replaceChildren(...parts);
    const color = isWhite(letter) ? "white" : "black";
    const name = letter === "." ? "empty" : `${color} ${PIECE_NAMES[letter.toLowerCase()]}`;
    cell.setAttribute("aria-label", `${square}, ${name}${inCheck && square === shown.king ? ", in check" : ""}`);
    cell.setAttribute("aria-selected", "false");
  }
  if (focused) cellOf(focused).focus();
}

function select(square) {
  selected = square;
  for (const cell of cells()) {
    const targets = square ? movesFrom(square) : [];
    const isTarget = targets.some((move) => move.to === cell.dataset.square || move.rook === cell.dataset.square);
    cell.classList.toggle("selected", cell.dataset.square === square);
    cell.classList.toggle("target", isTarget);
    cell.classList.toggle("occupied", letterOn(cell.dataset.square) !== ".");
    cell.setAttribute("aria-selected", String(cell.dataset.square === square));
  }
  renderOverlays();
}

// A click or Enter on a square: plays the move from the selected square, or selects.
function activate(square) {
  if (selected && selected !== square && tryMove(selected, square)) return;
  const mobility = state.show.includes("mobility");
  select(square !== selected && (movesFrom(square).length || mobility) ? square : null);
}

function tryMove(from, to) {
  const moves = movesFrom(from);
  let candidates = moves.filter((move) => move.to === to);
  if (!candidates.length) candidates = moves.filter((move) => move.rook === to);
  if (!candidates.length) return false;
  if (candidates.length === 1) playMove(candidates[0].uci);
  else choosePromotion(candidates);
  return true;
}

function choosePromotion(candidates) {
  const form = $("promotion").firstElementChild;
  const white = shown.side === "white";
  form.replaceChildren(...["q", "r", "b", "n"].map((letter) => {
    const move = candidates.find((candidate) => candidate.promotion === letter);
    const image = pieceImage(white ? letter.toUpperCase() : letter);
    return move && element("button", { "aria-label": PIECE_NAMES[letter], onclick: () => playMove(move.uci) }, image);
  }).filter(Boolean));
  $("promotion").showModal();
}

function playMove(uci) {
  ahead = ahead[0] === uci ? ahead.slice(1) : [];
  return go({ moves: [...state.moves, uci] });
}

function takeBack() {
  if (!state.moves.length) return;
  ahead = [state.moves.at(-1), ...ahead];
  go({ moves: state.moves.slice(0, -1) });
}

const playAgain = () => ahead.length && playMove(ahead[0]);

function boardKey(event) {
  const square = event.target.dataset?.square;
  const steps = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
  if (!square) return;
  if (viewed && (event.key === "Enter" || event.key === " ")) walkToViewed();
  else if (event.key === "Enter" || event.key === " ") activate(square);
  else if (event.key === "Escape") select(null);
  else if (steps[event.key]) {
    const [x, y] = place(square);
    const [dx, dy] = steps[event.key];
    const next = cells()[8 * Math.max(0, Math.min(7, y + dy)) + Math.max(0, Math.min(7, x + dx))];
    event.target.tabIndex = -1;
    next.tabIndex = 0;
    next.focus();
  } else return;
  event.preventDefault();
  event.stopPropagation();
}

// The board shows a position of the search for a bug: the first click or key goes there.
function walkToViewed() {
  ahead = [];
  go({ moves: viewed });
}

// Clicks and drags: a drag of a few pixels or less is a click.
function pointerDown(event) {
  const cell = event.target.closest(".square");
  if (!cell || event.button !== 0) return;
  if (viewed) return walkToViewed();
  const square = cell.dataset.square;
  const start = [event.clientX, event.clientY];
  let ghost = null;
  const move = (moved) => {
    const distance = Math.hypot(moved.clientX - start[0], moved.clientY - start[1]);
    if (!ghost && distance > 5 && movesFrom(square).length) {
      select(square);
      const size = cell.getBoundingClientRect().width;
      ghost = pieceImage(letterOn(square), { width: size, height: size });
      ghost.classList.add("ghost");
      document.body.append(ghost);
      cell.classList.add("dragged");
    }
    if (ghost) {
      const size = ghost.getBoundingClientRect().width;
      ghost.style.left = `${moved.clientX - size / 2}px`;
      ghost.style.top = `${moved.clientY - size / 2}px`;
    }
  };
  const up = (ended) => {
    removeEventListener("pointermove", move);
    removeEventListener("pointerup", up);
    removeEventListener("pointercancel", up);
    cell.classList.remove("dragged");
    const target = document.elementFromPoint(ended.clientX, ended.clientY)?.closest?.(".square")?.dataset.square;
    if (ghost) {
      ghost.remove();
      if (!target || !tryMove(square, target)) select(null);
    } else if (target === square) {
      activate(square);
    }
  };
  addEventListener("pointermove", move);
  addEventListener("pointerup", up);
  addEventListener("pointercancel", up);
}

function arrowShape({ uci, kind }, flip, scale = 10) {
  const center = (square) => {
    const [x, y] = [FILES.indexOf(square[0]), Number(square[1]) - 1];
    return flip ? [(7.5 - x) * scale, (y + 0.5) * scale] : [(x + 0.5) * scale, (7.5 - y) * scale];
  };
  const [[x1, y1], [x2, y2]] = [center(uci.slice(0, 2)), center(uci.slice(2, 4))];
  const length = Math.hypot(x2 - x1, y2 - y1) || 1;
  const [ux, uy] = [(x2 - x1) / length, (y2 - y1) / length];
  const [bx, by] = [x2 - 3.6 * ux, y2 - 3.6 * uy];
  const tip = [[x2 + ux, y2 + uy], [bx - 2.1 * uy, by + 2.1 * ux], [bx + 2.1 * uy, by - 2.1 * ux]];
  return drawn("g", { class: kind },
    drawn("line", { x1, y1, x2: bx, y2: by }),
    drawn("polygon", { points: tip.map((point) => point.map((n) => n.toFixed(2)).join(",")).join(" ") }));
}

function drawArrows(list) {
  $("arrows").replaceChildren(...baseArrows.concat(list).filter(({ uci }) => /^[a-h][1-8][a-h][1-8]/.test(uci)).map((arrow) => arrowShape(arrow, state.flip)));
}

const arrowsOf = (diff) => [
  ...diff.extra.map((uci) => ({ uci, kind: "extra" })),
  ...diff.missing.map((uci) => ({ uci, kind: "missing" })),
  ...(diff.extra.length + diff.missing.length ? [] : diff.counts.slice(0, 3).map(({ uci }) => ({ uci, kind: "extra" }))),
];

// A board that is only looked at.
function miniBoard(pieces, arrows = [], label = "") {
  const board = drawn("svg", { viewBox: "0 0 80 80", class: "mini arrows-static", role: "img", "aria-label": label });
  for (const [i] of SQUARES.entries()) {
    const [x, y] = [10 * (i % 8), 70 - 10 * (i >> 3)];
    board.append(drawn("rect", { x, y, width: 10, height: 10, class: (i + (i >> 3)) % 2 === 0 ? "d" : "l" }));
    if (pieces[i] !== ".") board.append(pieceImage(pieces[i], { x: x + 0.4, y: y + 0.4, width: 9.2, height: 9.2 }));
  }
  const over = drawn("g", { class: "arrows" }, ...arrows.filter(({ uci }) => uci.length >= 4).map((arrow) => arrowShape(arrow, false)));
  board.append(over);
  return board;
}

// ---------------------------------------------------------------- overlays

function buildOverlays() {
  $("overlays").append(...OVERLAYS.map(([key, label, swatch]) => {
    const box = element("input", {
      type: "checkbox", value: key,
      onchange: () => go({ show: [...$("overlays").querySelectorAll(":checked")].map(({ value }) => value) }, { small: true }),
    });
    return element("label", {}, box, element("span", { class: `swatch ${swatch}`, "aria-hidden": "true" }), label);
  }));
}

async function renderOverlays() {
  for (const box of $("overlays").querySelectorAll("input")) box.checked = state.show.includes(box.value);
  for (const mark of $("board").querySelectorAll("i")) mark.remove();
  $("overlay-terminal").hidden = $("kernel-note").hidden = true;
  if (baseArrows.length) { baseArrows = []; drawArrows([]); }
  if (!state.show.length) return;
  const signal = restart("overlays");
  let sets;
  try {
    sets = await call("overlays", { at: at(), show: state.show }, signal);
  } catch (error) {
    return report(error);
  }
  const mark = (squares, kind) => {
    for (const square of squares) cellOf(square).prepend(element("i", { class: kind }));
  };
  const show = (key) => state.show.includes(key);
  if (show("white")) mark(sets.white, "white");
  if (show("black")) mark(sets.black, "black");
  if (show("danger")) mark(sets.danger, "danger");
  if (show("pins")) for (const pin of sets.pins) mark(pin.line, "pin");
  if (show("check")) mark(sets.check ?? [], "mask");
  if (show("special")) {
    mark([...new Set(sets.castling.flatMap(({ empty, rook }) => [...empty, rook]))], "special");
    if (sets.en_passant) mark([sets.en_passant], "special");
  }
  if (show("mobility") && selected) mark(movesFrom(selected).map(({ to }) => to), "mobility");
  if (show("kernel")) showKernel(new Set(sets.made), mark);
  $("overlay-command").textContent = sets.command;
  $("overlay-terminal").hidden = false;
}

// The moves of the selected piece, or all: those that the kernel makes as arrows, the targets of the others as dots.
function showKernel(made, mark) {
  const moves = selected ? movesFrom(selected) : shown.moves;
  mark([...new Set(moves.filter(({ uci }) => !made.has(uci)).map(({ to }) => to))], "kernel");
  baseArrows = moves.filter(({ uci }) => made.has(uci)).map(({ uci }) => ({ uci, kind: "made" }));
  drawArrows([]);
  const [all, unmade] = [shown.moves.length, shown.moves.length - made.size];
  $("kernel-note").hidden = false;
  $("kernel-note").textContent = shown.status === "check" ? `In check, the kernel makes each of the ${all} moves and counts the replies.`
    : `Two plies before the leaves: behind ${unmade} of ${all} moves the replies are counted without making the move (dots); ${made.size} are made (arrows).`;
}

// ---------------------------------------------------------------- finding bugs

async function bugJob(name, body, onEvent) {
  stop("engine");
  const signal = restart("bug");
  $("stop").hidden = false;
  $("verdict").hidden = $("failures").hidden = true;
  $("failures").replaceChildren();
  $("descent").textContent = "Starting the engine …";
  try {
    await stream(name, body, signal, (event) => {
      if (event.event === "phase") $("descent").textContent = `${event.text} …`;
      else if (event.event === "equal") $("descent").textContent = `Equal at depth ${event.depth}: ${grouped(event.nodes)} nodes`;
      else if (event.event === "verdict") showVerdict(event);
      else onEvent(event);
    });
  } catch (error) {
    $("descent").textContent = "";
    report(error);
  } finally {
    if (running.bug?.signal === signal) $("stop").hidden = true;
    if (signal.aborted) {
      $("descent").textContent = "Stopped.";
      drawBoard();
      drawArrows([]);
    }
  }
}

// The query that the engine is busy with, on the board.
function showQuery({ number, moves, depth, pieces }) {
  const after = moves ? `after ${moves}` : "from the position";
  $("descent").textContent = `Query ${grouped(number)}: depth ${depth} ${after}`;
  select(null);
  viewed = moves ? moves.split(" ") : [];
  for (const [i, square] of SQUARES.entries()) {
    const cell = cellOf(square);
    cell.className = (i + (i >> 3)) % 2 === 0 ? "square dark" : "square";
    cell.querySelector("svg")?.remove();
    if (pieces[i] !== ".") cell.append(pieceImage(pieces[i]));
  }
  const last = moves.split(" ").at(-1);
  drawArrows(last ? [{ uci: last, kind: "query" }] : []);
}

function showVerdict(verdict) {
  renderPosition.bugCommand = verdict.command;
  setCommand(verdict.command);
  const card = $("verdict");
  card.hidden = false;
  if (verdict.equal) {
    const text = verdict.positions === undefined
      ? `No difference to depth ${verdict.depth}: ${grouped(verdict.nodes)} nodes.`
      : `No difference in ${grouped(verdict.positions)} random positions, ${grouped(verdict.nodes)} nodes. ${verdict.rules} of ${verdict.all_rules} rules were exercised.`;
    $("descent").textContent = "";
    card.replaceChildren(element("h2", {}, "Equal"), element("p", {}, text));
    drawBoard();
    drawArrows([]);
    return;
  }
  const { found, smallest, cause } = verdict;
  $("descent").textContent = "";
  const parts = causeParts(cause, "Different, and no single known rule explains it");
  if (verdict.unexplained) parts.push(element("p", { class: "error" }, `The cause is not determined: ${verdict.unexplained}`));
  if (verdict.impossible) parts.push(element("p", {}, `No game reaches this position: ${verdict.impossible}. An engine need not be right about it.`));
  parts.push(element("p", {}, `Different at depth ${verdict.depth}: ${grouped(verdict.ours)} here, ${grouped(verdict.theirs)} there.`), wrongMoves(found.diff));
  if (found.moves.length) parts.push(element("p", {}, "Moves: ", element("code", {}, found.moves.join(" "))));
  if (verdict.right_without_moves) {
    parts.push(element("p", {}, "Wrong only after these moves: given the FEN alone, the engine is right. The bug is in making moves, not in generating them."));
  }
  const open = (of) => element("button", {
    type: "button", onclick: () => go({ position: of.root, moves: of.moves, chess960: of.chess960, view: "walk" }),
  }, "Walk there");
  const figure = (title, of) => element("figure", {},
    element("figcaption", {}, title), miniBoard(of.pieces, arrowsOf(of.diff), `${title}: ${of.fen}`), open(of));
  const boards = [figure("Where the moves differ", found)];
  if (smallest.fen !== found.fen) boards.push(figure("The smallest position", smallest));
  parts.push(element("div", { class: "boards" }, ...boards));
  parts.push(...reproduction(verdict.epd, smallest.test));
  card.replaceChildren(...parts);
  if (found.root === shown.root) showQuery({ number: 0, moves: found.moves.join(" "), depth: found.depth, pieces: found.pieces });
  $("descent").textContent = "";
  drawArrows(found.root === shown.root ? arrowsOf(found.diff) : []);
  if (found.root === shown.root) $("status").textContent = found.moves.length ? `After ${found.moves.join(" ")}` : "";
}

const causeParts = (cause, otherwise) => !cause ? [element("h2", {}, otherwise)] : [
  element("h2", {}, `${cause.is_rule ? "Broken rule" : "Cause"}: ${cause.name}`),
  element("p", { class: "rule" }, cause.text),
  element("ul", { class: "remarks" }, ...cause.remarks.map((text) => element("li", {}, text))),
];

const reproduction = (epd, test) => [
  ...(epd ? [element("h3", {}, "For a suite (EPD)"), copyable(epd)] : []),
  element("h3", {}, "As a test (UCI)"), copyable(test),
];

function wrongMoves(diff) {
  const list = [];
  for (const [name, moves, kind] of [["Missing", diff.missing, "missing"], ["Extra", diff.extra, ""], ["Listed twice", diff.repeated, ""]]) {
    if (moves.length) list.push(element("span", { class: `badge ${kind}` }, name), " ", element("code", {}, moves.join(" ")), " ");
  }
  if (!list.length) {
    for (const { uci, ours, theirs } of diff.counts.slice(0, 6)) {
      list.push(element("code", {}, `${uci}: ${grouped(ours)} here, ${grouped(theirs)} there`), " ");
    }
  }
  for (const text of diff.remarks) list.push(text, " ");
  return element("p", {}, ...list);
}

// A difference in a few words: the totals, or the moves if the totals are equal.
function inShort({ ours, theirs, missing, extra }) {
  if (ours !== theirs) return `${grouped(ours)} here, ${grouped(theirs)} there`;
  const lists = [["missing", missing], ["extra", extra]].filter(([, moves]) => moves.length);
  return lists.map(([name, moves]) => `${name} ${moves.slice(0, 3).join(" ")}${moves.length > 3 ? " …" : ""}`).join(", ") || "other counts";
}

function runSuites() {
  const card = $("failures");
  return bugJob("engine/suite", {}, (event) => {
    if (event.event === "suites") {
      $("descent").textContent = `${event.number} of ${event.all} positions, ${event.wrong} wrong`;
    } else if (event.event === "suite") {
      card.hidden = false;
      const result = event.wrong ? `${event.wrong} wrong` : event.compared ? "equal" : "skipped";
      const boards = event.failures.map((failure) => element("figure", {},
        element("figcaption", {}, `line ${failure.line}, depth ${failure.depth}: ${inShort(failure.diff)}`),
        miniBoard(failure.pieces, arrowsOf(failure.diff), failure.fen),
        element("button", {
          type: "button", onclick: () => { go({ position: failure.fen, moves: [], chess960: failure.chess960, depth: failure.depth }).then(findBug); },
        }, "Find the bug")));
      card.append(element("h3", {}, `${event.name}: ${grouped(event.compared ?? 0)} positions, ${result}`), element("div", { class: "boards failures" }, ...boards));
    } else if (event.event === "end") {
      $("descent").textContent = event.wrong ? `${event.wrong} positions are wrong.` : "All positions are equal.";
      renderPosition.bugCommand = event.command;
      setCommand(event.command);
    }
  });
}

const findBug = () => bugJob("engine/find", { at: at(), depth: state.depth }, (event) => {
  if (event.event === "query") showQuery(event);
});

const huntBug = () => bugJob("engine/hunt", { chess960: state.chess960, seconds: 60 }, (event) => {
  if (event.event === "hunted") $("descent").textContent = `${grouped(event.positions)} random positions`;
});

async function comparePasted() {
  const signal = restart("paste");
  const box = $("pasted");
  box.replaceChildren(element("p", { class: "muted" }, "Comparing …"));
  try {
    await stream("paste", { at: at(), depth: state.depth, text: $("paste").value }, signal, (event) => {
      if (event.event === "lines") {
        const bad = event.lines.filter(({ meaning }) => meaning.startsWith("not"));
        const echo = bad.map(({ text, meaning }) => element("li", {}, element("code", {}, text), element("span", { class: "bad" }, meaning)));
        box.replaceChildren(element("p", { class: "muted" }, `${event.moves} moves read.`),
          ...(echo.length ? [element("p", {}, "Lines that were not understood:"), element("ul", { class: "echo" }, ...echo)] : []));
      } else if (event.event === "compared") {
        setCommand((renderPosition.bugCommand = event.command));
        if (event.equal) {
          box.append(element("p", {}, element("strong", {}, `Equal at depth ${event.depth}: ${grouped(event.diff.ours)} nodes.`)));
          return drawArrows([]);
        }
        box.append(element("p", {}, element("strong", {}, `Different: ${grouped(event.diff.ours)} here, ${grouped(event.diff.theirs)} there.`)), wrongMoves(event.diff));
        if (event.cause) box.append(...causeParts(event.cause));
        const { next } = event;
        if (next) {
          box.append(element("button", {
            type: "button", onclick: () => go({ moves: [...state.moves, next], depth: event.depth - 1 }),
          }, `Follow ${next} to depth ${event.depth - 1}`));
        }
        box.append(...reproduction(event.epd, event.test));
        drawArrows(arrowsOf(event.diff));
      }
    });
  } catch (error) {
    if (error.name !== "AbortError") box.append(element("p", { class: "error" }, error.message));
  }
}

// ---------------------------------------------------------------- magics

const bit = (hex, i) => Number((BigInt(hex) >> BigInt(i)) & 1n);
const LETTER_COLORS = ["#22666b", "#8e44ad", "#1a5fa8", "#a05a12", "#7a3b3b", "#2e6b3a", "#5b5b9c", "#8a2f62", "#3f5d2a", "#5c4a1e", "#2a5f86", "#6b4b8a"];

// A board of bits. `classes` gives the class of a set bit, `texts` letters on squares.
function bitBoard(title, hex, { kind = "on", texts = {}, colors = {}, note = "", marked = null, pieces = {} } = {}) {
  const board = drawn("svg", { viewBox: "0 0 80 80", class: "bits", role: "img", "aria-label": `${title}: ${hex}` });
  for (const [i, square] of SQUARES.entries()) {
    const [x, y] = [10 * (i % 8), 70 - 10 * (i >> 3)];
    board.append(drawn("rect", { x, y, width: 10, height: 10, class: (i + (i >> 3)) % 2 === 0 ? "d" : "l" }));
    if (bit(hex, i)) {
      const dot = drawn("rect", { x: x + 1.2, y: y + 1.2, width: 7.6, height: 7.6, rx: 1.6, class: typeof kind === "function" ? kind(i, square) : kind });
      if (colors[square]) dot.style.fill = colors[square];
      board.append(dot);
    }
    if (texts[square]) board.append(drawn("text", { x: x + 5, y: y + 7.2 }, texts[square]));
    if (pieces[square]) board.append(pieceImage(pieces[square], { x: x + 0.5, y: y + 0.5, width: 9, height: 9 }));
    if (marked === square) board.append(drawn("circle", { cx: x + 5, cy: y + 5, r: 2.6, class: "piece" }));
  }
  return element("figure", {}, element("figcaption", {}, title), board, note ? element("div", { class: "muted mono" }, note) : null);
}

function setHex(squares) {
  return `0x${squares.reduce((set, square) => set | (1n << BigInt(SQUARES.indexOf(square))), 0n).toString(16)}`;
}

// The square that is clicked goes from empty to an enemy, to a friend, to empty.
function toggleBlocker(square) {
  if (square === state.square) return;
  const without = (list) => list.filter((other) => other !== square);
  if (state.enemies.includes(square)) go({ enemies: without(state.enemies), friends: [...state.friends, square] }, { small: true });
  else if (state.friends.includes(square)) go({ friends: without(state.friends) }, { small: true });
  else go({ enemies: [...state.enemies, square] }, { small: true });
}

function magicBoard() {
  const board = element("div", { class: "board", role: "grid", "aria-label": "Blockers" });
  const letter = { rook: "R", bishop: "B", queen: "Q" }[state.piece];
  for (let y = 7; y >= 0; y--) {
    const row = element("div", { role: "row" });
    for (let x = 0; x < 8; x++) {
      const square = FILES[x] + (y + 1);
      const isEnemy = state.enemies.includes(square), isFriend = state.friends.includes(square);
      const name = square === state.square ? `white ${state.piece}` : isEnemy ? "enemy blocker" : isFriend ? "friendly blocker" : "empty";
      const cell = element("div", {
        class: `square${(x + y) % 2 === 0 ? " dark" : ""} can`, role: "gridcell", tabindex: square === (magicBoard.focus ?? state.square) ? "0" : "-1",
        "aria-label": `${square}, ${name}`, "data-square": square,
      });
      if (square === state.square) cell.append(pieceImage(letter));
      else if (isEnemy) cell.append(pieceImage("p"));
      else if (isFriend) cell.append(pieceImage("P"));
      if (y === 0) cell.append(element("span", { class: "name file", "data-name": square[0] }));
      if (x === 0) cell.append(element("span", { class: "name rank", "data-name": square[1] }));
      row.append(cell);
    }
    board.append(row);
  }
  board.addEventListener("click", (event) => {
    const square = event.target.closest(".square")?.dataset.square;
    if (square) { magicBoard.focus = square; toggleBlocker(square); }
  });
  board.addEventListener("keydown", (event) => {
    const square = event.target.dataset?.square;
    const steps = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] };
    if (event.key === "Enter" || event.key === " ") {
      magicBoard.focus = square;
      magicBoard.refocus = true;
      toggleBlocker(square);
    } else if (steps[event.key]) {
      const [x, y] = [FILES.indexOf(square[0]) + steps[event.key][0], Number(square[1]) - 1 + steps[event.key][1]];
      const next = board.querySelector(`[data-square="${FILES[x]}${y + 1}"]`);
      if (!next) return;
      event.target.tabIndex = -1;
      next.tabIndex = 0;
      next.focus();
    } else return;
    event.preventDefault();
    event.stopPropagation();
  });
  return board;
}

const choice = (label, id, value, options, onchange) => element("label", {}, label,
  element("select", { id, onchange: (event) => onchange(event.target.value) },
    ...options.map(([key, text]) => element("option", { value: key, selected: key === value }, text))));

async function renderMagics() {
  await sessionReady;
  if (!session) return;
  const signal = restart("magics");
  const sliders = state.piece === "queen" ? ["rook", "bishop"] : [state.piece];
  const occupied = [...state.enemies, ...state.friends].filter((square) => square !== state.square);
  let lookups;
  try {
    lookups = await Promise.all(sliders.map((piece) => call("magics", {
      piece, square: state.square, system: state.system, occupied, friends: state.friends,
    }, signal)));
  } catch (error) {
    return report(error);
  }
  const systems = session.systems.map(({ name }) => [name, name]);
  const controls = element("div", { class: "magic-controls" },
    choice("Piece", "magic-piece", state.piece, [["rook", "Rook"], ["bishop", "Bishop"], ["queen", "Queen"]], (piece) => go({ piece })),
    choice("Square", "magic-square", state.square, SQUARES.map((name) => [name, name]), (square) => go({ square })),
    choice("System", "magic-system", state.system, systems, (system) => go({ system })),
    element("button", { type: "button", onclick: () => go({ enemies: [], friends: [] }) }, "Clear"));
  const left = element("div", {}, element("div", { class: "board-frame" }, magicBoard()),
    element("p", { class: "muted" }, "Click a square: enemy (black), friend (white), empty."));
  const about = lookups[0];
  const right = element("div", {}, controls,
    element("p", { class: "muted" }, `${about.system}: ${about.about}. ${grouped(about.table_bytes)} bytes of tables.`),
    ...lookups.map((lookup) => lookupCard(lookup, occupied)));
  const old = magicLab.node?.isConnected && magicLab.key === `${state.piece} ${state.square} ${state.system}` ? magicLab.node : null;
  const parts = [element("div", { class: "magic-top" }, left, right)];
  const hashed = lookups.filter(({ steps }) => steps.kind === "hashed");
  parts.push(...hashed.map(tableCard));
  if (hashed.length && state.system !== "pext") parts.push(old ?? magicLab(hashed));
  $("magics").replaceChildren(...parts);
  for (const lookup of hashed) drawTable(lookup);
  if (magicBoard.refocus) {
    magicBoard.refocus = false;
    $("magics").querySelector(`[data-square="${magicBoard.focus}"]`)?.focus();
  }
  setCommand(about.command);
}

function lookupCard(lookup, occupied) {
  const { steps } = lookup;
  const pieces = { [lookup.square]: lookup.piece === "rook" ? "R" : "B" };
  const card = element("section", { class: "card" }, element("h2", {}, `${lookup.piece === "rook" ? "Rook" : "Bishop"} on ${lookup.square}`));
  const ends = [
    bitBoard("Attacks", lookup.attacks, { pieces }),
    bitBoard("Without friends", lookup.targets, { pieces }),
    bitBoard("Captures", lookup.captures, { kind: "enemy", pieces }),
  ];
  const all = setHex(occupied);
  if (steps.kind === "lines") {
    card.append(element("p", { class: "muted" }, "No table of this square: each of the two lines is looked up alone, here by subtraction of twice the slider, above and, on the mirrored board, below."));
    for (const [i, line] of steps.lines.entries()) {
      card.append(element("div", { class: "boards" },
        bitBoard(`Line ${i + 1}`, line.line, { kind: "mask", pieces }), bitBoard("Blockers", line.blockers, { kind: "enemy", pieces }),
        bitBoard("Blockers − 2 · slider", line.above), bitBoard("The same, mirrored", line.below), bitBoard("Attacks", line.attacks, { pieces })));
    }
    card.append(element("div", { class: "boards" }, ...ends));
    return card;
  }
  const texts = Object.fromEntries(steps.terms.map(({ square, letter }) => [square, letter]));
  const colors = Object.fromEntries(steps.terms.map(({ square }, i) => [square, LETTER_COLORS[i % LETTER_COLORS.length]]));
  const shift = 64 - steps.index_bits;
  card.append(element("div", { class: "boards" },
    bitBoard("Occupied", all, { kind: (_, square) => (state.friends.includes(square) ? "friend" : "enemy"), pieces }),
    bitBoard("Relevant squares", steps.mask, { kind: "mask", pieces }),
    bitBoard("Blockers", steps.blockers, { texts, colors }),
    ...(steps.magic ? [bitBoard("Magic", steps.magic, { note: steps.magic })] : []),
    bitBoard(steps.magic ? "Product" : "Bits closed up", steps.product, { kind: (i) => (i >= shift ? "top" : "on"), note: steps.product }), ...ends));
  card.append(element("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": `Sum of the ${lookup.piece}` }, multiplication(steps)));
  card.append(element("p", { class: "legend" },
    element("span", {}, element("i", { class: "k-on" }), "shifted copy"), element("span", {}, element("i", { class: "k-carry" }), "carried"), element("span", {}, element("i", { class: "k-top" }), "index")));
  const digits = steps.index.toString(2).padStart(steps.index_bits, "0");
  card.append(element("dl", { class: "facts" },
    element("dt", {}, "Index"), element("dd", {}, element("code", {}, `${steps.product} >> ${shift} = ${steps.index} (${digits})`)),
    element("dt", {}, "Slot"), element("dd", {}, element("code", {}, `${steps.index} ${steps.offset < 0 ? "−" : "+"} ${Math.abs(steps.offset)} = ${steps.slot}`))));
  return card;
}

// One row for each blocker: its shifted copy, and below the last the sum. The top bits are framed.
function multiplication(steps) {
  const [size, left, height] = [7, 40, 9];
  const list = steps.terms.map((term, i) => ({ label: `${term.letter} ${term.square}`, hex: term.value, carries: term.carries, color: LETTER_COLORS[i % LETTER_COLORS.length] }));
  if (BigInt(steps.start) !== 0n) list.unshift({ label: "start", hex: steps.start, carries: "0x0", color: "#6b7580" });
  list.push({ label: "sum", hex: steps.product, carries: "0x0", sum: true });
  const width = left + 64 * size;
  const image = drawn("svg", { viewBox: `0 0 ${width} ${height * list.length + 4}`, class: "multiplication", role: "img", "aria-label": `Shifted copies of the magic, and their sum ${steps.product}` });
  for (const [row, { label, hex, carries, color, sum }] of list.entries()) {
    const y = row * height + (sum ? 3 : 0);
    image.append(drawn("text", { x: 0, y: y + 6.4 }, label));
    for (let i = 63; i >= 0; i--) {
      const isOn = bit(hex, i), isTop = i >= 64 - steps.index_bits;
      const cell = drawn("rect", { x: left + (63 - i) * size, y: y + 0.5, width: size - 1, height: size - 0.5, rx: 1, class: isOn ? (sum && isTop ? "top" : "on") : "off" });
      if (isOn && color) cell.style.fill = color;
      image.append(cell);
      if (bit(carries, i)) image.append(drawn("rect", { x: left + (63 - i) * size, y: y + height - 1.9, width: size - 1, height: 1.3, class: "carry" }));
    }
  }
  image.append(drawn("rect", { x: left - 0.7, y: 0.1, width: steps.index_bits * size + 0.4, height: height * list.length + 3.4, rx: 1.5, class: "window" }));
  return image;
}

function tableCard(lookup) {
  const { table, index_bits: bits } = lookup.steps;
  const slots = table.sets.length;
  const text = `${grouped(slots)} slots of ${grouped(1 << bits)}: ${grouped(table.used)} used, ${grouped(table.shared)} of them by several sets with the same attacks (harmless), ${grouped(slots - table.used)} unused`;
  return element("section", { class: "card" }, element("h2", {}, `Table of the ${lookup.piece} on ${lookup.square}`),
    element("p", { class: "muted" }, `${text}.`),
    element("canvas", { id: `table-${lookup.piece}`, role: "img", "aria-label": text }),
    element("p", { class: "legend" }, ...[["k-on", "used"], ["k-shared", "shared"], ["k-unused", "unused"], ["k-now", "this lookup"]].map(([kind, name]) => element("span", {}, element("i", { class: kind }), name))));
}

function drawTable(lookup) {
  const { table, index } = lookup.steps;
  const canvas = $(`table-${lookup.piece}`);
  const columns = 128, cell = 7;
  canvas.width = columns * cell;
  canvas.height = Math.ceil(table.sets.length / columns) * cell;
  const context = canvas.getContext("2d");
  const unused = getComputedStyle(document.documentElement).getPropertyValue("--line");
  for (const [i, sets] of table.sets.entries()) {
    context.fillStyle = i + table.min === index ? "#c9781a" : sets === 0 ? unused : sets === 1 ? "#22666b" : "#7fb9a8";
    context.fillRect((i % columns) * cell, Math.floor(i / columns) * cell, cell - 1, cell - 1);
  }
}

// Checking a magic of one's own, and searching for one.
function magicLab(lookups) {
  const key = { black: "black", packed: "black", fold32: "fold32" }[state.system] ?? "white";
  magicLab.key = `${state.piece} ${state.square} ${state.system}`;
  const parts = lookups.map((lookup) => {
    const { piece, square } = lookup;
    const bits = element("input", { type: "number", min: "1", max: "16", id: `bits-${piece}`, value: BigInt(lookup.relevant).toString(2).replaceAll("0", "").length });
    const input = element("input", { type: "text", id: `own-${piece}`, placeholder: "0x0080001020400080", spellcheck: "false", autocomplete: "off" });
    const result = element("div", { id: `result-${piece}`, "aria-live": "polite" });
    const target = () => ({ piece, square, key, bits: Number(bits.value) });
    const check = async (event) => {
      event.preventDefault();
      const signal = restart("lab");
      try {
        const checked = await call("magics/check", { ...target(), magic: input.value }, signal);
        setCommand(checked.command);
        result.replaceChildren(...(checked.valid ? accepted("Valid: no harmful collision.", checked) : refused(checked)));
      } catch (error) {
        if (error.name !== "AbortError") result.replaceChildren(element("p", { class: "error" }, error.message));
      }
    };
    const refused = ({ magic, collision }) => [
      element("p", { class: "error" }, `${magic} is no magic: two sets of blockers with different attacks have the index ${collision.index}.`),
      element("div", { class: "boards" }, ...[0, 1].flatMap((i) => [
        bitBoard(`Blockers ${i + 1}`, collision.blockers[i], { kind: "enemy", marked: square }),
        bitBoard(`Attacks ${i + 1}`, collision.attacks[i], { marked: square })])),
    ];
    const search = async () => {
      const signal = restart("lab");
      halt.hidden = false;
      try {
        result.replaceChildren(element("p", { class: "muted" }, "Searching …"));
        await stream("magics/find", target(), signal, (event) => {
          const speed = `${(event.per_second / 1e6).toFixed(2)} million tries a second`;
          if (event.event === "tries") result.replaceChildren(element("p", { class: "muted" }, `${grouped(event.tries)} tries, ${speed}`));
          else if (event.event === "found") {
            input.value = event.magic;
            setCommand(event.command);
            result.replaceChildren(...accepted(`Found after ${grouped(event.tries)} tries, ${speed}; ${grouped(event.slots)} slots.`, event));
          }
        });
      } catch (error) {
        if (error.name !== "AbortError") result.replaceChildren(element("p", { class: "error" }, error.message));
      } finally {
        halt.hidden = true;
      }
    };
    const halt = element("button", { type: "button", hidden: true, onclick: () => { stop("lab"); result.replaceChildren(element("p", { class: "muted" }, "Stopped.")); } }, "Stop");
    const form = element("form", { class: "setup", onsubmit: check },
      element("label", { class: "grow" }, `A magic of your own for the ${piece} on ${square}`, input),
      element("label", {}, "Index bits", bits), element("button", { type: "submit" }, "Check"),
      element("button", { type: "button", onclick: search }, "Search for one"), halt);
    return element("section", { class: "card" }, form, result);
  });
  return (magicLab.node = element("div", { id: "lab" }, ...parts));
}

const accepted = (text, { magic, constants }) => [
  element("p", {}, element("strong", {}, magic), ` ${text}`),
  ...[["Rust", constants.rust], ["C++", constants.cpp], ["Python", constants.python]].flatMap(([name, line]) => [element("h3", {}, name), copyable(line)]),
];

// ---------------------------------------------------------------- the start

function listen() {
  $("setup").addEventListener("submit", (event) => {
    event.preventDefault();
    const text = $("fen").value.trim();
    const isSame = shown && text === shown.fen;
    const changes = { depth: Math.max(1, Math.min(session.max_depth, Number($("depth").value) || 3)), chess960: $("chess960").checked };
    if (!isSame) { Object.assign(changes, { position: text, moves: [] }); ahead = []; }
    go(changes);
  });
  $("depth").addEventListener("change", () => $("setup").requestSubmit());
  $("chess960").addEventListener("change", () => $("setup").requestSubmit());
  $("named").addEventListener("change", (event) => {
    ahead = [];
    if (event.target.value) go({ position: event.target.value, moves: [], chess960: false });
  });
  $("back").addEventListener("click", takeBack);
  $("forward").addEventListener("click", playAgain);
  $("flip").addEventListener("click", () => go({ flip: !state.flip }, { small: true }));
  $("cancel").addEventListener("click", () => {
    stop("divide");
    stop("engine");
    $("counting").hidden = true;
  });
  $("find").addEventListener("click", findBug);
  $("suite").addEventListener("click", runSuites);
  $("hunt").addEventListener("click", huntBug);
  $("stop").addEventListener("click", () => stop("bug"));
  $("compare").addEventListener("click", comparePasted);
  for (const [button, source] of [["copy-command", "command"], ["copy-overlay", "overlay-command"]]) {
    $(button).addEventListener("click", () => copy($(button), $(source).textContent));
  }
  $("divide").tHead.addEventListener("click", (event) => {
    const key = event.target.dataset?.sort;
    if (!key) return;
    sort = { key, down: sort.key === key ? !sort.down : key === "nodes" || key === "theirs" };
    renderDivide();
  });
  for (const link of document.querySelectorAll("[data-view]")) {
    link.addEventListener("click", (event) => {
      if (event.ctrlKey || event.metaKey || event.shiftKey) return;
      event.preventDefault();
      go({ view: link.dataset.view });
    });
  }
  addEventListener("popstate", () => {
    state = readAddress();
    render();
  });
  addEventListener("keydown", (event) => {
    if (event.altKey || event.ctrlKey || event.metaKey || state?.view === "magics") return;
    if (event.target.closest?.("input, select, textarea, [role=grid], dialog")) return;
    if (event.key === "ArrowLeft") takeBack();
    else if (event.key === "ArrowRight") playAgain();
    else if (event.key === "f") go({ flip: !state.flip }, { small: true });
    else return;
    event.preventDefault();
  });
}

async function start() {
  buildBoard();
  buildOverlays();
  state = readAddress();
  sessionReady = call("session", {}).then(showSession, (error) => {
    $("tree").hidden = true;
    report(error);
  });
  await Promise.all([sessionReady, render()]);
  if (!session) return;
  listen();
  document.body.dataset.ready = "true";
}

function showSession(facts) {
  session = facts;
  document.body.classList.toggle("has-engine", Boolean(session.engine));
  $("engine-name").hidden = !session.engine;
  $("engine-name").textContent = session.engine ? `Engine: ${session.engine}` : "";
  $("depth").max = session.max_depth;
  $("named").append(element("option", { value: "" }, "–"),
    ...session.positions.map(({ name, about }) => element("option", { value: name, title: about }, name)));
}

start();
