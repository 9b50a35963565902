// SPDX-License-Identifier: Apache-2.0
// L1 misses by the place of the SM and of the line's home: partitions, modules and GPUs.

/** The matrix of derived.misses_by_home with the nodes joined to those of a level ("gpu", "module",
 * "partition"): {from, to, cells}. Null if the nodes have no such level, or one node of it. */
function missesAt(level) {
  const {from, to, misses} = derived.misses_by_home;
  const nodeOf = (name) => {
    const parts = shortName(name).split('.');
    const last = parts.findIndex((p) => p.replace(/\d+$/, '') === level);
    return last < 0 ? null : parts.slice(0, last + 1).join('.');
  };
  const names = (all) => [...new Set(all.map(nodeOf))];
  const [rows, columns] = [names(from), names(to)];
  if (columns.length < 2 || rows.includes(null) || columns.includes(null)) return null;
  const cells = rows.map(() => columns.map(() => 0));
  from.forEach((f, i) => to.forEach((t, k) => { cells[rows.indexOf(nodeOf(f))][columns.indexOf(nodeOf(t))] += misses[i][k]; }));
  return {from: rows, to: columns, cells};
}

/** A matrix whose cells are squares; those of the diagonal have an edge. Numbers where they fit. */
function drawPlaces(m, level, title) {
  return (width) => {
    const {root} = picture(width, 10, title);
    const oneGpu = [...m.from, ...m.to].every((n) => n.startsWith('gpu0.'));
    const labels = (names) => names.map((n) => (oneGpu ? n.slice(5) : n).replace(/module(\d+)/, 'm$1').replace(/gpu(\d+)\./, 'g$1.').replace(/partition/, 'p'));
    const [rows, columns] = [labels(m.from), labels(m.to)];
    const left = Math.max(...rows.map(textWidth)) + 26;
    const slot = Math.max(4, Math.min(56, 700 / columns.length, (width - left - 4) / columns.length));
    const all = m.cells.flat();
    const most = Math.max(1, ...all);
    const total = sum(all);
    const every = Math.max(1, Math.ceil(15 / slot));
    const columnsEvery = Math.max(1, Math.ceil((Math.max(...columns.map(textWidth)) + 6) / slot));
    root.append(text(left + slot * columns.length / 2, 11, `${level} of the line\u2019s home`, {'class': 'middle'}));
    const top = 34;
    const middle = top + slot * rows.length / 2;
    root.append(text(11, middle, rows.length * slot > 80 ? `${level} of the SM` : 'SM', {'class': 'middle', transform: `rotate(-90 11 ${middle.toFixed(1)})`}));
    columns.forEach((name, c) => {
      if (c % columnsEvery === 0) root.append(text(left + slot * (c + 0.5), top - 6, name, {'class': 'middle'}));
    });
    m.cells.forEach((row, r) => {
      const y = top + r * slot;
      if (r % every === 0) root.append(text(left - 6, y + slot / 2 + 4, rows[r], {'class': 'end'}));
      row.forEach((n, c) => {
        const own = m.from[r] === m.to[c];
        root.append(svg('rect', {x: (left + slot * c).toFixed(1), y: y.toFixed(1), width: (slot - 1).toFixed(1), height: (slot - 1).toFixed(1),
          'class': own ? 'cell place own' : 'cell place', style: `fill-opacity:${(n ? 0.06 + 0.64 * n / most : 0).toFixed(3)}`,
          'data-tip': `${m.from[r]} to ${m.to[c]}: ${number(n)} misses, ${percent(n / total)}`}));
        const words = tickText(n);
        if (slot > 22 && textWidth(words) + 4 < slot) root.append(text(left + slot * (c + 0.5), y + slot / 2 + 4, words, {'class': 'middle name'}));
      });
    });
    const end = top + slot * rows.length + 4;
    root.setAttribute('viewBox', `0 0 ${Math.round(width)} ${Math.round(end)}`);
    root.setAttribute('height', Math.round(end));
    return root;
  };
}

function places() {
  if (!isObject(derived.misses_by_home)) return;
  const panels = ['gpu', 'module', 'partition'].map((level) => {
    const m = missesAt(level);
    if (!m) return null;
    const total = sum(m.cells.flat());
    const own = sum(m.cells.map((row, r) => sum(row.filter((_, c) => m.from[r] === m.to[c]))));
    const kind = level === 'gpu' ? 'GPU' : level;
    const title = `Misses by ${kind}`;
    const note = `L1 misses from the SMs of a row to the homes of a column: ${percent(own / total)} of ${number(total)} have their home in the ` +
      `SM\u2019s own ${kind}, the cells with an edge. The stronger the colour, the more misses, at most ${number(Math.max(...m.cells.flat()))} in a cell.`;
    const csv = () => [['SM', ...m.to.map((t) => `home ${t}`)], ...m.cells.map((row, r) => [m.from[r], ...row])];
    return total ? chartWithTable(title, note, drawPlaces(m, kind, title), csv) : null;
  }).filter((p) => p);
  if (panels.length) section('Misses by source and home', null, el('div', {className: 'row loose'}, ...panels));
}
