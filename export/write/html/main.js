/* main.js - puts the page together. */

/* As the reader's system has it, until a button is pressed; remembered where the browser lets a file. */
function themeButton() {
  const root = document.documentElement;
  const dark = () => root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  const button = el("button", { type: "button", id: "theme", "aria-label": "dark or light", onclick: () => {
    root.dataset.theme = dark() ? "light" : "dark";
    button.textContent = dark() ? "Light" : "Dark";
    document.dispatchEvent(new Event("themechange"));
    try { localStorage.setItem("libprof-theme", root.dataset.theme); } catch { /* not remembered */ }
  } });
  try {
    const kept = localStorage.getItem("libprof-theme");
    if (kept === "dark" || kept === "light") root.dataset.theme = kept;
  } catch { /* nothing was kept */ }
  button.textContent = dark() ? "Light" : "Dark";
  return button;
}

/* One search for every table, and for the flame graph. */
function searchAll(flame) {
  const search = el("input", { type: "search", id: "search", placeholder: "Search everything", "aria-label": "Search everything",
    oninput: () => {
      for (const table of tables) {
        table.search.value = search.value;
        table.find(search.value);
      }
      if (flame) flame.find(search.value);
      if (pageTimeline) pageTimeline.find((pageTimeline.search.value = search.value));
    } });
  document.addEventListener("keydown", (event) => {
    if (event.key !== "/" || /^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName)) return;
    event.preventDefault();
    search.focus();
  });
  return search;
}

function head(title, badges, flame) {
  const way = el("nav", { "aria-label": "Parts" }, sections.map(([id, name]) => el("a", { href: "#" + id }, name)));
  document.getElementById("top").append(
    el("div", { class: "title" }, el("h1", null, title), badges.map(([text, className]) => el("span", { class: "badge " + className }, text)),
       el("span", { class: "space" }), searchAll(flame), themeButton()), way);
}

/* On paper everything is light and unfolded; afterwards it is as it was. */
function preparePrinting() {
  const root = document.documentElement;
  const tell = (what) => document.querySelectorAll(".table").forEach((node) => node.dispatchEvent(new Event(what)));
  let theme, folded = [];
  window.addEventListener("beforeprint", () => {
    theme = root.dataset.theme;
    root.dataset.theme = "light";
    folded = [...document.querySelectorAll("details:not([open])")];
    folded.forEach((node) => (node.open = true));
    tell("unfold");
    if (pageTimeline) pageTimeline.print(true);
  });
  window.addEventListener("afterprint", () => {
    if (theme) root.dataset.theme = theme;
    else delete root.dataset.theme;
    folded.forEach((node) => (node.open = false));
    tell("fold");
    if (pageTimeline) pageTimeline.print(false);
  });
}

/* Returns what is filled in later. */
function reportPage(run) {
  const findings = readBlock("findings-data"), roofline = readBlock("roofline-data");
  for (const one of [...findings.devices, ...findings.findings, ...roofline.devices]) one.process = one.process_index;
  pageProcesses = run.processes;
  run.process_names.forEach(([label, longLabel], index) => Object.assign(run.processes[index], { label, longLabel }));
  const rows = readRows(run), gaps = readGaps(run.idle, findings.devices);
  const first = run.processes[0];
  sections.push(["verdict", "Verdict"]);
  document.getElementById("verdict").append(tiles(run, findings));
  timeSection(run, findings, rows);
  findingsSection(run, findings, gaps, rows);
  stepsSection(run, rows);
  const fillTimeline = timelineSection(run);
  rowsSection(run, rows);
  usageSection(run, findings, gaps);
  memorySection(run);
  idleSection(run, findings, gaps);
  rooflineSection(roofline);
  const flame = flameSection(run);
  sections.push(["statement", "Losses and overhead"]);
  document.getElementById("statement").after(runSection(run));
  for (const id of ["verdict", "usage", "memory", "statement", "run"]) {
    const title = document.querySelector("#" + id + " > h2");
    if (title) title.append(" ", wholeRun());
  }
  const badges = [["GPU mode: " + run.mode, ""]];
  if (run.simulated) badges.unshift(["Simulated GPU", "warn"]);
  if (run.lost_anything) badges.push(["Incomplete", "bad"]);
  const more = run.processes.length > 1 ? " and " + (run.processes.length - 1) + " more" : "";
  head(first ? programName(first) + more : "Empty recording", badges, flame);
  return async () => {
    await Promise.all([fillTimeline(), readStepSums(run)]);
  };
}

async function buildPage() {
  const run = readBlock("run-data"), diff = readBlock("diff-data");
  document.body.append(tip);
  copyWholeNames();
  closeTips();
  preparePrinting();
  if (run) await reportPage(run)();
  if (diff) {
    diffPage(diff);
    head(document.title.replace(/ - libprof report$/, ""), [], null);
  }
  document.documentElement.dataset.ready = "yes";
}

buildPage();
