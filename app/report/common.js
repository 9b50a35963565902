// SPDX-License-Identifier: Apache-2.0
// Shared by all reports: elements, numbers, tables.
'use strict';

const data = JSON.parse(document.getElementById('data').textContent);
const report = document.getElementById('report');

/** An element with properties and children (elements or text). */
function el(tag, properties, ...children) {
  const e = document.createElement(tag);
  for (const [key, value] of Object.entries(properties || {})) {
    if (key === 'style') Object.assign(e.style, value);
    else e[key] = value;
  }
  e.append(...children.filter((c) => c !== null && c !== undefined));
  return e;
}

/** Text whose numbers do not break at the end of a line: neither between groups of digits nor before
 * their unit. */
const typeset = (words) => words.replace(/(\d) (?=\d{3}(?!\d))/g, '$1\u202f')
    .replace(/(\d) (?=(?:%|[kMGTP]|[kMGTPµnp]?(?:B|J|W|s|Hz)|GB\/s)(?![A-Za-z]))/g, '$1\u00a0');

/** Text that can break inside names: after a dot, an underscore and similar characters. */
const breakable = (words) => words.split(/(?<=[._\/:=,])(?=[A-Za-z%[])/).flatMap((part, i) => (i ? [el('wbr'), part] : [part]));

/** A hint at what the pointer does. It is not printed. */
const hint = (words) => el('span', {className: 'hint'}, words);

/** A note: text and hints. */
const noteOf = (...parts) => el('p', {className: 'note'}, ...parts.flat().map((p) => (typeof p === 'string' ? typeset(p) : p)));

function section(title, note, ...children) {
  const s = el('section', {}, el('h2', {}, title));
  if (note) s.append(noteOf(note));
  s.append(...children);
  report.append(s);
  return s;
}

/** A panel. Print keeps it on one page, unless its table is longer than a page; then it breaks
 * between rows. */
function panel(title, note, ...children) {
  const long = children.some((c) => c instanceof Element && c.querySelectorAll('tr').length > 40);
  const p = el('div', {className: long ? 'panel long' : 'panel'});
  if (title) p.append(el('h3', {}, title));
  if (note) p.append(noteOf(note));
  p.append(...children);
  return p;
}

const isNumber = (v) => typeof v === 'number' && Number.isFinite(v);
const isObject = (v) => v !== null && typeof v === 'object' && !Array.isArray(v);

const digitGroups = new Intl.NumberFormat('en');
const groupDigits = (v) => (Math.abs(v) < 1000 ? String(v) : digitGroups.format(v).replace(/,/g, '\u202f'));

/** About three digits for fractions, all digits (grouped) for whole numbers. */
function number(v) {
  if (!isNumber(v)) return v === null || v === undefined ? '–' : String(v);
  if (Number.isInteger(v)) return groupDigits(v);
  const size = Math.abs(v);
  if (size >= 1000) return groupDigits(Math.round(v));
  return size >= 100 ? v.toFixed(0) : size >= 0.001 ? String(Number(v.toPrecision(3)))
                                                     : v.toExponential(2);
}

function scaled(v, units, step) {
  let i = 0;
  while (Math.abs(v) >= step && i + 1 < units.length) {
    v /= step;
    ++i;
  }
  return [number(Number(v.toPrecision(3))), units[i]];
}
const bytes = (v) => scaled(v, ['B', 'kB', 'MB', 'GB', 'TB'], 1000).join(' ');
const time = (ns) => scaled(ns, ['ns', 'µs', 'ms', 's'], 1000).join(' ');
const joules = (j) => scaled(j * 1e12, ['pJ', 'nJ', 'µJ', 'mJ', 'J', 'kJ'], 1000).join(' ');
const percent = (v) => (isNumber(v) ? number(Number((v * 100).toPrecision(3))) + ' %' : '–');

const sum = (values) => values.reduce((a, b) => a + b, 0);

/** "system.gpu0.llc12" becomes "gpu0.llc12", because "system." is a prefix of every name. */
const shortName = (module) => module.replace(/^system\./, '');

/** `columns`: [{title, number, name, soft, long, words, choose}]; a cell of a `long` or `words` column
 * keeps a width for its text, and a cell of a column with `choose` is a button that
 * calls it with the cell's text. `rows`: arrays of cells (text or {text, className}), with an optional
 * className of the row. */
function table(columns, rows) {
  const head = el('tr');
  for (const c of columns) head.append(el('th', {className: c.number ? 'number' : ''}, c.title));
  const body = el('tbody');
  for (const row of rows) {
    const tr = el('tr', {className: row.className || ''});
    row.forEach((cell, i) => {
      const c = columns[i];
      const kind = (c.number ? 'number' : c.name ? 'name' : c.soft ? 'soft' : '') + (c.long ? ' long' : c.words ? ' words' : '');
      if (c.choose) tr.append(el('td', {}, el('button', {type: 'button', className: 'pick', onclick: () => c.choose(cell)}, cell)));
      else if (cell instanceof Node) tr.append(el('td', {className: kind}, cell));
      else if (isObject(cell)) tr.append(el('td', {className: kind + ' ' + cell.className}, cell.text));
      else tr.append(el('td', {className: kind}, ...breakable(typeset(String(cell ?? '')))));
    });
    body.append(tr);
  }
  return el('div', {className: 'scroll'}, el('table', {}, el('thead', {}, head), body));
}

/** A table with a search box. `rowsOf(toggle)` returns [[cells], ...]; a row matches if it contains
 * every word. At most `limit` rows are shown. */
function searchTable(columns, rowsOf, toggleText, placeholder, limit = 1000) {
  const input = el('input', {type: 'search', placeholder});
  const toggle = el('input', {type: 'checkbox'});
  const count = el('span', {className: 'count'});
  const place = el('div');
  const bar = el('div', {className: 'search'}, input);
  if (toggleText) bar.append(el('label', {}, toggle, ' ' + toggleText));
  bar.append(count);
  const show = () => {
    const words = input.value.toLowerCase().split(/\s+/).filter((w) => w);
    const all = rowsOf(toggle.checked);
    const rows = all.filter((row) => {
      const text = row.map((c) => (isObject(c) ? c.text : c)).join(' ').toLowerCase();
      return words.every((w) => text.includes(w));
    });
    place.replaceChildren(table(columns, rows.slice(0, limit)));
    count.textContent = rows.length > limit
      ? `${limit} of ${number(rows.length)} shown; search to narrow`
      : `${number(rows.length)} of ${number(all.length)}`;
  };
  input.addEventListener('input', show);
  toggle.addEventListener('change', show);
  show();
  return el('div', {}, bar, place);
}

/** The lines of an explanation, if the document has them: at the top of a report, below its heading. */
function explanation(lines) {
  if (!Array.isArray(lines) || !lines.length) return;
  report.append(el('div', {className: 'panel explanation'}, ...lines.map((line) => el('p', {}, typeset(line)))));
}

/** Nested objects as [path, value] pairs. */
function flatten(value, path, out) {
  if (isObject(value)) {
    for (const [k, v] of Object.entries(value)) flatten(v, path ? path + '.' + k : k, out);
  } else {
    out.push([path, value]);
  }
  return out;
}

function finish() {
  report.append(el('footer', {}, 'Made by Tessera. Charts: D3 (BSD licence, © Michael Bostock), inside this file.'));
  drawCharts();
}
