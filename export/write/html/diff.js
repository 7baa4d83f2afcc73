/* diff.js - two runs compared: what got slower or faster, and whether that is more than noise. */

const VERDICTS = { slower: "bad", "more calls": "bad", new: "bad", faster: "good", "fewer calls": "good", gone: "good", unclear: "warn" };
const DIFF_KINDS = { path: ["Range", "ranges"], range: ["Range", "ranges"], kernel: ["Kernel", "kernels"], call: ["Call", "calls"], copy: ["Copy or set", "copies and sets"] };

function percentOf(ratio) {
  const percent = ((ratio - 1) * 100).toFixed(1);
  return percent === "-0.0" ? "0.0" : percent;
}

function ratioText(change) {
  if (!isNumber(change.ratio)) return "unknown";
  return (percentOf(change.ratio) > 0 ? "+" : "") + percentOf(change.ratio) + " %";
}

function intervalText(change) {
  return change.interval ? change.interval.map(percentOf).join(" to ") + " %" : "-";
}

function verdictOf(row) {
  return (row.time.verdict === "too few" && row.device ? row.device : row.time).verdict;
}

function totalTile(title, total, names) {
  if (!total) return tile(title, "unknown", "not in both runs");
  return tile(title, ratioText(total), names[0] + " " + time(total.values_ns[0]) + ", " + names[1] + " " + time(total.values_ns[1]) + ": " +
              (total.interval ? total.verdict + " (" + intervalText(total) + ")" : "noise unknown"), VERDICTS[total.verdict]);
}

/* The median is what slower and the like are about, whatever the total does. */
function verdictText(row) {
  const verdict = verdictOf(row);
  return ["slower", "faster", "same", "unclear"].includes(verdict) ? "median " + verdict : verdict;
}

function changeText(ns) {
  return (ns > 0 ? "+" : "") + time(ns);
}

/* The row of each table that changed most, the largest change first. */
function largestChanges(diff) {
  const size = (row) => Math.abs(row.delta_ns);
  return diff.tables.map((table) => [table.by, table.rows.reduce((most, row) => (most && size(most) >= size(row) ? most : row), null)])
    .filter(([, row]) => row && row.delta_ns !== 0)
    .sort(([, a], [, b]) => size(b) - size(a));
}

function changeSentence([by, row]) {
  return el("p", { class: "lead" }, DIFF_KINDS[by][0] + " ", row.path ? pathName(row.path) : nameOf(diffName(row), "name long"), ": " + changeText(row.delta_ns) +
            " (" + verdictText(row) + "), " + share(row.share, 1) + " of what " + DIFF_KINDS[by][1] + " gained and lost.");
}

function diffSentences(diff) {
  const sentences = [];
  if (diff.nothing_in_common) sentences.push("The two runs have nothing in common.");
  if (diff.gate) sentences.push(...diff.gate.lines.map((line) => plain(line, 600)));
  if (diff.differs.length)
    sentences.push("The runs differ in " + diff.differs.map((fact) => plain(fact.name)).join(", ") + ".");
  return sentences;
}

/* To the right what took longer, to the left what took less. */
function deltaBar(delta, most) {
  const bar = el("span", { class: "delta-fill " + (delta > 0 ? "bad" : "good") });
  const part = most > 0 ? (50 * Math.abs(delta)) / most : 0;
  bar.style.width = part + "%";
  bar.style.left = (delta > 0 ? 50 : 50 - part) + "%";
  return el("span", { class: "delta" }, changeText(delta), el("span", { class: "delta-track" }, bar));
}

function diffName(row) {
  const [left, right] = row.names;
  if (left !== null && right !== null && left !== right) return left + " \u2192 " + right;
  return right === null ? left : right;
}

function pairColumn(title, values, side) {
  return { title, number: true, value: (row) => values(row)[side], show: (row) => (isNumber(values(row)[side]) ? time(values(row)[side]) : "-") };
}

function diffTable(diff, table) {
  const names = diff.names.map((name) => plain(name, 30));
  const most = table.rows.reduce((size, row) => Math.max(size, Math.abs(row.delta_ns)), 0);
  return makeTable({
    id: "diff-table-" + table.by, rows: table.rows, sort: 5, descending: true, page: 25,
    text: (row) => (row.path || []).join(" > ") + " " + diffName(row) + " " + verdictOf(row),
    columns: [
      { title: "Name", value: diffName, show: (row) => (row.path ? pathName(row.path) : nameOf(diffName(row), "name long")) },
      { title: "Verdict", value: verdictOf, show: (row) => el("span", { class: "verdict " + (VERDICTS[verdictOf(row)] || "") }, verdictOf(row)) },
      pairColumn("Total " + names[0], (row) => row.time.totals_ns, 0), pairColumn("Total " + names[1], (row) => row.time.totals_ns, 1),
      { title: "Change", number: true, value: (row) => row.delta_ns, show: (row) => deltaBar(row.delta_ns, most) },
      { title: "Share", number: true, help: "of " + time(table.moved_ns) + " that all rows gained and lost", value: (row) => Math.abs(row.delta_ns),
        show: (row) => (isNumber(row.share) ? share(row.share, 1) : "-") },
      { title: "Median", number: true, help: "ratio of the medians", value: (row) => row.time.ratio, show: (row) => ratioText(row.time) },
      { title: "Interval", number: true, help: "of that ratio", value: (row) => (row.time.interval ? row.time.interval[0] : null),
        show: (row) => intervalText(row.time) },
      { title: "Calls " + names[0], number: true, value: (row) => row.calls[0], show: (row) => digits(row.calls[0]) },
      { title: "Calls " + names[1], number: true, value: (row) => row.calls[1], show: (row) => digits(row.calls[1]) },
    ] });
}

function diffPage(diff) {
  const names = diff.names.map((name) => plain(name, 60));
  const largest = largestChanges(diff);
  section("changes", "What changed most", largest.length ? largest.map(changeSentence) : el("p", { class: "lead" }, "No row changed."));
  section("verdict", "Verdict", diffSentences(diff).map((sentence) => el("p", { class: "lead" }, sentence)),
    el("div", { class: "tiles" }, diff.step && totalTile("Median step", diff.step, names), totalTile("Wall time", diff.wall_time, names),
       totalTile("Device time", diff.device_time, names), totalTile("Host time", diff.host_time, names)));
  const shown = diff.tables.filter((table) => table.rows.length);
  const host = el("div"), made = shown.map((table) => diffTable(diff, table));
  const show = (index) => clear(host).append(made[index].node);
  if (shown.length) {
    const start = Math.max(0, shown.findIndex((table) => largest.length && table.by === largest[0][0]));
    section("rows", "All changes", choice("By", shown.map((table) => "By " + table.by), show, start), host,
      el("p", { class: "note" }, (diff.per_step ? "Totals and calls are per step. " : diff.per_run ? "Totals and calls are per run. " : "") +
         "If an interval includes 0 %, noise may explain the difference; if it also includes a change of " +
         percentOf(diff.matters) + " %, the row is unclear."));
    show(start);
  }
  if (diff.differs.length)
    section("facts", "What is different about the runs", el("table", { id: "facts-table" },
      el("thead", null, el("tr", null, ["", ...names].map((name) => el("th", { scope: "col" }, name)))),
      el("tbody", null, diff.differs.map((fact) => el("tr", null, el("th", { scope: "row" }, plain(fact.name)),
        fact.values.map((value) => el("td", null, value === null ? "unknown" : plain(value, 200))))))));
  sections.push(["text", "As text"]);
}
