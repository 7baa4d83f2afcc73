"""A job as one HTML file: what is wrong, a heat map of ranks and steps, and the tables behind it. It works offline."""

from __future__ import annotations

import array
import base64
import html
import json
import sys
from typing import AbstractSet, Any, Dict, List, Sequence, Tuple

from . import _clocks, _engine, _groups, _rank_pages, _verdict
from ._dataset import Dataset
from ._limits import Limits
from ._text import cell_text

TABLE_ROWS = 50
LONG = 36
"""Longer texts wrap in tables."""
CELLS = {"own": "own time", "duration": "time of the step", "idle": "idle, host late"}
"""Views of the heat map. Own time is the step without waiting for others: communication that nothing hides is left out."""

MOST_LINES = 2000
"""Rows, and columns, of the heat map: browsers draw no canvas of more than about 30,000. With more ranks, or steps, those that follow
each other share a line, which shows the largest value."""

SQL = """WITH rank_place AS (SELECT rank, row_number() OVER (ORDER BY rank) - 1 AS place FROM (SELECT DISTINCT rank FROM steps WHERE step IS NOT NULL) AS r),
step_place AS (SELECT step, row_number() OVER (ORDER BY step) - 1 AS place FROM (SELECT DISTINCT step FROM steps WHERE step IS NOT NULL) AS s)
SELECT CAST(floor(r.place * 1e0 / {ranks_each}) AS BIGINT), CAST(floor(s.place * 1e0 / {steps_each}) AS BIGINT),
       max(t.duration_ns - t.communication_ns) AS own, max(t.duration_ns) AS duration, max(t.idle_host_ns) AS idle
FROM steps AS t JOIN rank_place AS r ON r.rank = t.rank JOIN step_place AS s ON s.step = t.step GROUP BY 1, 2"""


def _packed(values: Sequence[float]) -> str:
    """Microseconds as 32-bit floats of a little-endian machine, in base 64."""
    numbers = array.array("f", (value / 1e3 for value in values))
    if sys.byteorder != "little":
        numbers.byteswap()
    return base64.b64encode(numbers.tobytes()).decode()


def _lines(engine: Any, column: str) -> Tuple[List[int], int]:
    """All ranks, or steps; and how many of them share a line."""
    values = [row[0] for row in engine.run(f"SELECT DISTINCT {column} FROM steps WHERE step IS NOT NULL ORDER BY {column}")[1]]
    return values, max(1, -(-len(values) // MOST_LINES))


def _grid(engine: Any) -> Dict[str, Any]:
    """The heat map's cells by view, -1 where a rank has no such step. `ranks` and `last`: the first and last of each line."""
    ranks, ranks_each = _lines(engine, "rank")
    steps, steps_each = _lines(engine, "step")
    hosts = dict(engine.run(_clocks.HOST_OF_RANK)[1])
    grid: Dict[str, Any] = {"ranks": ranks[::ranks_each], "steps": steps[::steps_each]}
    grid["last"] = [ranks[min(i + ranks_each, len(ranks)) - 1] for i in range(0, len(ranks), ranks_each)]
    grid["hosts"] = [hosts.get(rank) or "" for rank in grid["ranks"]]
    height, width = len(grid["ranks"]), len(grid["steps"])
    rows = engine.run(SQL.format(ranks_each=ranks_each, steps_each=steps_each))[1]
    for i, view in enumerate(CELLS):
        cells = [-1e3] * (height * width)
        for row in rows:
            cells[row[0] * width + row[1]] = row[2 + i]
        grid[view] = _packed(cells)
    return grid


def _shared_lines(grid: Dict[str, Any], ranks: int) -> str:
    """A sentence for maps whose lines have several ranks."""
    each = -(-ranks // max(1, len(grid["ranks"])))
    return f"<p>Each row has up to {each} ranks and shows the slowest of them.</p>" if each > 1 else ""


def _table(columns: Sequence[str], rows: Sequence[Tuple[Any, ...]], linked: AbstractSet[int] = frozenset()) -> str:
    """Ranks in `linked` have a page of their own beside this one."""

    def tag(column: str, value: Any) -> str:
        text = html.escape(cell_text(column, value))
        kind = ' class="n"' if not isinstance(value, str) else ' class="long"' if len(value) > LONG else ""
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


def _findings(engine: Any, limits: Limits) -> str:
    sentences = [finding.sentence for finding in _verdict.judge(engine, limits)]
    found = "".join(f"<li>{html.escape(sentence)}</li>" for sentence in sentences)
    notes = "".join(f"<p>{html.escape(note)}</p>" for note in _verdict.notes(engine))
    clear = "".join(f"<p>{html.escape(sentence)}</p>" for sentence in _verdict.all_clear(engine)) if not found else ""
    detection = _verdict.detection_limit(engine, limits)
    return (f"<ul>{found}</ul>" if found else clear) + notes + (f"<p>{html.escape(detection)}</p>" if detection else "")


def write_page(dataset: Dataset, engine: Any, path: str, limits: Limits) -> None:
    """Writes the page. OSError where it cannot be written."""
    name = html.escape(dataset.path.name)
    options = "".join(f'<option value="{view}">{text}</option>' for view, text in CELLS.items())
    ranks = [row[0] for row in engine.run("SELECT DISTINCT rank FROM ranks")[1]]
    linked = {rank for rank in ranks if _rank_pages.rank_page(path, rank).exists()}
    cells = _grid(engine)
    grid = json.dumps({**cells, "linked": sorted(linked)}).replace("<", "\\u003c")
    page = (
        f"<!DOCTYPE html><html lang=en><meta charset=utf-8><meta name=viewport content='width=device-width'><title>{name}</title>"
        f"<style>{STYLE}</style><h1>{name}</h1><p>{html.escape(_verdict.headline(engine))}</p>{_findings(engine, limits)}"
        f"<h2>Steps of all ranks</h2><label>Show <select id=view>{options}</select></label> "
        "<span id=legend>0.8 <i></i> 1.5 times the median of the step</span>"
        f"{_shared_lines(cells, len(ranks))}"
        "<p id=cell aria-live=polite>Point at a step, or focus the map and use the arrow keys.</p>"
        "<div class=map><canvas id=map tabindex=0 role=img "
        "aria-label='time of each step of each rank; the tables below have the sums'></canvas></div>"
        + _section("Ranks that others wait for", engine, "stragglers", linked)
        + _section("Collectives", engine, "collectives", linked)
        + _section("Sends and receives", engine, "waits", linked)
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
:root{color-scheme:light dark;--low:#3b6ec8;--middle:#f0f0f0;--top:#dc5f0a;--none:#999}
@media(prefers-color-scheme:dark){:root{--low:#5a93f5;--middle:#26282b;--top:#ff7a1a;--none:#555}}
body{font:15px/1.45 system-ui,sans-serif;margin:1.5rem;max-width:1500px}
@media(max-width:500px){body{margin:.7rem}ul{padding-left:1.2rem}}
h1{font-size:1.4rem;overflow-wrap:anywhere}h2{font-size:1.1rem;margin-top:2rem}
li{margin:.3rem 0;font-weight:600;overflow-wrap:anywhere}
label{white-space:nowrap;margin-right:.7rem}
#legend{display:inline-block}
#legend i{display:inline-block;width:7rem;height:.8em;background:linear-gradient(90deg,var(--low),var(--middle) 40%,var(--top))}
#cell{position:sticky;top:0;margin:0;padding:.4rem 0;background:Canvas;min-height:1.4em}
.scroll{overflow:auto;max-height:70vh}
.map{overflow-x:auto}
canvas{display:block}
table{border-collapse:collapse}
th,td{padding:.15rem .7rem;text-align:left;border-bottom:1px solid color-mix(in srgb,currentColor 20%,transparent);white-space:nowrap}
th{position:sticky;top:0;background:Canvas}
td.n{text-align:right;font-variant-numeric:tabular-nums}
td.long{white-space:normal;min-width:16rem;overflow-wrap:anywhere}
"""

# A cell's colour is its time over the median of its step, from 0.8 to 1.5. The cells fill the width of the page, the ranks
# about 800 pixels, but no cell is smaller than a pixel.
SCRIPT = """
const canvas=document.getElementById('map'),view=document.getElementById('view'),cell=document.getElementById('cell');
const rows=grid.ranks.length,columns=grid.steps.length,top_=18,high=Math.max(1,Math.min(16,Math.floor(800/Math.max(1,rows))));
let wide=1,left=0,at=[0,0],values,medians;
const unpack=text=>new Float32Array(Uint8Array.from(atob(text),c=>c.charCodeAt(0)).buffer);
const show=us=>us<0?'no such step':us>=1e6?(us/1e6).toPrecision(4)+' s':us>=1e3?(us/1e3).toPrecision(4)+' ms':us.toPrecision(4)+' us';
const tone=name=>{
  const hex=getComputedStyle(document.documentElement).getPropertyValue('--'+name).trim().slice(1);
  const full=hex.length===3?[...hex].map(c=>c+c).join(''):hex;
  return [0,2,4].map(i=>parseInt(full.slice(i,i+2),16));
};
function colours(){
  const low=tone('low'),middle=tone('middle'),high_=tone('top'),none='rgb('+tone('none')+')';
  return ratio=>{
    if(ratio<0)return none;
    const up=ratio>=1,t=Math.min(1,up?(ratio-1)/.5:(1-ratio)/.2),to=up?high_:low;
    return 'rgb('+middle.map((m,i)=>Math.round(m+(to[i]-m)*t))+')';
  };
}
function size(context){
  context.font='12px system-ui,sans-serif';
  left=8+Math.ceil(context.measureText('rank '+(rows?grid.last[rows-1]:'')).width);
  wide=Math.max(1,Math.min(120,Math.floor((canvas.parentNode.clientWidth-left)/Math.max(1,columns))));
  canvas.width=left+columns*wide;canvas.height=top_+rows*high;
  context.font='12px system-ui,sans-serif';
  context.fillStyle=getComputedStyle(document.body).color;
}
function name(r){
  const first=grid.ranks[r],last=grid.last[r];
  return first===last?'rank '+first:'ranks '+first+' to '+last;
}
function axes(context){
  context.textAlign='right';context.textBaseline='middle';
  const every=[1,2,5,10,20,50,100].find(n=>n*high>=18);
  for(let r=0;r<rows;r+=every)context.fillText((r?'':'rank ')+grid.ranks[r],left-6,top_+r*high+Math.max(high/2,6));
  context.textAlign='left';
  const apart=Math.ceil((8+context.measureText(String(grid.steps[columns-1])).width)/wide);
  for(let s=0;s<columns;s+=s?apart:Math.max(apart,Math.ceil(60/wide)))context.fillText((s?'':'step ')+grid.steps[s],left+s*wide,8);
}
function draw(){
  values=unpack(grid[view.value]);medians=new Float32Array(columns);
  const context=canvas.getContext('2d'),colour=colours();
  size(context);axes(context);
  for(let s=0;s<columns;s++){
    const all=[];
    for(let r=0;r<rows;r++){const v=values[r*columns+s];if(v>=0)all.push(v);}
    all.sort((a,b)=>a-b);medians[s]=all.length?all[all.length>>1]:0;
    for(let r=0;r<rows;r++){
      const v=values[r*columns+s];
      context.fillStyle=colour(v<0?-1:medians[s]?v/medians[s]:1);
      context.fillRect(left+s*wide,top_+r*high,wide,high);
    }
  }
}
function tell(r,s){
  if(r<0||s<0||r>=rows||s>=columns)return;
  at=[r,s];
  const v=values[r*columns+s],page=grid.linked.find(n=>n>=grid.ranks[r]&&n<=grid.last[r]);
  const rank=document.createElement(page===undefined?'span':'a');
  rank.textContent=name(r);
  if(page!==undefined)rank.setAttribute('href','rank-'+page+'.html');
  cell.replaceChildren(rank,(grid.hosts[r]?' on '+grid.hosts[r]:'')+', step '+grid.steps[s]+': '+show(v)+
    (v>=0&&medians[s]?', '+(v/medians[s]).toFixed(2)+' of the median '+show(medians[s]):''));
}
canvas.addEventListener('pointermove',e=>tell(Math.floor((e.offsetY-top_)/high),Math.floor((e.offsetX-left)/wide)));
canvas.addEventListener('keydown',e=>{
  const move={ArrowUp:[-1,0],ArrowDown:[1,0],ArrowLeft:[0,-1],ArrowRight:[0,1]}[e.key];
  if(!move)return;
  e.preventDefault();
  tell(Math.max(0,Math.min(rows-1,at[0]+move[0])),Math.max(0,Math.min(columns-1,at[1]+move[1])));
});
view.addEventListener('change',draw);addEventListener('resize',draw);
matchMedia('(prefers-color-scheme:dark)').addEventListener('change',draw);
draw();document.documentElement.dataset.ready='yes';
"""
