// The page of `perft explore`. It draws what the backend computes, and computes nothing about
// chess. Here the views are listed and the page starts.

import { session } from "./backend.js";
import * as bugs from "./bugs.js";
import { $, copy, report } from "./dom.js";
import * as magics from "./magics.js";
import * as position from "./position.js";
import { address, go, start, state } from "./state.js";
import * as walk from "./walk.js";

// A view shows the state by `show`, and stops what only it needs by `hide`, if it has that.
// `listen` is called once, with the facts of the session.
const VIEWS = { walk, bugs, magics };

function render() {
  for (const link of document.querySelectorAll("[data-view]")) {
    link.ariaCurrent = link.dataset.view === state.view ? "page" : null;
    link.href = address({ view: link.dataset.view });
  }
  for (const part of document.querySelectorAll("[data-views]")) {
    part.hidden = !part.dataset.views.split(" ").includes(state.view);
  }
  $("alert").hidden = true;
  const title = state.view === "magics" ? "Magics" : state.position.split(" ")[0];
  document.title = `${title} – perft explore`;
  for (const [name, view] of Object.entries(VIEWS)) if (name !== state.view) view.hide?.();
  return VIEWS[state.view].show();
}

function listen(facts) {
  for (const part of [position, ...Object.values(VIEWS)]) part.listen(facts);
  for (const [id, source] of [["copy-command", "command"], ["copy-overlay", "overlay-command"]]) {
    $(id).addEventListener("click", () => copy($(id), $(source).textContent));
  }
  for (const link of document.querySelectorAll("[data-view]")) {
    link.addEventListener("click", (event) => {
      if (event.ctrlKey || event.metaKey || event.shiftKey) return;
      event.preventDefault();
      go({ view: link.dataset.view });
    });
  }
}

start(Object.keys(VIEWS), render);
try {
  // Beside each other: the views wait for the session where they need it.
  await Promise.all([session().then(listen), render()]);
  document.body.dataset.ready = "true";
} catch (error) {
  $("tree").hidden = true;
  report(error);
}
