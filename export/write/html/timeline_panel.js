/* timeline_panel.js - what is said below the timeline about a box or a stretch, and the part of the page around both. */

const KIND_TITLES = { range: "range", call: "call", kernel: "kernel", copy: "copy", set: "set", graph: "whole graph",
                      communication: "communication", function: "Python function" };

function linkButton(text, onclick) {
  return el("button", { type: "button", class: "link", onclick }, text);
}

/* A button for each box that leads to it. */
function boxLinks(timeline, boxes, most = 8) {
  const links = boxes.slice(0, most).map((box) =>
    el("li", null, linkButton(shortName(timeline.data.nameOf(box.level, box.index)) || "(no name)", () => timeline.revealBox(box)),
       " ", el("span", { class: "dim" }, time(box.level.busy[box.index]))));
  if (boxes.length > most) links.push(el("li", { class: "dim" }, count(boxes.length - most) + " more"));
  return el("ol", { class: "links" }, links);
}

function detailFacts(data, level, index) {
  const text = level.detail[index] < 0 ? "" : data.details.at(level.detail[index]);
  return text.split("\n").filter(Boolean).flatMap((line) => {
    const [title, ...value] = line.split("\t");
    if (title === "Bytes") return fact(title, bytes(+value[0]));
    return fact(title, value.join(" "));
  });
}

/* Launches of a device operation, or what a range or call launched. */
function launchFacts(timeline, box) {
  const { data } = timeline, { track, level, index, depth } = box;
  if (track.kind === "stream") {
    if (level.thread[index] < 0) return [];
    const path = data.pathAt(data.tracks[level.thread[index]], level.launch[index], level.depth[index]);
    return [...fact("From launch to start", time(level.start[index] - level.launch[index])),
            el("dt", null, "Launched by"), el("dd", null, boxLinks(timeline, path.reverse()))];
  }
  if (track.kind !== "thread") return [];
  const launched = data.launchedIn(track.index, level.start[index], level.end[index], depth);
  if (!launched.length) return [];
  const sum = launched.reduce((all, one) => all + one.level.busy[one.index], 0);
  return [...fact("Launched", counted(launched.length, "operation") + ", " + time(sum) + " of device time"),
          el("dt", null, "The longest"), el("dd", null, boxLinks(timeline, launched, 5))];
}

function boxPanel(timeline, box) {
  const { data } = timeline, { level, index, track } = box, many = level.count[index] > 1;
  const name = data.nameOf(level, index), kind = KIND_TITLES[BOX_KINDS[level.kind[index]]];
  return el("div", null,
    el("h3", null, nameOf(name, "name whole"), " ", el("span", { class: "dim" }, many ? count(level.count[index]) + " events; the longest is a " + kind : kind)),
    el("p", { class: "bar" }, copyButton(name), rowLink(name), linkButton("Zoom to it", () => timeline.revealBox(box))),
    el("dl", null,
      fact("Start", time(level.start[index] + data.start_ns - data.origin_ns)),
      fact("Duration", time(level.end[index] - level.start[index])), many && fact("Busy in it", time(level.busy[index])),
      fact("On", timeline.trackName(track) + (timeline.several ? " of " + programName(timeline.processes[track.process]) : "")),
      detailFacts(data, level, index), launchFacts(timeline, box)));
}

const STRETCH_ROWS = 1000;

function stretchPanel(timeline, from, to) {
  const { data } = timeline, { rows, all, busy } = data.sums(timeline.tracksOf(timeline.shows), from, to, STRETCH_ROWS);
  const table = new Table({ id: "stretch-table", rows, sort: 3, descending: true, page: 10, text: (row) => row.name,
    columns: [
      { title: "Name", class: "once", value: (row) => row.name, show: (row) => nameOf(row.name) },
      { title: "Kind", value: (row) => KIND_TITLES[BOX_KINDS[row.kind]], show: (row) => KIND_TITLES[BOX_KINDS[row.kind]] },
      { title: "Count", number: true, value: (row) => row.count, show: (row) => count(row.count) },
      { title: "Time inside", number: true, help: "inclusive time, clipped to the selection",
        value: (row) => row.ns, show: (row) => meter(time(row.ns), row.ns, to - from) },
    ] }, false);
  return el("div", null,
    el("h3", null, time(to - from) + " selected ", el("span", { class: "dim" }, "from " + time(from + data.start_ns - data.origin_ns) +
      "; device operations take " + time(busy) + " of it, added up")),
    el("p", { class: "bar" }, linkButton("Zoom to it", () => timeline.go(from, to)), linkButton("Clear selection", () => timeline.letGo())),
    table.node, all > rows.length && el("p", { class: "note" }, "Showing the " + count(rows.length) + " names with the most time, of " + count(all) + "."));
}

/* ---- a row of the table, from all boxes of its name ---- */

const CALLERS_LOOKED_AT = 3000, LISTED = 5;

/* Sums by what `keyOf` says of a box, the most time first: [key, count, ns]. */
function sumBoxes(boxes, keyOf) {
  const sums = new Map();
  for (const box of boxes) {
    const key = keyOf(box);
    if (key === null) continue;
    const sum = sums.get(key) || [key, 0, 0];
    sum[1]++, sum[2] += box.level.busy[box.index];
    sums.set(key, sum);
  }
  return [...sums.values()].sort((a, b) => b[2] - a[2]);
}

function launcherOf(data, { level, index }) {
  if (level.thread[index] < 0) return null;
  const path = data.pathAt(data.tracks[level.thread[index]], level.launch[index], level.depth[index]);
  return path.map((box) => shortName(data.nameOf(box.level, box.index))).join(" > ") || null;
}

function sumList(title, sums, show) {
  if (!sums.length) return [];
  return [el("dt", null, title), el("dd", null, el("ul", { class: "links" }, sums.slice(0, LISTED).map(([key, times, ns]) =>
    el("li", null, show(key), " ", el("span", { class: "dim" }, count(times) + " times, " + time(ns)))),
    sums.length > LISTED && el("li", { class: "dim" }, count(sums.length - LISTED) + " more")))];
}

/* Began, or was launched, in the chosen steps. */
function isInStretch(data, { track, level, index }) {
  if (!shownStretch) return true;
  const began = (level.thread[index] >= 0 ? level.launch[index] : level.start[index]) + data.start_ns;
  return track.process === shownStretch.process && began >= shownStretch.from && began < shownStretch.to;
}

function rowDetail(row) {
  const facts = [el("dt", null, "Whole name"), el("dd", null, el("code", null, plain(row.name, WHOLE_NAME_MOST)), " ", copyButton(row.name))];
  const boxes = pageTimeline ? pageTimeline.data.all(row.name).filter((box) => isInStretch(pageTimeline.data, box)) : [];
  if (boxes.length) {
    const { data } = pageTimeline;
    const longest = boxes.reduce((best, box) => (box.level.busy[box.index] > best.level.busy[best.index] ? box : best));
    const whole = boxes.filter(({ level, index }) => level.count[index] === 1);
    facts.push(el("dt", null, "The longest"), el("dd", null, linkButton(time(longest.level.busy[longest.index]) + " in the timeline", () => pageTimeline.revealBox(longest))),
      sumList("As launched", sumBoxes(whole, ({ level, index }) => (level.detail[index] < 0 ? null : data.details.at(level.detail[index]))),
              (text) => plain(text.replace(/\t/g, " ").replace(/\n/g, "; "), 300)),
      sumList("Launched by", sumBoxes(whole.slice(0, CALLERS_LOOKED_AT), (box) => launcherOf(data, box)), (path) => el("code", null, path)));
    if (whole.length > CALLERS_LOOKED_AT) facts.push(el("dt", null, ""), el("dd", { class: "dim" }, "launched by: of the first " + count(CALLERS_LOOKED_AT)));
  }
  return el("dl", { class: "row-detail" }, facts);
}

/* ---- the part of the page ---- */

/* Of the kinds that there are. */
function timelineLegend(data) {
  const kinds = new Set(data.tracks.flatMap((track) => track.levels.flatMap((level) => [...new Set(level.kind)])));
  return legend([...kinds].sort().map((kind) => ["box-" + BOX_KINDS[kind], KIND_TITLES[BOX_KINDS[kind]]]));
}

/* The timeline of the page, once it is there. */
let pageTimeline = null;

/* Returns what fills it. */
function timelineSection(run) {
  const block = readBlock("timeline-data");
  if (!block || !block.boxes) return async () => {};
  const host = el("div", null, el("p", { class: "none" }, "Unpacking the timeline ..."));
  section("timeline", "Timeline",
    el("p", { class: "note", id: "timeline-help" }, "Wheel or w, s: zoom. Drag or a, d: move. Drag on the scale, or with Shift: select and add up. " +
      "Click: details, with an arrow from launch to operation. Arrow keys: from box to box; Enter zooms, Escape clears the selection."), host);
  return async () => {
    try {
      pageTimeline = new Timeline(await TimelineData.read(block), run.processes, run.processes.length > 1);
    } catch (error) {
      clear(host).append(el("p", { class: "note warn" }, "This browser cannot unpack the timeline: " + plain(error.message)));
      return;
    }
    clear(host).append(timelineLegend(pageTimeline.data), pageTimeline.node);
    pageTimeline.view.redraw();
  };
}
