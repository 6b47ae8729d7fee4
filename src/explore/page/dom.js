// Nodes of the document, and what every view writes with them.

export const $ = (id) => document.getElementById(id);

// Attributes and children that are false, null or undefined are left out; lists are unfolded.
const isGiven = (value) => value !== undefined && value !== null && value !== false;

export function fill(node, ...children) {
  node.replaceChildren(...children.flat(Infinity).filter(isGiven));
  return node;
}

function filled(node, attributes, children) {
  for (const [key, value] of Object.entries(attributes)) {
    if (!isGiven(value)) continue;
    if (key.startsWith("on")) node.addEventListener(key.slice(2), value);
    // The policy of the page allows styles set by a script, but not the attribute.
    else if (key === "style") Object.assign(node.style, value);
    else node.setAttribute(key, value === true ? "" : value);
  }
  return fill(node, ...children);
}

export const element = (name, attributes = {}, ...children) =>
  filled(document.createElement(name), attributes, children);

export const drawn = (name, attributes = {}, ...children) =>
  filled(document.createElementNS("http://www.w3.org/2000/svg", name), attributes, children);

export const button = (text, onclick, attributes = {}) =>
  element("button", { type: "button", onclick, ...attributes }, text);
export const code = (text) => element("code", {}, text);
export const paragraph = (...children) => element("p", {}, ...children);
export const note = (text) => element("p", { class: "muted" }, text);
export const problem = (text) => element("p", { class: "error" }, text);
export const boards = (...figures) => element("div", { class: "boards" }, ...figures);

export const option = (value, text = value, attributes = {}) =>
  element("option", { value, ...attributes }, text);

export const grouped = (digits) => String(digits).replace(/\B(?=(\d{3})+$)/g, ",");

export const clamp = (number, least, most) => Math.max(least, Math.min(most, number));

export async function copy(target, text) {
  const isCopied = await navigator.clipboard.writeText(text).then(() => true, () => false);
  target.textContent = isCopied ? "Copied" : "Not copied";
  setTimeout(() => (target.textContent = "Copy"), 1200);
}

export const copyable = (text) => element("div", { class: "copyable" }, element("pre", {}, text),
  button("Copy", (event) => copy(event.currentTarget, text)));

// The command that gives the same in the terminal.
export function setCommand(text) {
  $("command").textContent = text;
}

export function report(error) {
  $("alert").textContent = error.message;
  $("alert").hidden = false;
}
