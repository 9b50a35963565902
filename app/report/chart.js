// SPDX-License-Identifier: Apache-2.0
// Common parts of all charts: panel with downloads, styles (colour, dash, marker, hatch), axes,
// legend and tips. Charts are SVG, because it can be downloaded unchanged and printed at any size.

function svg(tag, attributes, ...children) {
  const e = document.createElementNS('http://www.w3.org/2000/svg', tag);
  for (const [key, value] of Object.entries(attributes || {})) {
    if (value !== null && value !== undefined) e.setAttribute(key, value);
  }
  e.append(...children.filter((c) => c !== null && c !== undefined));
  return e;
}

const seriesColours = 8;
const colourOf = (i) => `var(--series-${i % seriesColours})`;
/** Lines that reuse a colour are dashed; lines of the paper's values are dotted. */
const dashOf = (i, paper) => (paper ? '1.5 4' : i >= 2 * seriesColours ? '2 3' : i >= seriesColours ? '7 4' : null);

const ruler = document.createElement('canvas').getContext('2d');
const fontSize = 12;

function textWidth(text) {
  ruler.font = `${fontSize}px ${getComputedStyle(document.body).fontFamily}`;
  return ruler.measureText(text).width;
}

const text = (x, y, words, attributes) => svg('text', {x: x.toFixed(1), y: y.toFixed(1), ...attributes}, words);

const shapes = ['circle', 'square', 'triangle-up', 'diamond', 'triangle-down', 'cross'];

/** The marker of a point. Series have different shapes, so that they do not depend on colour.
 * `hollow`: for the paper's values. */
function marker(x, y, i, hollow) {
  return svg('path', {d: d3.svg.symbol().type(shapes[i % shapes.length]).size(34)(), 'class': 'marker',
    transform: `translate(${x.toFixed(1)},${y.toFixed(1)})`,
    style: `fill:${hollow ? 'var(--panel)' : colourOf(i)};stroke:${colourOf(i)}`});
}

/** Hatches of bars by series: none, slanted, horizontal, vertical, crossed, dotted. */
const hatches = [null, 'M0,8L8,0', 'M0,0L8,8', 'M0,4H8', 'M4,0V8', 'M0,8L8,0M0,0L8,8', 'M2,2h2v2h-2z', 'M0,4H8M4,0V8'];

/** The fill of series `i`; adds its hatch to `defs` once. */
function fillOf(defs, i) {
  const d = hatches[i % hatches.length];
  if (!d) return colourOf(i);
  const id = `${defs.id}-${i}`;
  if (![...defs.children].some((p) => p.id === id)) {
    defs.append(svg('pattern', {id, width: 8, height: 8, patternUnits: 'userSpaceOnUse'},
        svg('rect', {width: 8, height: 8, style: `fill:${colourOf(i)}`}),
        svg('path', {d, style: 'stroke:var(--panel);stroke-width:1.1;fill:none'})));
  }
  return `url(#${id})`;
}

/** A linear scale that begins and ends at round numbers; with `fixed` it ends at `max`. */
function linear(min, max, about, fixed) {
  const scale = d3.scale.linear().domain([min, max > min ? max : min + 1]);
  return {scale: fixed ? scale : scale.nice(about), ticks: scale.ticks(about)};
}

/** A logarithmic scale over whole powers of ten around the values above 0, with about `about` ticks
 * at most. */
function logarithmic(values, about) {
  const positive = values.filter((v) => v > 0);
  const [min, max] = positive.length ? [Math.min(...positive), Math.max(...positive)] : [1, 10];
  const scale = d3.scale.log().domain([min, Math.max(max, min * 10)]).nice();
  const decades = scale.ticks().filter((v) => Number.isInteger(Math.round(Math.log10(v) * 1e9) / 1e9));
  const every = Math.ceil(decades.length / about);
  return {scale, ticks: decades.filter((_, i) => i % every === 0)};
}

/** Text of an axis number. */
const tickText = (v) => (Math.abs(v) >= 1e4 ? scaled(v, ['', 'k', 'M', 'G', 'T'], 1000).join('') : number(v));

let chartCount = 0;

/** An empty picture. The tip shows the `data-tip` of the element under the pointer. */
function picture(width, height, title) {
  const defs = svg('defs', {id: `chart${++chartCount}`});
  const root = svg('svg', {viewBox: `0 0 ${Math.round(width)} ${Math.round(height)}`, width: Math.round(width),
    height: Math.round(height), role: 'img', 'aria-label': title}, defs);
  return {root, defs};
}

/** Legend: names with their marks in one or more rows. `items`: [{name, mark: (x, y) => element,
 * off, click}]. Returns the height. */
function legend(root, items, width, top) {
  let x = 0;
  let y = top + 8;
  for (const item of items) {
    const wide = 24 + textWidth(item.name) + 14;
    if (x > 0 && x + wide > width) {
      x = 0;
      y += 19;
    }
    const g = svg('g', {'class': 'legend' + (item.off ? ' off' : '')}, item.mark(x, y),
        text(x + 24, y + 4, item.name, {'class': 'name'}));
    if (item.click) {
      g.setAttribute('role', 'button');
      g.setAttribute('tabindex', 0);
      g.addEventListener('click', item.click);
      g.addEventListener('keydown', (e) => {
        if (e.key !== 'Enter' && e.key !== ' ') return;
        e.preventDefault();
        item.click();
      });
    }
    root.append(g);
    x += wide;
  }
  return items.length ? y + 16 - top : 0;
}

const charts = [];

/** A chart that needs more than the given width has a scroll bar of its own. */
function drawChart(c, width) {
  if (!(width > 0)) return;
  c.width = width;
  const needed = Math.max(width, c.least);
  const root = c.draw(needed, () => drawChart(c, c.width), width);
  if (needed > width) root.style.minWidth = `${needed}px`;
  c.box.classList.toggle('wide', needed > width);
  c.box.replaceChildren(root);
}

/**
 * A panel with a chart. `draw(width, again, visible)` returns its SVG; `again()` redraws it; `visible`:
 * the width without a scroll bar. `csv()` returns its numbers as rows; the first row is the heading.
 * `least`: the width that its marks need.
 */
function chart(title, note, draw, csv, least = 200) {
  const box = el('div', {className: 'plot'});
  charts.push({box, draw, least, width: 0});
  const p = panel(null, note, box);
  const button = (kind, save) => el('button', {type: 'button', title: `Download this chart as ${kind}`, onclick: save}, kind);
  p.prepend(el('div', {className: 'head'}, el('h3', {}, title), el('div', {className: 'downloads'},
      button('SVG', () => download(title, 'svg', svgText(box.querySelector('svg'), title))),
      button('CSV', () => download(title, 'csv', csvText(csv()))))));
  return p;
}

/** Adds the numbers of a chart as a table below it. `csv()`: as in chart(). */
function withTable(p, csv) {
  const [heads, ...rows] = csv();
  const columns = heads.map((title, i) => ({title, number: rows.some((r) => isNumber(r[i]))}));
  p.append(el('details', {className: 'numbers'}, el('summary', {}, 'Table'),
      table(columns, rows.map((r) => r.map((v) => (isNumber(v) ? number(v) : v === null || v === undefined ? '–' : v))))));
  return p;
}

/** A chart with its table. */
const chartWithTable = (title, note, draw, csv) => withTable(chart(title, note, draw, csv), csv);

function drawCharts() {
  const seen = new ResizeObserver((entries) => {
    for (const e of entries) {
      const c = charts.find((one) => one.box === e.target);
      if (Math.abs(e.contentRect.width - c.width) > 1) drawChart(c, e.contentRect.width);
    }
  });
  for (const c of charts) {
    drawChart(c, c.box.clientWidth);
    seen.observe(c.box);
  }
  // The width of a page does not depend on the window. A panel without neighbours has the whole width.
  window.addEventListener('beforeprint', () => {
    for (const c of charts) c.box.replaceChildren(c.draw(c.box.closest('.row > :not(:only-child)') ? 460 : 940, () => {}));
  });
  window.addEventListener('afterprint', () => {
    for (const c of charts) drawChart(c, c.box.clientWidth);
  });
  showTips();
}

function showTips() {
  const tip = el('div', {className: 'tip', hidden: true});
  document.body.append(tip);
  document.addEventListener('pointermove', (e) => {
    const at = e.target.closest ? e.target.closest('[data-tip]') : null;
    tip.hidden = !at || !at.getAttribute('data-tip');
    if (tip.hidden) return;
    tip.textContent = at.getAttribute('data-tip');
    const x = Math.min(e.clientX + 14, innerWidth - tip.offsetWidth - 8);
    const y = e.clientY + 14 + tip.offsetHeight > innerHeight ? e.clientY - tip.offsetHeight - 10 : e.clientY + 14;
    tip.style.left = Math.max(4, x) + 'px';
    tip.style.top = y + 'px';
  });
}
