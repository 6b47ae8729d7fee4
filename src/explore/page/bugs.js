// The view that finds the bug of an engine, or of a pasted divide.

import { stream } from "./backend.js";
import { drawArrows, drawLine } from "./board.js";
import { $, fill, note, problem, report, setCommand } from "./dom.js";
import { isQuery, rendered } from "./engine.js";
import { isRunning, run, stop } from "./jobs.js";
import { drawBoard, showPosition } from "./position.js";
import { at, shown, state } from "./state.js";

let command = null; // of the last result

export async function show() {
  if (await showPosition()) setCommand(command ?? shown.command);
}

const keepCommand = (text) => text && setCommand((command = text));

function showEvent(event) {
  const result = rendered(event, find);
  const { line, verdict } = result;
  if (result.text !== undefined) $("descent").textContent = result.text;
  keepCommand(result.command);
  if (result.suite) {
    $("failures").hidden = false;
    $("failures").append(...result.suite);
  }
  if (verdict) {
    $("verdict").hidden = false;
    fill($("verdict"), verdict);
  }
  if (line && (line.root ?? shown.root) === shown.root) {
    drawLine(line.pieces, line.moves, result.arrows);
    if (verdict && line.moves.length) $("status").textContent = `After ${line.moves.join(" ")}`;
  } else if (verdict) drawBoard();
}

async function test(name, body) {
  stop("engine");
  $("stop").hidden = false;
  $("verdict").hidden = $("failures").hidden = true;
  $("failures").replaceChildren();
  $("descent").textContent = "Starting the engine …";
  const end = await run("bug", async (signal) => {
    await stream(name, body, signal, (event) => {
      // The queries of suites and hunts are of other positions than that of the board.
      if (!isQuery(event) || name === "engine/find") showEvent(event);
    });
    return "done";
  }, (error) => {
    $("descent").textContent = "";
    report(error);
    return "failed";
  });
  if (isRunning("bug")) return;
  $("stop").hidden = true;
  if (end) return;
  $("descent").textContent = "Stopped.";
  drawBoard();
}

const find = () => test("engine/find", { at: at(), depth: state.depth });

async function comparePasted() {
  const parts = [];
  const add = (node) => fill($("pasted"), parts, node);
  add(note("Comparing …"));
  const body = { at: at(), depth: state.depth, text: $("paste").value };
  await run("paste", (signal) => stream("paste", body, signal, (event) => {
    const result = rendered(event);
    keepCommand(result.command);
    if (result.arrows) drawArrows(result.arrows);
    parts.push(result.pasted);
    add();
  }), (error) => add(problem(error.message)));
}

export function listen() {
  $("find").addEventListener("click", find);
  $("suite").addEventListener("click", () => test("engine/suite", {}));
  $("hunt").addEventListener("click", () =>
    test("engine/hunt", { chess960: state.chess960, seconds: 60 }));
  $("stop").addEventListener("click", () => stop("bug"));
  $("compare").addEventListener("click", comparePasted);
}
