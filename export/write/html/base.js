"use strict";
/* base.js - elements, names made safe to show, numbers as the tables of profdump have them.
 *
 * Every text of a trace gets into the page as a text node, and nothing else does: no markup is ever made
 * of it. What is invisible or turns the reading direction is shown as \x1b, \u202e.
 */

const SVG = "http://www.w3.org/2000/svg";
const UNSAFE =
  /[\u0000-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]/g;
const NAME_MOST = 240;
const WHOLE_NAME_MOST = 2000;

function escapeCharacter(character) {
  const code = character.charCodeAt(0);
  const named = { 9: "\\t", 10: "\\n", 13: "\\r" }[code];
  if (named) return named;
  return code < 256 ? "\\x" + code.toString(16).padStart(2, "0")
                    : "\\u" + code.toString(16).padStart(4, "0");
}

function plain(text, most = NAME_MOST) {
  const begin = String(text).slice(0, most + 1).replace(UNSAFE, escapeCharacter);
  return begin.length > most ? begin.slice(0, most) + "..." : begin;
}

/* ---- elements ---- */

function fill(node, attributes, children) {
  for (const [name, value] of Object.entries(attributes || {})) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else node.setAttribute(name, value === true ? "" : String(value));
  }
  for (const child of children.flat(Infinity))
    if (child !== null && child !== undefined && child !== false)
      node.append(child instanceof Node ? child : document.createTextNode(String(child)));
  return node;
}

function el(tag, attributes, ...children) {
  return fill(document.createElement(tag), attributes, children);
}

function svg(tag, attributes, ...children) {
  return fill(document.createElementNS(SVG, tag), attributes, children);
}

function clear(node) {
  while (node.firstChild) node.removeChild(node.firstChild);
  return node;
}

/* ---- names ---- */

/* Where the parameters begin after the template arguments that begin at `open`; the whole length where there are none. */
function parametersAt(name, open) {
  for (let i = open, depth = 0; i < name.length; i++) {
    if (name[i] === "<") depth++;
    else if (name[i] === ">") depth--;
    else if (name[i] === "(" && depth === 0) return i;
  }
  return name.length;
}

/* What tells kernels apart: without "void", without parameters, without namespaces in template arguments. */
function shortName(text) {
  const name = plain(text).replace(/^void (?=[A-Za-z_])/, "");
  const compiled = /^void [A-Za-z_]/.test(text);
  const open = name.search(/^[A-Za-z_][\w:]*(?:\(anonymous namespace\)::\w+)?</) === 0 ? name.indexOf("<") : -1;
  if (open < 0) return compiled ? name.replace(/(?<!^)\((?!anonymous namespace\)).*$/, "") : name;
  const end = parametersAt(name, open);
  return name.slice(0, open) + name.slice(open, end).replace(/\(anonymous namespace\)::|\b[A-Za-z_]\w*::/g, "");
}

const TAIL_LETTERS = 20;

/* A name that gives way in the middle; all of it is under the pointer, and is what copying it copies. */
function nameOf(text, className = "name", shown = text === "" ? "(no name)" : shortName(text)) {
  const node = el("span", { class: className, title: plain(text, WHOLE_NAME_MOST) });
  const cut = shown.length > 2 * TAIL_LETTERS ? shown.length - TAIL_LETTERS : shown.length;
  return fill(node, null, [el("span", { class: "head" }, shown.slice(0, cut)),
                           cut < shown.length && el("span", { class: "tail" }, shown.slice(cut))]);
}

function copyWholeNames() {
  document.addEventListener("copy", (event) => {
    const nameAt = (node) => node && (node.nodeType === 1 ? node : node.parentElement).closest(".name[title]");
    const { anchorNode, focusNode } = window.getSelection(), name = nameAt(anchorNode);
    if (!name || name !== nameAt(focusNode)) return;
    event.clipboardData.setData("text/plain", name.title);
    event.preventDefault();
  });
}

function copyButton(text) {
  const button = el("button", { type: "button", class: "link", onclick: async () => {
    try {
      await navigator.clipboard.writeText(text);
      button.textContent = "Copied";
    } catch {
      button.textContent = "The browser does not let a page copy";
    }
  } }, "Copy the name");
  return button;
}

function pathText(path) {
  return path.length ? path.map((name) => plain(name, 120)).join(" > ") : "outside any range";
}

/* A path whose outer part gives way: what is innermost tells most. All of it is under the pointer. */
function pathName(path, most = 56) {
  let shown = path.length ? plain(path[path.length - 1], 120) : pathText(path);
  let next = path.length - 2;
  for (; next >= 0 && shown.length + path[next].length + 3 <= most; next--) shown = plain(path[next]) + " > " + shown;
  return nameOf(pathText(path), "name long", (next >= 0 ? "... > " : "") + shown);
}

/* The value of a block; null: the page has no such block. */
function readBlock(id) {
  const block = document.getElementById(id);
  return block ? JSON.parse(block.textContent) : null;
}

/* ---- numbers ---- */

function isNumber(value) {
  return typeof value === "number" && isFinite(value);
}

const DAY_NS = 86400e9, HOUR_NS = 3600e9, MINUTE_NS = 60e9;

/* A unit, its length, and the least time that is written in it. The first that fits counts. */
const TIME_UNITS = [
  ["d", DAY_NS, 3 * DAY_NS], ["h", HOUR_NS, 3 * HOUR_NS], ["s", 1e9, 999.95e6], ["ms", 1e6, 999.95e3],
  ["us", 1e3, 999.95], ["ns", 1, 0],
];
const TICK_UNITS = [
  ["d", DAY_NS, DAY_NS], ["h", HOUR_NS, HOUR_NS], ["min", MINUTE_NS, MINUTE_NS], ["s", 1e9, 1e9], ["ms", 1e6, 1e6],
  ["us", 1e3, 0],
];

/* "9.832 ms": four digits. */
function time(ns) {
  if (!isNumber(ns)) return "unknown";
  const size = Math.abs(ns);
  if (size < 1) return "0";
  const [unit, scale] = TIME_UNITS.find(([, , least]) => size >= least);
  const value = ns / scale, digits = unit === "ns" ? 0 : Math.max(0, 3 - Math.floor(Math.log10(Math.abs(value))));
  return value.toFixed(Math.min(3, digits)) + "\u00a0" + unit;
}

/* For the ends of axes: no more digits than tell ticks apart. */
function tickTime(ns, step) {
  const [unit, scale] = TICK_UNITS.find(([, , least]) => step >= least);
  const digits = Math.max(0, Math.min(3, -Math.floor(Math.log10(step / scale) + 1e-9)));
  return (ns / scale).toFixed(digits) + " " + unit;
}

function bytes(amount) {
  if (!isNumber(amount)) return "unknown";
  const units = ["B", "KB", "MB", "GB"];
  let unit = 0, size = Math.abs(amount);
  for (; size >= 1024 && unit < 3; unit++) size /= 1024;
  return (amount < 0 ? "-" : "") + (unit ? size.toFixed(2) : size) + " " + units[unit];
}

/* Thousands apart, as a thin space would have them in print. */
function count(number) {
  return isNumber(number) ? String(number).replace(/\B(?=(\d{3})+(?!\d))/g, "\u2009") : "unknown";
}

function counted(number, noun) {
  return count(number) + " " + noun + (number === 1 ? "" : "s");
}

function share(part, whole) {
  if (!isNumber(part) || !isNumber(whole) || whole <= 0) return "unknown";
  const percent = (100 * part) / whole;
  if (part > 0 && percent < 0.1) return "< 0.1 %";
  return (percent >= 10 || percent === 0 ? percent.toFixed(0) : percent.toFixed(1)) + " %";
}

/* Four digits of a rate or an intensity. */
function digits(value) {
  if (!isNumber(value)) return "\u2013";
  return value !== 0 && (Math.abs(value) >= 1e5 || Math.abs(value) < 1e-3) ? value.toExponential(2)
                                                                           : String(+value.toPrecision(4));
}

/* ---- processes: a rank says more than a process id ---- */

let pageProcesses = [];

/* "rank 2", "pid 7". `of` has a process: a place among those of the page. */
function processTitle(of) {
  const process = pageProcesses[of.process];
  return process ? process.label : "an unknown process";
}

function isSameDevice(one, other) {
  return one.device === other.device && one.process === other.process;
}

/* "train, rank 2 (pid 7)"; files of others may not name the program. */
function programName(process) {
  return (process.program ? plain(process.program, 80) + ", " : "") + process.longLabel;
}

function deviceName(of, several) {
  const name = of.device === null || of.device === undefined ? "Unknown GPU" : "GPU " + of.device;
  return several ? name + " of " + processTitle(of) : name;
}

/* ---- what is under the pointer ---- */

const tip = el("div", { id: "tip", role: "status" });

function showTip(event, lines) {
  clear(tip).append(...lines.map((line) => el("div", null, line)));
  tip.classList.add("shown");
  const box = tip.getBoundingClientRect();
  const x = Math.min(event.clientX + 14, window.innerWidth - box.width - 8);
  const above = event.clientY + 18 + box.height > window.innerHeight;
  tip.style.left = Math.max(4, x) + "px";
  tip.style.top = (above ? event.clientY - box.height - 10 : event.clientY + 18) + "px";
}

function hideTip() {
  tip.classList.remove("shown");
}

/* It does not outlive what it is about. */
function closeTips() {
  document.addEventListener("keydown", (event) => event.key === "Escape" && hideTip());
  document.addEventListener("scroll", hideTip, true);
  document.addEventListener("pointerdown", hideTip);
  window.addEventListener("blur", hideTip);
}

/* ---- parts of the page ---- */

const sections = []; /* [id, title], in order: the way through the page */

function section(id, title, ...children) {
  sections.push([id, title]);
  const node = el("section", { id, "aria-labelledby": id + "-title" },
                  el("h2", { id: id + "-title" }, title), children);
  document.getElementById("sections").append(node);
  return node;
}

/* Beside what a choice of steps does not narrow; seen while there is one. */
function wholeRun() {
  return el("span", { class: "whole-run" }, "of the whole run");
}

/* Draws anew whenever the width changes. */
function responsive(host, draw) {
  let width = 0;
  const redraw = () => {
    const now = Math.floor(host.clientWidth);
    if (now > 0 && now !== width) draw((width = now));
  };
  new ResizeObserver(redraw).observe(host);
  redraw();
  return { redraw: () => draw(width || 900) };
}

/* Buttons of which one is pressed. `choose` gets its index. */
function choice(label, titles, choose, chosen = 0) {
  const buttons = titles.map((title, index) =>
    el("button", { type: "button", "aria-pressed": String(index === chosen),
                   onclick: () => press(index) }, title));
  const press = (index) => {
    buttons.forEach((button, i) => button.setAttribute("aria-pressed", String(i === index)));
    choose(index);
  };
  return el("div", { class: "choice", role: "group", "aria-label": label }, buttons);
}

function select(label, titles, choose) {
  const list = el("select", { name: label, onchange: () => choose(list.selectedIndex) },
                  titles.map((title) => el("option", null, title)));
  return el("label", { class: "select" }, label + " ", list);
}
