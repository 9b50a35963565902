// SPDX-License-Identifier: Apache-2.0
// What the cores and GPUs of a virtual platform did over simulated time, and a table of the cores.

const timelineLooks = {executing: 0, stopped: 6, faults: 3, detail: 0, kernels: [1, 2, 5, 7],
  accessing: 4, interrupts: 3, exceptions: 5, doorbells: 2};
const coreStates = [['executing_ns', 'executing', timelineLooks.executing], ['accessing_ns', 'accessing devices', timelineLooks.accessing],
  ['waiting_ns', 'waiting in WFI', null],   ['stopped_ns', 'stopped', timelineLooks.stopped]];
const markKinds = ['interrupts', 'exceptions', 'doorbells'];

const spanText = (i) => (i.end_ns > i.begin_ns ? `${number(i.begin_ns)} to ${number(i.end_ns)} ns`
  : `at ${number(i.begin_ns)} ns`);
const countText = (counts) => Object.entries(counts).map(([name, n]) => (n === 1 ? name : `${name} × ${number(n)}`));

/** Rows of the chart: {name, high, items: [{begin_ns, end_ns, parts: [{look, share}], tip, words}], marks}.
 * A look of null is the empty track. */
function timelineRows(t) {
  const names = [...new Set(t.gpus.flatMap((g) => g.queues).flatMap((q) => q.kernels)
      .flatMap((k) => Object.keys(k.launches)))];
  const lookOf = (name) => timelineLooks.kernels[names.indexOf(name) % timelineLooks.kernels.length];
  const plain = (row, intervals, what, look) => intervals.map((i) => {
    const key = Object.keys(i).find((k) => k !== 'begin_ns' && k !== 'end_ns');
    return {...i, parts: [{look, share: i[key] / (i.end_ns - i.begin_ns)}],
      tip: `${row}: ${what}\n${spanText(i)}\n${number(i[key])} ns`};
  });
  const rows = t.cores.map((c) => {
    const name = c.name.replace(/^board\./, '');
    return {name, high: 18, marks: markKinds.map((kind) => ({kind, all: c[kind]})),
      items: c.intervals.map((i) => {
        const states = coreStates.filter(([key]) => i[key]);
        return {...i, parts: states.map(([key, , look]) => ({look, share: i[key] / (i.end_ns - i.begin_ns)})),
          tip: [name, spanText(i), ...states.map(([key, state]) => `${state}: ${number(i[key])} ns`)].join('\n')};
      })};
  });
  for (const g of t.gpus) {
    const thin = g.queues.length > 4;
    if (!g.queues.length) rows.push({name: g.name, high: 16, items: [], marks: []});
    g.queues.forEach((q, i) => rows.push({name: thin ? (i ? '' : g.name) : g.queues.length > 1 ? `${g.name} ${q.name}` : g.name,
      high: thin ? 7 : 16, marks: [], items: q.kernels.map((k) => {
        const launches = Object.keys(k.launches);
        return {...k, words: launches.length === 1 ? countText(k.launches)[0] : null,
          parts: launches.map((n) => ({look: lookOf(n), share: k.launches[n] / sum(Object.values(k.launches))})),
          tip: [`${g.name}, ${q.name}`, ...countText(k.launches), spanText(k), `busy: ${number(k.busy_ns)} ns`].join('\n')};
      })}));
    if (g.page_faults.length) {
      rows.push({name: `${g.name} page faults`, high: 7, marks: [],
        items: plain(g.name, g.page_faults, 'page faults wait for software', timelineLooks.faults)});
    }
  }
  if (sum(t.detail.map((i) => i.detail_ns)) !== t.end_ns) {
    rows.push({name: 'detail', high: 7, marks: [], items: plain('GPUs', t.detail, 'simulated in detail', timelineLooks.detail)});
  }
  return {rows, kernels: names.map((name) => [name, lookOf(name)])};
}

/** Marks of a kind that are closer than a marker is wide, together: {x, tip}. */
function closeMarks(row, kind, marks, x) {
  const groups = [];
  for (const m of marks) {
    const last = groups[groups.length - 1];
    if (last && x(m.begin_ns) - last.x < 5) {
      last.end_ns = m.end_ns;
      for (const [name, n] of Object.entries(m.counts)) last.counts[name] = (last.counts[name] || 0) + n;
    } else {
      groups.push({...m, counts: {...m.counts}, x: x(m.begin_ns)});
    }
  }
  return groups.map((g) => ({x: g.x, tip: [`${row}: ${kind}`, ...countText(g.counts), spanText(g)].join('\n')}));
}

function timelineLegend(defs, t, kernelLooks, zoomed, reset) {
  const box = (look) => (x, y) => svg('rect', {x: x + 3, y: y - 6, width: 14, height: 12,
    'class': look === null ? 'track' : 'bar', style: look === null ? null : `fill:${fillOf(defs, look)}`});
  const any = (of) => t.cores.some(of);
  const items = coreStates.filter(([key]) => any((c) => c[key])).map(([, name, look]) => ({name, mark: box(look)}));
  for (const [name, look] of kernelLooks) items.push({name, mark: box(look)});
  if (t.gpus.some((g) => g.page_faults.length)) items.push({name: 'page faults wait for software', mark: box(timelineLooks.faults)});
  for (const kind of markKinds) {
    if (any((c) => c[kind].length)) items.push({name: kind, mark: (x, y) => marker(x + 10, y, timelineLooks[kind])});
  }
  if (zoomed) items.push({name: 'show the whole run', click: reset, mark: (x, y) => text(x + 4, y + 4, '↔')});
  return items;
}

/** Selects the times that the chart shows. */
function dragToZoom(root, area, select) {
  const at = (e) => {
    const box = root.getBoundingClientRect();
    const x = (e.clientX - box.left) * root.viewBox.baseVal.width / box.width;
    return Math.max(area.left, Math.min(area.right, x));
  };
  let from = null;
  const mark = svg('rect', {y: area.top, height: area.bottom - area.top, width: 0, 'class': 'selection'});
  root.append(mark);
  root.addEventListener('pointerdown', (e) => {
    if (e.button !== 0 || e.target.closest('[role=button]')) return;
    from = at(e);
    root.setPointerCapture(e.pointerId);
  });
  root.addEventListener('pointermove', (e) => {
    if (from === null) return;
    mark.setAttribute('x', Math.min(from, at(e)));
    mark.setAttribute('width', Math.abs(at(e) - from));
  });
  root.addEventListener('pointerup', (e) => {
    const to = at(e);
    const begin = from;
    from = null;
    mark.setAttribute('width', 0);
    if (begin !== null && Math.abs(to - begin) > 5) select(Math.min(begin, to), Math.max(begin, to));
  });
}

function timelineDraw(t, title) {
  const {rows, kernels: kernelLooks} = timelineRows(t);
  const whole = [0, Math.max(1, t.end_ns)];
  let shown = whole;
  return (width, again) => {
    const {root, defs} = picture(width, 10, title);
    const show = (range) => {
      shown = range;
      again();
    };
    const top = legend(root, timelineLegend(defs, t, kernelLooks, shown !== whole, () => show(whole)), width, 0) + 6;
    const left = Math.max(...rows.map((r) => textWidth(r.name))) + 10;
    const right = width - 12;
    const x = d3.scale.linear().domain(shown).range([left, right]);
    let y = top;
    const axis = svg('g');
    root.append(axis);
    for (const row of rows) {
      // A line above the row for each kind of mark, so that marks of one time do not hide each other.
      const marks = row.marks.filter(({all}) => all.length);
      y += 10 * marks.length;
      root.append(text(0, y + row.high / 2 + 4, row.name, {'class': 'name'}),
          svg('rect', {x: left, y, width: right - left, height: row.high, 'class': 'track'}));
      for (const item of row.items.filter((i) => i.end_ns > shown[0] && i.begin_ns < shown[1])) {
        const from = x(Math.max(item.begin_ns, shown[0]));
        const wide = Math.max(0.7, x(Math.min(item.end_ns, shown[1])) - from);
        let at = y;
        for (const p of item.parts) {
          const high = p.share * row.high;
          root.append(svg('rect', {x: from.toFixed(1), y: at.toFixed(1), width: wide.toFixed(1), height: high.toFixed(1),
            'class': p.look === null ? 'track' : 'bar', style: p.look === null ? null : `fill:${fillOf(defs, p.look)}`,
            'data-tip': item.tip}));
          at += high;
        }
        if (item.words && row.high > 14 && textWidth(item.words) + 8 < wide) {
          root.append(text(from + wide / 2, y + row.high / 2 + 4, item.words, {'class': 'middle inside'}));
        }
      }
      marks.forEach(({kind, all}, line) => {
        const within = all.filter((m) => m.end_ns >= shown[0] && m.begin_ns <= shown[1]);
        for (const m of closeMarks(row.name, kind, within, (ns) => x(Math.max(ns, shown[0])))) {
          const sign = marker(m.x, y - 5 - 10 * line, timelineLooks[kind]);
          sign.setAttribute('data-tip', m.tip);
          root.append(sign);
        }
      });
      y += row.high + 6;
    }
    const [unit, divisor] = [['s', 1e9], ['ms', 1e6], ['µs', 1e3], ['ns', 1]].find(([, d]) => shown[1] >= 2 * d) || ['ns', 1];
    for (const v of d3.scale.linear().domain(shown.map((ns) => ns / divisor)).ticks(Math.max(2, (right - left) / 90))) {
      const at = x(v * divisor).toFixed(1);
      axis.append(svg('line', {x1: at, x2: at, y1: top, y2: y, 'class': 'grid'}),
          text(x(v * divisor), y + 14, String(Number(v.toPrecision(9))), {'class': 'middle'}));
    }
    root.append(svg('line', {x1: left, x2: right, y1: y, y2: y, 'class': 'axis'}),
        text((left + right) / 2, y + 30, `simulated time, ${unit}`, {'class': 'middle'}));
    dragToZoom(root, {left, right, top, bottom: y}, (a, b) => show([x.invert(a), x.invert(b)]));
    root.setAttribute('viewBox', `0 0 ${Math.round(width)} ${Math.round(y + 36)}`);
    root.setAttribute('height', Math.round(y + 36));
    return root;
  };
}

function timelineCsv(t) {
  const rows = [['row', 'what', 'begin ns', 'end ns', 'ns', 'count']];
  for (const c of t.cores) {
    for (const i of c.intervals) {
      for (const [key, state] of coreStates) if (i[key]) rows.push([c.name, state, i.begin_ns, i.end_ns, i[key], null]);
    }
    for (const kind of markKinds) {
      for (const m of c[kind]) {
        for (const [name, n] of Object.entries(m.counts)) rows.push([c.name, `${kind}: ${name}`, m.begin_ns, m.end_ns, null, n]);
      }
    }
  }
  for (const g of t.gpus) {
    for (const q of g.queues) {
      for (const k of q.kernels) {
        rows.push([`${g.name} ${q.name}`, Object.keys(k.launches).join(' '), k.begin_ns, k.end_ns, k.busy_ns, sum(Object.values(k.launches))]);
      }
    }
    for (const i of g.page_faults) rows.push([g.name, 'page faults wait for software', i.begin_ns, i.end_ns, i.waiting_ns, null]);
  }
  for (const i of t.detail) rows.push(['GPUs', 'detail', i.begin_ns, i.end_ns, i.detail_ns, null]);
  return rows;
}

/** Instructions, times and speed of each core; the host's speed apart, because it varies. */
function coreTable(t) {
  const instructions = (c) => (modules[c.name] || {}).instructions || 0;
  const speed = (n) => (t.end_ns > 0 ? number(Number((1000 * n / t.end_ns).toPrecision(3))) : '–');
  const row = (name, n, c) => [name, number(n), ...coreStates.map(([key]) => number(c[key])), number(t.end_ns), speed(n)];
  const all = sum(t.cores.map(instructions));
  const rows = t.cores.map((c) => row(c.name.replace(/^board\./, ''), instructions(c), c));
  if (rows.length > 1) {
    rows.push(['all', number(all), ...coreStates.map(([key]) => number(sum(t.cores.map((c) => c[key])))), number(t.end_ns), speed(all)]);
  }
  const host = stats.host && stats.host.seconds > 0 ? noteOf(
      `Host: ${number(Number((all / stats.host.seconds / 1e6).toPrecision(3)))} MIPS of all cores, GPUs included, over ` +
      `${number(Number(stats.host.seconds.toPrecision(3)))} s. It differs from run to run.`) : null;
  return panel('Cores', null, table([{title: 'core', name: true}, {title: 'instructions', number: true},
    ...coreStates.map(([, state]) => ({title: `${state}, ns`, number: true})), {title: 'simulated time, ns', number: true},
    {title: 'MIPS, simulated', number: true}], rows), host);
}

function timeline() {
  const t = stats.timeline;
  if (!t || !t.cores) return;
  const title = 'Time line';
  const joined = Math.max(0, ...t.cores.map((c) => c.resolution_ns), ...t.gpus.flatMap((g) => g.queues).map((q) => q.resolution_ns));
  const note = ['The height of a colour is its share of the interval. Kernels: from the first CTA to the last one of the GPU.' +
    (joined ? ` Intervals shorter than ${number(joined)} ns are joined with their neighbours.` : ''), hint(' Drag to enlarge a part.')];
  section('Software over time', null, chart(title, note, timelineDraw(t, title), () => timelineCsv(t)),
      coreTable(t));
}
