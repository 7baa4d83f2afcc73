/* sections.js - the parts of a report about one recording, from the first question to the last. */

/* ---- at a glance ---- */

function tile(title, value, note, className) {
  return el("div", { class: "tile " + (className || "") }, el("span", { class: "dim" }, title), el("b", null, value),
            el("span", { class: "dim" }, note || "\u00a0"));
}

function costText(run) {
  return run.cost ? [digits(+run.cost.percent.toFixed(run.cost.percent < 0.1 ? 3 : 1)) + " %", "of wall, and " + time(run.cost.begin_ns) + " to start up"]
                  : ["unknown", "the file does not say"];
}

function lossText(run) {
  const loss = run.loss;
  if (run.lost_anything) return ["incomplete", "see losses and overhead", "bad"];
  if (run.verdict !== "nothing lost") return ["unknown", run.verdict, "warn"];
  return ["nothing", "launched " + count(loss.launched) + " = recorded " + count(loss.recorded), "good"];
}

function tiles(run, findings) {
  const busy = findings.devices.reduce((sum, device) => sum + device.busy_ns, 0);
  const window = findings.devices.reduce((sum, device) => sum + device.window_ns, 0);
  const first = findings.findings[0];
  const [cost, costNote] = costText(run), [loss, lossNote, lossClass] = lossText(run);
  return el("div", { class: "tiles" },
    tile(run.restricted ? "Shown of the recording" : "Recorded", time(run.duration_ns),
         counted(run.counts.operations, "operation") + ", " + counted(run.counts.ranges, "range")),
    tile(findings.devices.length > 1 ? findings.devices.length + " GPUs busy" : "GPU busy", share(busy, window),
         findings.devices.length ? time(busy) + " of " + time(window) : "no device operations"),
    tile("First finding saves", first && first.saved_ns ? time(first.saved_ns) : "none found",
         first && first.saved_ns ? share(first.saved_ns, findings.wall_ns) + " of the wall time, at most" : ""),
    tile("Lost", loss, lossNote, lossClass), tile("Overhead", cost, costNote));
}

/* ---- rows ---- */

function readRows(run) {
  return run.rows.map((values) => {
    const row = {};
    run.columns.forEach((column, index) => (row[column] = values[index]));
    row.timed = row.kind !== "mark";
    return row;
  });
}

const isDeviceKind = (kind) => ["kernel", "memcpy", "memset", "graph"].includes(kind);
const VIEWS = [
  ["All", () => true], ["Ranges", (row) => row.kind === "range"], ["Kernels", (row) => row.kind === "kernel" || row.kind === "graph"],
  ["Calls", (row) => row.kind === "cuda_api"], ["Copies and sets", (row) => row.kind === "memcpy" || row.kind === "memset"],
];

function timeColumn(title, key, help, whole) {
  return { title, help, number: true, value: (row) => row[key],
           show: (row) => (!row[key] ? "\u2013" : whole && whole(row) ? meter(time(row[key]), row[key], whole(row)) : time(row[key])) };
}

function spreadColumn(title, key, help) {
  return { title, help, number: true, value: (row) => (row.timed ? row[key] : null),
           show: (row) => (row.timed && row[key] !== null ? time(row[key]) : "\u2013") };
}

/* `totals()`: of what is shown. */
function rowColumns(totals, api) {
  return [
    { title: "Name", class: "once", value: (row) => row.name,
      show: (row) => el("span", { class: "marked-name" }, el("span", { class: "swatch kind-" + row.kind, title: KINDS[row.kind] }), nameOf(row.name)) },
    { title: "Durations", class: "plotted", whole: true, help: "how the durations of its calls are spread", show: sparkline },
    { title: "Calls", number: true, value: (row) => row.count, show: (row) => count(row.count) },
    timeColumn("Self CPU", "self_cpu", "without the ranges and calls inside", (row) => (isDeviceKind(row.kind) ? 0 : totals().self_cpu)),
    timeColumn("CPU total", "cpu_total", "with what is inside"),
    timeColumn("Self " + api, "self_cuda", "device time launched directly in it, not in nested ranges or calls", () => totals().self_cuda),
    timeColumn(api + " total", "cuda_total", "device time of all that was launched within"),
    spreadColumn("Mean", "mean", "of the calls' durations: CPU time of ranges and calls, device time of device work"),
    spreadColumn("Median", "p50", "as Mean"), spreadColumn("p99", "p99", "99th percentile; as Mean"),
    spreadColumn("Longest", "max", "as Mean"),
  ];
}

function rowsSection(run, rows) {
  const device = run.self_cuda_total_ns > 0, whole = { rows: run.row_count, self_cpu: run.self_cpu_total_ns, self_cuda: run.self_cuda_total_ns };
  let totals = whole;
  const note = el("p", { class: "note" }), outside = el("p", { class: "note" });
  const table = makeTable({ id: "rows-table", columns: rowColumns(() => totals, run.api), rows, sort: device ? 5 : 3, descending: true, detail: rowDetail,
                            text: (row) => row.name, tools: choice("Rows", VIEWS.map((view) => view[0]),
                                                                   (index) => table.filter(VIEWS[index][1])) });
  const show = (stretch) => {
    const shown = stretch ? stretch.sums.rows : rows;
    totals = stretch ? stretch.sums.totals : whole;
    table.setRows(shown);
    note.textContent = (stretch ? "Of " + stretch.title + ": what began in it, and what was launched in it. " : "") +
      (totals.rows > shown.length ? "Showing the " + count(shown.length) + " rows with the most time" + (stretch ? " in the whole run" : "") + ", of " + count(totals.rows) + "." : "");
    outside.textContent = !stretch && run.cuda_outside_ns > 0 ? "Device time launched outside of any range: " + time(run.cuda_outside_ns) + "." : "";
  };
  stretchFollowers.push(show);
  section("rows", "Ranges and kernels", table.node, note, outside);
  show(null);
}

/* ---- memory ---- */

function heapTitle(heap, several) {
  const where = heap.device === null ? "host" : deviceName(heap, false);
  return where + " " + plain(heap.name, 60) + (several ? " of " + processTitle(heap) : "");
}

function memorySection(run) {
  const usage = run.usage, several = run.processes.length > 1;
  const heaps = usage.heaps.filter((heap) => Math.max(...heap.bytes) > 0);
  if (!heaps.length) return;
  usage.parts = heaps[0].bytes.length;
  heaps.forEach((heap) => (heap.title = heapTitle(heap, several)));
  const host = el("div", { class: "wide" });
  const live = makeTable({ id: "live-table", rows: run.memory.leaks, sort: 1, descending: true, page: 8,
    text: (row) => row.path.join(" > "),
    columns: [
      { title: "Allocated in", class: "once", value: (row) => pathText(row.path), show: (row) => pathName(row.path) },
      { title: "Bytes", number: true, value: (row) => row.bytes, show: (row) => bytes(row.bytes) },
      { title: "Allocations", number: true, value: (row) => row.count, show: (row) => count(row.count) },
    ] });
  section("memory", "Memory over time", legend(heaps.map((heap, index) =>
    ["line" + (index % LINES), heap.title + ", at most " + bytes(Math.max(...heap.bytes))])), host,
    el("h3", null, "Never freed in the recording"), live.node,
    usage.heaps_left_out > 0 && el("p", { class: "note" }, count(usage.heaps_left_out) + " more heaps are not drawn."),
    !run.memory.complete && el("p", { class: "note warn" }, "Something was lost while recording: allocations may be missing."));
  responsive(host, (width) => clear(host).append(drawMemory(usage, heaps, width)));
}

/* ---- the run ---- */

function fact(title, value) {
  return value === null || value === "" ? [] : [el("dt", null, title), el("dd", null, plain(value, 400))];
}

function runSection(run) {
  const when = (process) => process.start_realtime_ns > 0 ? new Date(process.start_realtime_ns / 1e6).toISOString() : "";
  return section("run", "Recording",
    run.processes.slice(0, 64).map((process) => el("dl", null,
      fact("Program", programName(process) + (process.host ? " on " + process.host : "")),
      fact("Rank", process.rank === null ? "" : process.rank + " of " + process.world_size),
      fact("Began", when(process)), fact("Recorded", time(process.duration_ns) + (process.closed ? "" : ", not closed: killed, or still running")),
      fact("GPU mode", process.mode + (process.mode_reason ? ", " + process.mode_reason : "")),
      fact("CUPTI", process.cupti), fact("Driver", process.driver), fact("libprof", process.libprof), fact("File", process.file))),
    run.processes.length > 64 && el("p", { class: "note" }, count(run.processes.length - 64) + " more processes are not listed."),
    el("dl", null, run.devices.slice(0, 64).map((device) => fact("Device " + device.id,
      [device.name, device.compute_major > 0 && "sm_" + device.compute_major + device.compute_minor,
       device.memory_bytes > 0 && bytes(device.memory_bytes)].filter(Boolean).join(", ")))));
}
