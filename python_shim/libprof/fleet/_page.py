"""A job as one HTML file: what is wrong, a heat map of ranks and steps, and the tables behind it. It works offline."""

from __future__ import annotations

import array
import base64
import html
import json
import sys
from pathlib import Path
from typing import AbstractSet, Any, Dict, Sequence, Tuple

from . import _clocks, _engine, _groups, _verdict
from ._dataset import Dataset
from ._text import cell_text

TABLE_ROWS = 50
CELLS = {"own": "own time", "duration": "time of the step", "idle": "idle, host late"}
"""Views of the heat map. Own time is the step without waiting for others: communication that nothing hides is left out."""

SQL = """SELECT rank, step, duration_ns - communication_ns AS own, duration_ns AS duration, idle_host_ns AS idle
FROM steps WHERE step IS NOT NULL ORDER BY rank, step"""


def _packed(values: Sequence[float]) -> str:
    """Microseconds as 32-bit floats of a little-endian machine, in base 64."""
    numbers = array.array("f", (value / 1e3 for value in values))
    if sys.byteorder != "little":
        numbers.byteswap()
    return base64.b64encode(numbers.tobytes()).decode()


def _grid(engine: Any) -> Dict[str, Any]:
    """The heat map's cells by view, -1 where a rank has no such step."""
    _, rows = engine.run(SQL)
    ranks = sorted({row[0] for row in rows})
    steps = sorted({row[1] for row in rows})
    place_of_rank = {rank: i for i, rank in enumerate(ranks)}
    place_of_step = {step: i for i, step in enumerate(steps)}
    hosts = dict(engine.run(_clocks.HOST_OF_RANK)[1])
    grid: Dict[str, Any] = {"ranks": ranks, "steps": steps, "hosts": [hosts.get(rank) or "" for rank in ranks]}
    for i, view in enumerate(CELLS):
        cells = [-1e3] * (len(ranks) * len(steps))
        for row in rows:
            cells[place_of_rank[row[0]] * len(steps) + place_of_step[row[1]]] = row[2 + i]
        grid[view] = _packed(cells)
    return grid


def _table(columns: Sequence[str], rows: Sequence[Tuple[Any, ...]], linked: AbstractSet[int] = frozenset()) -> str:
    """Ranks in `linked` have a page of their own beside this one."""

    def tag(column: str, value: Any) -> str:
        kind = "" if isinstance(value, str) else ' class="n"'
        text = html.escape(cell_text(column, value))
        if column == "rank" and value in linked:
            text = f'<a href="rank-{value}.html">{text}</a>'
        return f"<td{kind}>{text}</td>"

    head = "".join(f"<th>{html.escape(c[:-3] if c.endswith('_ns') else c).replace('_', ' ')}</th>" for c in columns)
    body = "".join("<tr>" + "".join(map(tag, columns, row)) + "</tr>" for row in rows[:TABLE_ROWS])
    more = f"<p>{len(rows) - TABLE_ROWS} more rows.</p>" if len(rows) > TABLE_ROWS else ""
    return f"<div class='scroll'><table><tr>{head}</tr>{body}</table></div>{more}" if rows else "<p>Nothing recorded.</p>"


def _section(title: str, engine: Any, report: str, linked: AbstractSet[int]) -> str:
    return f"<h2>{html.escape(title)}</h2>{_table(*_groups.label(engine, report, *engine.run(_engine.sql_text(report))), linked)}"


def _clock_section(engine: Any) -> str:
    clocks = _clocks.compare_clocks(engine)
    broken = _clocks.violations(engine, clocks)
    note = "" if broken is None else f"<p>Collectives that contradict these clocks: {broken}.</p>"
    return f"<h2>Clocks of the hosts</h2>{_table(*_clocks.clock_rows(clocks))}{note}"


def _findings(engine: Any) -> str:
    sentences = [finding.sentence for finding in _verdict.judge(engine)]
    if not sentences:
        return "<p>Nothing stands out.</p>"
    return "<ul>" + "".join(f"<li>{html.escape(sentence)}</li>" for sentence in sentences) + "</ul>"


def write_page(dataset: Dataset, engine: Any, path: str) -> None:
    """Writes the page. OSError where it cannot be written."""
    name = html.escape(dataset.path.name)
    options = "".join(f'<option value="{view}">{text}</option>' for view, text in CELLS.items())
    ranks = (row[0] for row in engine.run("SELECT DISTINCT rank FROM ranks")[1])
    linked = {rank for rank in ranks if Path(path).with_name(f"rank-{rank}.html").exists()}
    grid = json.dumps(_grid(engine)).replace("<", "\\u003c")
    page = (
        f"<!DOCTYPE html><html lang=en><meta charset=utf-8><meta name=viewport content='width=device-width'><title>{name}</title>"
        f"<style>{STYLE}</style><h1>{name}</h1><p>{html.escape(_verdict.headline(engine))}</p>{_findings(engine)}"
        f"<h2>Steps of all ranks</h2><label>Show <select id=view>{options}</select></label> "
        "<span id=legend></span><div class=scroll><canvas id=map tabindex=0 role=img "
        "aria-label='time of each step of each rank; the tables below have the sums'></canvas></div><p id=cell aria-live=polite>&nbsp;</p>"
        + _section("Ranks that others wait for", engine, "stragglers", linked)
        + _section("Collectives", engine, "collectives", linked)
        + _section("Slow kernels of single ranks", engine, "outliers", linked)
        + _section("Collectives that do not match", engine, "mismatches", linked)
        + _section("Memory", engine, "memory", linked)
        + f"<h2>Groups of ranks</h2>{_table(*_groups.group_rows(engine))}"
        + _clock_section(engine)
        + f"<script>const grid={grid};{SCRIPT}</script></html>"
    )
    with open(path, "w", encoding="utf-8") as file:
        file.write(page)


STYLE = """
:root{color-scheme:light dark}
body{font:15px/1.45 system-ui,sans-serif;margin:1.5rem;max-width:1500px}
h1{font-size:1.4rem}h2{font-size:1.1rem;margin-top:2rem}
li{margin:.3rem 0;font-weight:600}
.scroll{overflow:auto;max-height:70vh}
canvas{display:block;image-rendering:pixelated}
table{border-collapse:collapse}
th,td{padding:.15rem .7rem;text-align:left;border-bottom:1px solid color-mix(in srgb,currentColor 20%,transparent);white-space:nowrap}
th{position:sticky;top:0;background:Canvas}
td.n{text-align:right;font-variant-numeric:tabular-nums}
"""

# A cell's colour is its time over the median of its step, from 0.8 to 1.5: blue, white, orange.
SCRIPT = """
const canvas=document.getElementById('map'),view=document.getElementById('view'),cell=document.getElementById('cell');
const rows=grid.ranks.length,columns=grid.steps.length,wide=Math.max(1,Math.min(24,Math.floor(1200/columns))),
high=Math.max(1,Math.min(16,Math.floor(800/rows)));
const unpack=text=>new Float32Array(Uint8Array.from(atob(text),c=>c.charCodeAt(0)).buffer);
const show=us=>us<0?'no such step':us>=1e6?(us/1e6).toPrecision(4)+' s':us>=1e3?(us/1e3).toPrecision(4)+' ms':us.toPrecision(4)+' us';
let values,medians;
function colour(ratio){
  const low=[59,110,200],middle=[240,240,240],top=[220,95,10],up=ratio>=1,t=Math.min(1,up?(ratio-1)/.5:(1-ratio)/.2),to=up?top:low;
  return middle.map((m,i)=>Math.round(m+(to[i]-m)*t));
}
function draw(){
  values=unpack(grid[view.value]);medians=new Float32Array(columns);
  canvas.width=Math.max(1,columns*wide);canvas.height=Math.max(1,rows*high);
  const context=canvas.getContext('2d');
  for(let s=0;s<columns;s++){
    const all=[];
    for(let r=0;r<rows;r++){const v=values[r*columns+s];if(v>=0)all.push(v);}
    all.sort((a,b)=>a-b);medians[s]=all.length?all[all.length>>1]:0;
    for(let r=0;r<rows;r++){
      const v=values[r*columns+s];
      context.fillStyle=v<0?'#777':'rgb('+colour(medians[s]?v/medians[s]:1)+')';
      context.fillRect(s*wide,r*high,wide,high);
    }
  }
  document.getElementById('legend').textContent='a row is a rank, a column a step; blue: 0.8 of the median of the step, white: the median, orange: 1.5 of it, grey: no such step';
}
function tell(r,s){
  if(r<0||s<0||r>=rows||s>=columns)return;
  const v=values[r*columns+s];
  cell.textContent='rank '+grid.ranks[r]+(grid.hosts[r]?' on '+grid.hosts[r]:'')+', step '+grid.steps[s]+': '+show(v)+
    (v>=0&&medians[s]?', '+(v/medians[s]).toFixed(2)+' of the median '+show(medians[s]):'');
}
let at=[0,0];
canvas.addEventListener('mousemove',e=>tell(Math.floor(e.offsetY/high),Math.floor(e.offsetX/wide)));
canvas.addEventListener('keydown',e=>{
  const move={ArrowUp:[-1,0],ArrowDown:[1,0],ArrowLeft:[0,-1],ArrowRight:[0,1]}[e.key];
  if(!move)return;
  e.preventDefault();
  at=[Math.max(0,Math.min(rows-1,at[0]+move[0])),Math.max(0,Math.min(columns-1,at[1]+move[1]))];
  tell(...at);
});
view.addEventListener('change',draw);draw();
"""
