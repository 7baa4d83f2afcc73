/* diff.js - two runs compared: what got slower or faster, and whether that is more than noise. */

const VERDICTS = { slower: "bad", "more calls": "bad", new: "bad", faster: "good", "fewer calls": "good", gone: "good", unclear: "warn" };

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
  return (row.time.verdict === "unknown" && row.device ? row.device : row.time).verdict;
}

function totalTile(title, total, names) {
  if (!total) return tile(title, "unknown", "not in both runs");
  return tile(title, ratioText(total), names[0] + " " + time(total.values_ns[0]) + ", " + names[1] + " " + time(total.values_ns[1]),
              VERDICTS[total.verdict]);
}

function diffSentences(diff) {
  const names = diff.names.map((name) => plain(name, 60)), sentences = [];
  const whole = diff.step ? ["Median step", diff.step] : diff.device_time ? ["Device time", diff.device_time] : null;
  if (diff.nothing_in_common) sentences.push("The two runs have nothing in common.");
  if (whole)
    sentences.push(whole[0] + ": " + time(whole[1].values_ns[1]) + " in " + names[1] + ", " + time(whole[1].values_ns[0]) + " in " +
                   names[0] + " (" + ratioText(whole[1]) +
                   (whole[1].interval ? "; " + digits(diff.confidence * 100) + " %: " + intervalText(whole[1]) : "") + "): " +
                   whole[1].verdict + ".");
  const table = diff.tables.find((one) => one.by === "kernel") || diff.tables[0];
  const first = table && table.rows[0];
  if (first && first.delta_ns !== 0)
    sentences.push("The largest change of the table by " + table.by + ": " + plain(first.names[1] || first.names[0], 120) + ", " +
                   (first.delta_ns > 0 ? "+" : "") + time(first.delta_ns) + " (" + verdictOf(first) + ").");
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
  return el("span", { class: "delta" }, (delta > 0 ? "+" : "") + time(delta), el("span", { class: "delta-track" }, bar));
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
  section("verdict", "Verdict", diffSentences(diff).map((sentence) => el("p", { class: "lead" }, sentence)),
    el("div", { class: "tiles" }, totalTile("Median step", diff.step, names), totalTile("Device time", diff.device_time, names),
       diff.gate && tile("Gate", diff.gate.result, "of " + diff.gate.of + ", limit " + (diff.gate.limit * 100).toFixed(1) + " %",
                         diff.gate.result === "passed" ? "good" : "bad")));
  const shown = diff.tables.filter((table) => table.rows.length);
  const host = el("div"), made = shown.map((table) => diffTable(diff, table));
  const show = (index) => clear(host).append(made[index].node);
  if (shown.length) {
    const start = Math.max(0, shown.findIndex((table) => table.by === "kernel"));
    section("rows", "What changed", choice("By", shown.map((table) => "By " + table.by), show, start), host,
      el("p", { class: "note" }, (diff.per_step ? "Totals and calls are per step. " : "") +
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
