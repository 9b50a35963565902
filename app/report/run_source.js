// SPDX-License-Identifier: Apache-2.0
// The profile of a run (--profile): lines of source, instructions, arrays, and pages by who touches them.

/** A cell with a number and a bar of `share` (0 to 1) below it. */
function barCell(words, share) {
  const width = `${(100 * Math.max(0, Math.min(1, share || 0))).toFixed(2)}%`;
  return el('span', {className: 'bar-cell'}, words, el('span', {className: 'bar-track'}, el('span', {className: 'bar-fill', style: {width}})));
}

/** A table whose rows a click on a heading sorts. `columns`: [{title, value(row), cell(row), number, name,
 * long}]; `cell` is text or an element, by default the value. */
function sortedTable(columns, rows, first) {
  const place = el('div');
  const state = {column: first, down: true};
  const show = () => {
    const {value} = columns[state.column];
    const order = [...rows].sort((a, b) => {
      const [x, y] = [value(a), value(b)];
      const by = isNumber(x) && isNumber(y) ? x - y : String(x).localeCompare(String(y), 'en', {numeric: true});
      return state.down ? -by : by;
    });
    const shown = table(columns, order.map((row) => columns.map((c) => (c.cell ? c.cell(row) : isNumber(c.value(row)) ? number(c.value(row)) : c.value(row)))));
    [...shown.querySelectorAll('th')].forEach((th, i) => {
      const sorted = i === state.column;
      th.setAttribute('aria-sort', !sorted ? 'none' : state.down ? 'descending' : 'ascending');
      th.replaceChildren(el('button', {type: 'button', className: 'sort', onclick: () => {
        state.down = sorted ? !state.down : Boolean(columns[i].number);
        state.column = i;
        show();
      }}, columns[i].title, el('span', {className: 'arrow'}, sorted ? (state.down ? ' ▼' : ' ▲') : '')));
    });
    place.replaceChildren(shown);
  };
  show();
  return place;
}

const lastPart = (path) => path.replace(/^.*\//, '');

function lineColumns(most) {
  const all = (l) => l.load_misses + l.writes;
  return [{title: 'line', name: true, value: (l) => lastPart(l.place)},
    {title: 'code', name: true, long: true, value: (l) => l.text},
    {title: 'kernel', name: true, value: (l) => l.kernel},
    {title: 'stalled', number: true, value: (l) => l.stall_cycles, cell: (l) => barCell(percent(l.stall.share), l.stall.share)},
    {title: 'traffic', number: true, value: (l) => l.traffic_bytes, cell: (l) => barCell(bytes(l.traffic_bytes), l.traffic_bytes / most)},
    {title: 'warp accesses', number: true, value: (l) => l.warp_accesses},
    {title: 'lines', number: true, value: (l) => l.lines},
    {title: 'coalesced', number: true, value: (l) => l.coalescing.share, cell: (l) => percent(l.coalescing.share)},
    {title: 'L1 hits', number: true, value: (l) => l.load_hits},
    {title: 'merges', number: true, value: (l) => l.load_merges},
    {title: 'misses', number: true, value: (l) => l.load_misses},
    {title: 'writes', number: true, value: (l) => l.writes},
    {title: 'remote', number: true, value: (l) => (all(l) ? l.remote / all(l) : 0), cell: (l) => (all(l) ? percent(l.remote / all(l)) : '–')},
    {title: 'miss latency, cycles', number: true, value: (l) => l.miss_latency, cell: (l) => (l.miss_latency ? number(l.miss_latency) : '–')}];
}

function arrayColumns() {
  const all = (a) => a.load_misses + a.stores + a.atomics;
  return [{title: 'array', name: true, value: (a) => a.name || 'unknown'},
    {title: 'size', number: true, value: (a) => a.bytes, cell: (a) => bytes(a.bytes)},
    {title: 'missed bytes', number: true, value: (a) => a.missed_bytes, cell: (a) => barCell(bytes(a.missed_bytes), a.missed.share)},
    {title: 'loads', number: true, value: (a) => a.loads},
    {title: 'stores', number: true, value: (a) => a.stores},
    {title: 'atomics', number: true, value: (a) => a.atomics},
    {title: 'misses', number: true, value: (a) => a.load_misses},
    {title: 'remote', number: true, value: (a) => (all(a) ? a.remote / all(a) : 0), cell: (a) => (all(a) ? percent(a.remote / all(a)) : '–')},
    {title: 'miss latency, cycles', number: true, value: (a) => a.miss_latency, cell: (a) => (a.miss_latency ? number(a.miss_latency) : '–')}];
}

/** The pages of an array in at most `most` groups of equally many page numbers: [{from, to, touches, homes}];
 * `homes`: pages of the group by the toucher that is their home. */
function pageGroups(pages, touchers, most) {
  const last = Math.max(...pages.map((p) => p.page));
  const first = Math.min(...pages.map((p) => p.page));
  const size = Math.ceil((last - first + 1) / most);
  const groups = d3.range(Math.ceil((last - first + 1) / size)).map((i) => ({from: first + i * size, to: Math.min(last, first + (i + 1) * size - 1),
    touches: touchers.map(() => 0), homes: touchers.map(() => 0)}));
  for (const p of pages) {
    const g = groups[Math.floor((p.page - first) / size)];
    p.touches.forEach((n, t) => { g.touches[t] += n; });
    const home = touchers.indexOf(p.home_node);
    if (home >= 0) ++g.homes[home];
  }
  return groups;
}

function drawPages(pages, touchers, title) {
  return (width) => {
    const {root} = picture(width, 10, title);
    const oneGpu = touchers.every((n) => n.startsWith('system.gpu0.'));
    const names = touchers.map((n) => (oneGpu ? n.slice(12) : shortName(n)));
    const left = Math.max(...names.map(textWidth)) + 26;
    const groups = pageGroups(pages, touchers, Math.max(1, Math.floor((width - left - 4) / 5)));
    const slot = Math.min(28, (width - left - 4) / groups.length);
    const high = touchers.length > 16 ? 10 : 18;
    const most = Math.max(1, ...groups.flatMap((g) => g.touches));
    const every = Math.ceil(14 / high);
    const top = 4;
    touchers.forEach((name, t) => {
      if (t % every === 0) root.append(text(left - 6, top + high * t + high / 2 + 4, names[t], {'class': 'end'}));
      groups.forEach((g, i) => {
        const n = g.touches[t];
        const home = g.homes[t] > 0;
        const range = g.from === g.to ? `page ${number(g.from)}` : `pages ${number(g.from)} to ${number(g.to)}`;
        const x = left + slot * i;
        root.append(svg('rect', {x: x.toFixed(1), y: top + high * t, width: Math.max(1, slot - 1).toFixed(1), height: high - 1,
          'class': 'cell page', style: `fill-opacity:${(n ? 0.08 + 0.72 * n / most : 0).toFixed(3)}`,
          'data-tip': `${range}, ${shortName(name)}\n${number(n)} accesses` + (home ? `\nhome of ${number(g.homes[t])}` : '')}));
        if (home) {
          root.append(svg('rect', {x: x.toFixed(1), y: top + high * (t + 1) - 4, width: Math.max(1, slot - 1).toFixed(1), height: 3, 'class': 'home'}));
        }
      });
    });
    const bottom = top + high * touchers.length;
    const middle = (top + bottom) / 2;
    root.append(text(11, middle, touchers.length > 3 ? 'accessed by' : '', {'class': 'middle', transform: `rotate(-90 11 ${middle.toFixed(1)})`}));
    const labelEvery = Math.max(1, Math.ceil(56 / slot));
    groups.forEach((g, i) => {
      if (i % labelEvery === 0) root.append(text(left + slot * (i + 0.5), bottom + 15, tickText(g.from), {'class': 'middle'}));
    });
    root.append(text(left + slot * groups.length / 2, bottom + 33, 'page of the array', {'class': 'middle'}));
    const end = bottom + 40;
    root.setAttribute('viewBox', `0 0 ${Math.round(width)} ${Math.round(end)}`);
    root.setAttribute('height', Math.round(end));
    return root;
  };
}

const counted = (n, what) => `${number(n)} ${what}${n === 1 ? '' : 's'}`;

const mostPageCharts = 8;

function pagePanels(profile) {
  const arrays = new Map();
  for (const p of profile.pages.list) {
    if (!arrays.has(p.array)) arrays.set(p.array, []);
    arrays.get(p.array).push(p);
  }
  const touches = (pages) => sum(pages.map((p) => sum(p.touches)));
  return [...arrays].sort((a, b) => touches(b[1]) - touches(a[1])).slice(0, mostPageCharts).map(([name, pages]) => {
    const title = `Pages of ${name || 'no array'}`;
    const homes = pages.filter((p) => p.home_node !== null);
    const own = sum(homes.map((p) => p.touches[profile.touchers.indexOf(p.home_node)] || 0));
    const note = `${number(touches(pages))} accesses by line to ${counted(pages.length, 'page')} of ${number(profile.page_bytes)} bytes. ` +
      (homes.length ? `The line below a cell marks the home; ${percent(own / touches(homes))} of the accesses come from there.`
        : 'A page is spread over several channels and has no home of its own.');
    const csv = () => [['page', 'home', 'node of the home', ...profile.touchers.map((t) => `accesses of ${shortName(t)}`)],
      ...pages.map((p) => [p.page, p.home, p.home_node === null ? null : shortName(p.home_node), ...p.touches])];
    return chartWithTable(title, note, drawPages(pages, profile.touchers, title), csv);
  });
}

function sources() {
  const {profile} = stats;
  if (!isObject(profile)) return;
  const {lines, arrays} = data.profile;
  const most = Math.max(1, ...lines.map((l) => l.traffic_bytes));
  const known = lines.some((l) => l.is_source);
  const s = section('Source', 'Traffic: bytes that misses fetched, and that stores and atomics wrote. Stalled: the share of the time in ' +
      'which no warp of an SM could issue, by the load that ended it. Coalesced: useful bytes of the requested lines\u2019 bytes. Remote: misses ' +
      'and writes that went to the memory of another node.',
      panel(known ? 'Lines of source' : 'Lines of PTX', known ? null : 'The PTX has no .loc: compile with -lineinfo to see lines of CUDA.',
          sortedTable(lineColumns(most), lines, 3)),
      panel('Arrays', null, sortedTable(arrayColumns(), arrays, 2)));
  s.id = 'source';
  s.classList.add('dense');
  const panels = pagePanels(profile);
  if (panels.length) {
    const shown = profile.pages.list.length;
    s.append(el('p', {className: 'note'}, shown < profile.pages.touched
      ? `The ${counted(shown, 'page')} with the most accesses, of ${number(profile.pages.touched)}.` : `All pages that were accessed: ${number(shown)}.`),
    el('div', {className: 'row loose'}, ...panels));
  }
}
