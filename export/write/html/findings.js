/* findings.js - what to do: findings in groups of those about the same time, each with a bar for what it saves at most. */

const FINDING_GROUPS = [
  ["The CPU kept the GPU waiting", ["gpu-idle-cpu-bound", "data-loader", "low-gpu-utilization", "long-gpu-gaps", "late-starts",
                                    "launch-queue-empty", "cpu-only", "call-outliers"]],
  ["Launching took longer than the work", ["gpu-idle-launch-bound", "graphable-steps", "tiny-kernels", "elementwise-trains", "launch-queue-full"]],
  ["Waits", ["gpu-idle-synchronization", "synchronizations-in-loops", "state-queries", "gpu-idle-host-function", "gpu-idle-queued"]],
  ["Copies", ["gpu-idle-copy", "sync-copies", "sync-memsets", "async-copies-of-pageable-memory", "small-copies", "poor-copy-overlap",
              "managed-memory-moves"]],
  ["Allocations and other calls", ["gpu-idle-allocation", "gpu-idle-other-calls", "allocations-in-loops", "module-loading",
                                   "stream-event-churn", "driver-overhead"]],
  ["Begin and end", ["gpu-idle-start", "gpu-idle-end"]],
  ["Communication", ["exposed-communication", "stragglers"]],
  ["Kernels", ["low-occupancy", "tail-wave", "fp32-without-tensor-cores", "threads-share-a-stream"]],
];
const GROUPS_SHOWN = 4, FINDINGS_SHOWN = 3;

function groupOf(rule) {
  const group = FINDING_GROUPS.find(([, rules]) => rules.includes(rule));
  return group ? group[0] : "Others";
}

/* Findings of one rule and place, on several devices or ranks, are one with others beside it. */
function groupFindings(findings) {
  const groups = new Map();
  for (const finding of findings) {
    const title = groupOf(finding.rule), key = finding.rule + "\n" + finding.path.join("\n");
    if (!groups.has(title)) groups.set(title, new Map());
    const places = groups.get(title);
    if (!places.has(key)) places.set(key, []);
    places.get(key).push(finding);
  }
  const most = (same) => same[0].saved_ns || 0;
  return [...groups].map(([title, places]) => {
    const items = [...places.values()].sort((a, b) => most(b) - most(a));
    return { title, items, saved_ns: most(items[0]) };
  }).sort((a, b) => b.saved_ns - a.saved_ns);
}

function savingOf(finding, wall) {
  if (finding.saved_ns === null) return el("p", { class: "saving dim" }, "savings unknown");
  const bar = el("span", { class: "fill" });
  bar.style.width = Math.min(100, (100 * finding.saved_ns) / (wall || 1)).toFixed(1) + "%";
  return el("div", { class: "saving" }, el("b", null, time(finding.saved_ns)), " ",
            el("span", { class: "dim" }, "saved at most, " + share(finding.saved_ns, wall) + " of the wall time"),
            el("span", { class: "track thick" }, bar));
}

/* The longest gap whose time the finding is about, else the longest call of its innermost range. */
function findingLink(finding, gaps, devices) {
  const device = devices.findIndex((one) => isSameDevice(one, finding));
  const path = finding.path.join("\n"), rule = finding.rule.startsWith("gpu-idle") || groupOf(finding.rule) === FINDING_GROUPS[0][0];
  const gap = rule && gaps.filter((one) => device < 0 || one.device === device)
    .filter((one) => !path || one.path.join("\n").startsWith(path) || one.blocker.join("\n").startsWith(path))[0];
  if (gap) return linkButton("Show the longest gap", () => showGap(gap));
  const name = finding.path[finding.path.length - 1];
  return name === undefined ? null : linkButton("Show it in the timeline", () => {
    const box = pageTimeline && pageTimeline.data.longest(name);
    if (box) pageTimeline.revealBox(box);
  });
}

function sameElsewhere(others, wall) {
  if (!others.length) return null;
  return el("details", null, el("summary", null, others.length === 1 ? "1 more like this" : count(others.length) + " more like this"),
            el("ul", null, others.map((one) => el("li", null, plain(one.sentence, 800), " ",
              el("span", { class: "dim" }, one.saved_ns === null ? "" : "saves at most " + time(one.saved_ns) + " (" + share(one.saved_ns, wall) + ")")))));
}

function findingCard([finding, ...others], findings, gaps) {
  return el("li", { class: "finding" },
    el("div", { class: "finding-text" }, el("h4", null, plain(finding.title)),
       el("p", null, plain(finding.sentence, 800)), el("p", { class: "remedy" }, plain(finding.remedy, 800)),
       finding.stack.length > 0 && el("details", null, el("summary", null, "called from"),
                                      el("ol", { class: "stack" }, finding.stack.map((frame) => el("li", null, plain(frame, 400))))),
       sameElsewhere(others, findings.wall_ns)),
    el("div", { class: "finding-side" }, savingOf(finding, findings.wall_ns),
       finding.path.length
        ? el("p", { class: "dim" }, "in ", el("code", null, pathText(finding.path)))
        : el("p", { class: "dim" }, "outside any range, or in several"),
       el("p", { class: "dim" }, "rule " + finding.rule, " ", findingLink(finding, gaps, findings.devices))));
}

function findingGroup(group, findings, gaps) {
  const cards = group.items.map((same) => findingCard(same, findings, gaps));
  const rest = cards.slice(FINDINGS_SHOWN);
  return el("div", { class: "finding-group" },
    el("h3", null, group.title, " ", cards.length > 1 && el("span", { class: "dim" }, "these findings overlap in time: do not add up their savings")),
    el("ul", { class: "findings" }, cards.slice(0, FINDINGS_SHOWN)),
    rest.length > 0 && el("details", null, el("summary", null, count(rest.length) + " more of this kind"), el("ul", { class: "findings" }, rest)));
}

function findingsSection(run, findings, gaps) {
  const groups = groupFindings(findings.findings).map((group) => findingGroup(group, findings, gaps));
  const rest = groups.slice(GROUPS_SHOWN), notes = findings.notes.map((note) => el("li", null, plain(note.sentence, 800)));
  section("findings", "Findings",
    groups.length ? groups.slice(0, GROUPS_SHOWN) : el("p", { class: "none" }, "No finding exceeds the reporting thresholds."),
    rest.length > 0 && el("details", null, el("summary", null, rest.length === 1 ? "1 more group" : count(rest.length) + " more groups"), rest),
    notes.length > 0 && el("details", null, el("summary", null, "What was not examined"), el("ul", null, notes)));
}
