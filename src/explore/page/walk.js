// The view that walks the tree: the counts of the moves, beside those of an engine.

import { session, stream } from "./backend.js";
import { drawArrows } from "./board.js";
import { $, button, element, fill, grouped, setCommand } from "./dom.js";
import { engineDivide } from "./engine.js";
import { isRunning, run, stop } from "./jobs.js";
import { showPosition } from "./position.js";
import { at, playMove, shown, state } from "./state.js";

// The count of a position: the request, the text and share of the progress, the last divide of
// ours and of the engine. `isShown` says that the board shows the position.
let count = {};
let sort = { key: "uci", isDown: false };

const request = () => ({ at: at(), depth: state.depth });
const isOf = (body) => JSON.stringify(body) === JSON.stringify(count.body);

export async function show() {
  if (!isOf(request())) start();
  const isShown = await showPosition();
  if (isShown === false) forget();
  if (!isShown) return;
  count.isShown = true;
  render();
}

// The count goes on while another view is shown, unless that shows another position.
export function hide() {
  if (!isOf(request())) forget();
}

function forget() {
  stop("divide", "engine");
  count = {};
}

function start() {
  forget();
  const body = request();
  const own = (count = { body });
  // A count that is ready at once shows no progress.
  const timer = setTimeout(() => {
    own.progress ??= [`depth ${body.depth}: …`, 0];
    renderProgress();
  }, 150);
  run("divide", (signal) => stream("divide", body, signal, (event) => {
    if (event.event === "divide") {
      own.ours = event;
      render();
    } else if (event.event === "progress") {
      const percent = Math.floor(100 * event.share);
      own.progress = [`depth ${event.depth}: ${percent} %, ${grouped(event.nodes)}`, event.share];
      renderProgress();
    }
  })).finally(() => {
    clearTimeout(timer);
    render();
  });
  run("engine", async (signal) => {
    if (!(await session()).engine) return;
    await stream("engine/divide", body, signal, (event) => {
      own.theirs = engineDivide(event) || own.theirs;
      render();
    });
  }).finally(render);
}

// Ours first; what is left is the engine's.
function renderProgress() {
  const depth = count.theirs?.depth ?? 0;
  const [text, share] = isRunning("divide") ? count.progress ?? []
    : isRunning("engine") ? [`engine: depth ${depth + 1} …`, depth / state.depth] : [];
  $("counting").hidden = !text;
  $("counting-text").textContent = text ?? "";
  $("progress").value = share ?? 0;
}

const SORT_KEYS = {
  uci: ({ uci }) => uci,
  san: ({ san }) => san,
  kind: ({ kinds }) => kinds.join(" "),
  nodes: ({ nodes }) => BigInt(nodes ?? 0),
  theirs: ({ theirs }) => BigInt(theirs ?? 0),
};

// The rows: our moves, and the extra ones of the engine. Wrong ones come first.
function rows() {
  const { ours, theirs } = count;
  const counts = new Map(ours?.moves);
  const engine = theirs?.depth === ours?.depth ? theirs : null;
  const row = (move) => {
    const [nodes, other] = [counts.get(move.uci), engine?.counts.get(move.uci)];
    const isWrong = Boolean(engine) && nodes !== other;
    return { badge: engine?.badge(move.uci), ...move, nodes, theirs: other, isWrong };
  };
  const extra = (uci) => row({ uci, san: "", kinds: [], badge: "Extra" });
  const list = [...shown.moves.map(row), ...(engine?.extra ?? []).map(extra)];
  const order = (a, b, key) => (key(a) < key(b) ? -1 : Number(key(a) > key(b)));
  return list.sort((a, b) => Boolean(b.badge) - Boolean(a.badge) || b.isWrong - a.isWrong
    || (sort.isDown ? -1 : 1) * (order(a, b, SORT_KEYS[sort.key]) || order(a, b, SORT_KEYS.uci)));
}

function tableRow({ uci, san, kinds, nodes, theirs, badge, isWrong }, total, largest) {
  const isExtra = badge === "Extra";
  const part = (whole) => (100 * Number(nodes)) / whole;
  const isCounted = nodes !== undefined;
  const draw = () =>
    drawArrows([{ uci, kind: { Extra: "extra", Missing: "missing" }[badge] ?? "hover" }]);
  const clear = () => drawArrows();
  return element("tr", {
    class: isWrong && "wrong", onclick: () => isExtra || playMove(uci),
    onmouseenter: draw, onfocusin: draw, onmouseleave: clear, onfocusout: clear,
  },
  element("td", {}, isExtra ? uci
    : button(uci, null, { "data-move": uci, "aria-label": `${uci}, play ${san}` })),
  element("td", {}, san),
  element("td", { class: "number" }, isCounted && grouped(nodes)),
  element("td", { class: "number engine-only" }, theirs !== undefined && `${grouped(theirs)} `,
    badge && element("span", { class: `badge ${badge.toLowerCase()}` }, badge)),
  element("td", { class: "share-column", title: isCounted && `${part(total).toFixed(1)} %` },
    isCounted && element("div", { class: "bar", style: { width: `${part(largest)}%` } })),
  element("td", { class: "kind" }, kinds.join(", ")));
}

function render() {
  renderProgress();
  if (!count.isShown || state.view !== "walk") return;
  const { ours, theirs } = count;
  const list = rows();
  const total = Number(ours?.nodes ?? 0) || 1;
  const largest = Math.max(1, ...list.map(({ nodes }) => Number(nodes ?? 0)));
  const focused = document.activeElement?.dataset.move;
  const table = $("divide");
  fill(table.tBodies[0], list.map((row) => tableRow(row, total, largest)));
  if (focused) table.querySelector(`[data-move="${focused}"]`)?.focus();
  table.classList.toggle("stale", ours?.depth < state.depth && !$("counting").hidden);
  for (const header of table.tHead.querySelectorAll("th:not(.share-column)")) {
    const isSorted = header.firstChild.dataset.sort === sort.key;
    header.ariaSort = isSorted ? (sort.isDown ? "descending" : "ascending") : null;
  }
  fill($("total"), ours && summary());
  fill($("engine-notes"), theirs?.notes);
  if (ours) setCommand((theirs ?? ours).command);
}

function summary() {
  const { ours: { depth, seconds, nodes }, theirs } = count;
  const time = seconds < 0.0995 ? `${(1000 * seconds).toFixed(0)} ms` : `${seconds.toFixed(2)} s`;
  return [
    element("strong", { id: "nodes" }, grouped(nodes)),
    element("span", {}, `depth ${depth}, ${shown.moves.length} moves, ${time}`),
    theirs && element("span", { class: !theirs.isEqual && "error" }, theirs.summary),
  ];
}

export function listen() {
  $("cancel").addEventListener("click", () => {
    stop("divide", "engine");
    render();
  });
  $("divide").tHead.addEventListener("click", ({ target: { dataset: { sort: key } } }) => {
    if (!key) return;
    const isNumber = key === "nodes" || key === "theirs";
    sort = { key, isDown: sort.key === key ? !sort.isDown : isNumber };
    render();
  });
}
