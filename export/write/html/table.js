/* table.js - tables that can be sorted and searched.
 *
 *     makeTable({ id, columns, rows, sort, descending, text, page, detail, over })
 *
 * A column is { title, help, number, value(row), show(row) }: values are compared, `show` gives what
 * stands in the cell. null is unknown: it sorts last. `text(row)` is what a search looks at; `detail(row)` is shown
 * below a row that is opened, `over(row)` is called for the row under the pointer, and with null after it.
 */

const PAGE_ROWS = 20;
const tables = []; /* all of them: the search of the page is in each */

function compareValues(left, right) {
  const noLeft = left === null || left === undefined, noRight = right === null || right === undefined;
  if (noLeft || noRight) return noLeft && noRight ? 0 : null;
  return typeof left === "number" ? left - right : String(left).localeCompare(String(right));
}

function sorted(rows, column, descending) {
  const keyed = rows.map((row, index) => ({ row, index, value: column.value(row) }));
  keyed.sort((a, b) => {
    const order = compareValues(a.value, b.value);
    if (order === null) return a.value === null || a.value === undefined ? 1 : -1;
    return (descending ? -order : order) || a.index - b.index;
  });
  return keyed.map((item) => item.row);
}

class Table {
  /* `listed`: the search of the page is in it, too. */
  constructor(wanted, listed = true) {
    Object.assign(this, { page: PAGE_ROWS, keep: () => true, query: "" }, wanted);
    this.shown = this.page;
    this.build();
    this.draw();
    if (listed) tables.push(this);
  }

  build() {
    this.search = el("input", { type: "search", name: this.id + "-search", placeholder: "Search", "aria-label": "Search " + this.id,
                                oninput: () => this.find(this.search.value) });
    this.status = el("span", { class: "status", role: "status" });
    this.more = el("button", { type: "button", class: "more", onclick: () => this.showMore() });
    this.heads = this.columns.map((column, index) => this.head(column, index));
    this.body = el("tbody");
    const table = el("table", { id: this.id }, el("thead", null, el("tr", null, this.heads)), this.body);
    this.node = el("div", { class: "table", onunfold: () => this.unfold(), onfold: () => this.fold() },
                   el("div", { class: "bar" }, this.tools, this.search, this.status),
                   el("div", { class: "scroll" }, table), this.more);
  }

  head(column, index) {
    const button = el("button", { type: "button", title: column.help, onclick: () => this.sortBy(index) },
                      column.title);
    return el("th", { scope: "col", class: (column.number ? "number " : "") + (column.class || "") },
              el("div", null, column.value ? button : column.title, column.whole && wholeRun()));
  }

  sortBy(index) {
    const same = this.sort === index;
    this.descending = same ? !this.descending : Boolean(this.columns[index].number);
    this.sort = index;
    this.draw();
  }

  find(query) {
    this.query = query.toLowerCase();
    this.shown = this.page;
    this.draw();
  }

  filter(keep) {
    this.keep = keep;
    this.shown = this.page;
    this.draw();
  }

  setRows(rows) {
    this.rows = rows;
    this.shown = this.page;
    this.draw();
  }

  /* All rows, for paper; fold() is as it was. */
  unfold() {
    this.folded = this.shown;
    this.shown = Infinity;
    this.draw();
  }

  fold() {
    this.shown = this.folded;
    this.draw();
  }

  reveal(query) {
    this.search.value = query;
    this.keep = () => true;
    this.find(query);
  }

  showMore() {
    this.shown = this.shown + 10 * this.page;
    this.draw();
  }

  draw() {
    const kept = this.rows.filter(this.keep);
    const found = this.query ? kept.filter((row) => this.text(row).toLowerCase().includes(this.query)) : kept;
    const rows = sorted(found, this.columns[this.sort], this.descending);
    this.heads.forEach((head, index) => {
      if (index === this.sort) head.setAttribute("aria-sort", this.descending ? "descending" : "ascending");
      else head.removeAttribute("aria-sort");
    });
    clear(this.body).append(...rows.slice(0, this.shown).map((row) => this.row(row)));
    if (!rows.length)
      this.body.append(el("tr", null, el("td", { colspan: this.columns.length, class: "none" },
                                         this.query ? "Nothing matches." : "None.")));
    this.status.textContent = rows.length > this.shown || this.query
      ? count(Math.min(this.shown, rows.length)) + " of " + count(this.query ? kept.length : rows.length)
      : count(rows.length) + (rows.length === 1 ? " row" : " rows");
    this.more.textContent = count(Math.max(0, rows.length - this.shown)) + " more";
    this.more.hidden = rows.length <= this.shown;
  }

  row(row) {
    const cells = this.columns.map((column) =>
      el("td", { class: (column.number ? "number " : "") + (column.number && column.value(row) === 0 ? "zero " : "") +
                        (column.class || "") }, column.show(row)));
    const node = el("tr", null, cells);
    row.node = node;
    if (this.detail) cells[0].prepend(this.opener(row, node));
    if (this.over) {
      node.addEventListener("pointerenter", () => this.over(row));
      node.addEventListener("pointerleave", () => this.over(null));
    }
    return node;
  }

  /* A button that shows and hides what else is known of a row. */
  opener(row, node) {
    let opened = null;
    const button = el("button", { type: "button", class: "opener", "aria-expanded": "false", "aria-label": "About " + this.text(row).slice(0, 200), onclick: () => {
      if (opened) opened.remove();
      opened = opened ? null : el("tr", { class: "opened" }, el("td", { colspan: this.columns.length }, this.detail(row)));
      if (opened) node.after(opened);
      button.setAttribute("aria-expanded", String(Boolean(opened)));
    } });
    return button;
  }
}

function makeTable(wanted) {
  return new Table(wanted);
}

/* One that makes way for another of its id. */
function forgetTable(id) {
  const at = tables.findIndex((table) => table.id === id);
  if (at >= 0) tables.splice(at, 1);
}

/* Leads to the rows of a name, where the page has any. */
function rowLink(name) {
  const table = tables.find((one) => one.id === "rows-table");
  if (!table || !table.rows.some((row) => row.name === name)) return null;
  return el("button", { type: "button", class: "link", onclick: () => {
    table.reveal(name);
    table.node.scrollIntoView();
  } }, "Show the row in the table");
}

/* A number with a bar under it that shows it as a part of the whole. */
function meter(text, part, whole) {
  const bar = el("span", { class: "fill" });
  bar.style.width = whole > 0 ? Math.min(100, (100 * part) / whole).toFixed(1) + "%" : "0";
  return el("span", { class: "meter" }, text, el("span", { class: "track" }, bar));
}
