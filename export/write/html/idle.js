/* idle.js - why devices idled: causes, which range or call is responsible, and the longest gaps. */

function readGaps(idle, devices) {
  const several = devices.length > 1;
  return idle.gaps.map(([device, start, end, cause, next, path, blocker]) => ({
    device, start, end, cause, next: next < 0 ? "" : idle.names[next], path: pathAt(idle, path), blocker: pathAt(idle, blocker), words: idle.causes[cause][1], causeName: idle.causes[cause][0],
    place: devices[device] ? deviceName(devices[device], several) : "unknown" }));
}

function pathAt(idle, place) {
  return place < 0 ? [] : idle.paths[place];
}

function readOwners(idle, devices) {
  const several = devices.length > 1;
  return idle.owners.map(([process, device, cause, path, pieces, ns]) => ({
    process, device, cause, path: pathAt(idle, path), pieces, ns, place: deviceName({ device, process }, several) }));
}

function causeCell(idle, cause) {
  return el("span", { class: "cause-cell", title: idle.causes[cause][0] }, el("span", { class: "swatch cause" + cause }), idle.causes[cause][1]);
}

/* Where there is more than one. */
function deviceColumn(rows) {
  const several = new Set(rows.map((row) => row.place)).size > 1;
  return several ? [{ title: "Device", value: (row) => row.place, show: (row) => row.place }] : [];
}

function ownerTable(idle, owners) {
  const all = owners.reduce((sum, owner) => sum + owner.ns, 0);
  return makeTable({
    id: "owners-table", rows: owners, sort: 2, descending: true, page: 10,
    text: (row) => row.path.join(" > ") + " " + idle.causes[row.cause].join(" ") + " " + row.place,
    columns: [
      { title: "Range or call", class: "once", value: (row) => pathText(row.path), show: (row) => pathName(row.path) },
      { title: "Cause", value: (row) => idle.causes[row.cause][1], show: (row) => causeCell(idle, row.cause) },
      { title: "Idle time", number: true, value: (row) => row.ns, show: (row) => meter(time(row.ns), row.ns, all) },
      { title: "Parts of gaps", number: true, value: (row) => row.pieces, show: (row) => count(row.pieces) },
      ...deviceColumn(owners),
    ] });
}

function markGap(gap) {
  document.querySelectorAll(".plot .marked").forEach((node) => node.classList.remove("marked"));
  if (gap && gap.mark) gap.mark.classList.add("marked");
}

/* In the timeline, with the operation that ended it. */
function showGap(gap) {
  if (!pageTimeline) return;
  const { data } = pageTimeline, end = gap.end - data.start_ns;
  let next = null;
  data.operations((level, index, track, depth) => {
    if (level.start[index] === end && data.nameOf(level, index) === gap.next) next = { track, depth, level, index };
  });
  pageTimeline.reveal(gap.start - data.start_ns, end, next);
}

function gapTable(idle, gaps, startNs) {
  return makeTable({
    id: "gaps-table", rows: gaps, sort: 1, descending: true, page: 10, over: markGap,
    text: (row) => [row.next, ...row.path, ...row.blocker, ...idle.causes[row.cause], row.place].join(" "),
    columns: [
      { title: "Start", number: true, help: "since the recording began; shows it in the timeline", value: (row) => row.start,
        show: (row) => linkButton(time(row.start - startNs), () => showGap(row)) },
      { title: "Length", number: true, value: (row) => row.end - row.start,
        show: (row) => meter(time(row.end - row.start), row.end - row.start, gaps[0].end - gaps[0].start) },
      { title: "Cause", help: "what most of it was", value: (row) => idle.causes[row.cause][1],
        show: (row) => causeCell(idle, row.cause) },
      { title: "Launched by", class: "once", help: "what launched the operation that ended it", value: (row) => pathText(row.path),
        show: (row) => pathName(row.path) },
      { title: "Next operation", class: "once", value: (row) => row.next, show: (row) => nameOf(row.next) },
      { title: "CPU waited in", class: "once", value: (row) => row.blocker.slice(-1)[0] || null,
        show: (row) => (row.blocker.length ? nameOf(row.blocker[row.blocker.length - 1]) : "\u2013") },
      ...deviceColumn(gaps),
    ] });
}

/* One choice of a cause for both tables. */
function idleSection(run, findings, gaps) {
  const idle = run.idle, owners = readOwners(idle, findings.devices);
  if (!owners.length && !gaps.length) return;
  const causes = [...new Set([...owners, ...gaps].map((item) => item.cause))].sort((a, b) => a - b);
  const byOwner = ownerTable(idle, owners), byGap = gapTable(idle, gaps, run.start_ns);
  let chosen = () => true, stretch = null;
  const filter = () => {
    byOwner.filter(chosen);
    byGap.filter((gap) => chosen(gap) && (!stretch || (gap.end > stretch.from && gap.start < stretch.to &&
                                             isSameDevice(findings.devices[gap.device], stretch))));
  };
  const choose = (index) => {
    chosen = index === 0 ? () => true : (row) => row.cause === causes[index - 1];
    filter();
  };
  stretchFollowers.push((now) => {
    stretch = now;
    filter();
  });
  section("idle", "Idle gaps", choice("Cause", ["All causes", ...causes.map((cause) => idle.causes[cause][1])], choose),
          el("h3", null, "Idle time by range and cause ", wholeRun()), byOwner.node,
          idle.owner_count > owners.length && el("p", { class: "note" }, "Showing the " + count(owners.length) +
            " rows with the most idle time, of " + count(idle.owner_count) + "."),
          el("h3", null, "The longest gaps"), byGap.node,
          idle.gap_count > gaps.length && el("p", { class: "note" }, "Showing the longest " + count(gaps.length) +
            " of " + count(idle.gap_count) + " gaps."));
}
