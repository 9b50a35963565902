// SPDX-License-Identifier: Apache-2.0
// Blocks in RTL beside those of the model, of the same kind: latency, occupancy, stalls.

/** Share of each bucket of log2 histograms, all blocks together; bucket i has the values below 2^i. */
function latencyShares(histograms) {
  const total = sum(histograms.map((h) => h.count));
  const most = Math.max(...histograms.map((h) => h.log2_buckets.length));
  return Array.from({length: most}, (_, i) => sum(histograms.map((h) => h.log2_buckets[i] || 0)) / Math.max(1, total));
}

/** The statistics of a kind that are compared: counters of stalls, and means. */
function comparedColumns(blocks) {
  const [first] = blocks;
  const columns = [];
  for (const [name, value] of Object.entries(modules[first])) {
    const title = name.replace(/_/g, ' ');
    const [unit] = aboutOf(first, name);
    if (isObject(value) && isNumber(value.mean) && value.log2_buckets) {
      columns.push([`${title}, mean, ${unit}`, (s) => s[name].mean], [`${title}, most, ${unit}`, (s) => s[name].max]);
    } else if (isObject(value) && isNumber(value.mean)) {
      columns.push([`${title}, mean, ${unit}`, (s) => s[name].mean]);
    } else if (isNumber(value) && /^(stalls_|hits$|misses$|merges$|evictions$|reads$|writes$|cycles$)/.test(name)) {
      columns.push([title, (s) => s[name]]);
    }
  }
  return columns;
}

function rtlKind(kind, rtl, others) {
  const columns = comparedColumns(rtl);
  const cells = (block) => columns.map(([, of]) => number(Number(of(modules[block]).toPrecision(4))));
  const rows = rtl.map((b) => [shortName(b), 'RTL', ...cells(b)]);
  if (others.length) {
    const mean = (of) => sum(others.map((b) => of(modules[b]))) / others.length;
    rows.push([others.length === 1 ? shortName(others[0]) : `average of ${others.length}`, 'model',
      ...columns.map(([, of]) => number(Number(mean(of).toPrecision(4))))]);
    for (const b of others.slice(0, 32)) rows.push([shortName(b), 'model', ...cells(b)]);
  }
  const parts = [table([{title: 'block', name: true}, {title: 'is', name: true},
    ...columns.map(([title]) => ({title, number: true}))], rows)];
  const histogram = Object.keys(modules[rtl[0]]).find((n) => isObject(modules[rtl[0]][n]) &&
    modules[rtl[0]][n].log2_buckets && modules[rtl[0]][n].count > 0);
  const charts = [];
  if (histogram) {
    const series = [['RTL', rtl], ['model', others]].filter(([, all]) => all.length)
        .map(([name, all], i) => ({name, look: i, kind: 'bar', values: latencyShares(all.map((b) => modules[b][histogram]))
            .map((v) => 100 * v)}));
    const most = Math.max(...series.map((s) => s.values.length));
    charts.push(xyChart({title: histogram.replace(/_/g, ' '), height: 180,
      note: 'Share of each range, all blocks together.',
      labels: Array.from({length: most}, (_, i) => (i === 0 ? '0' : `to ${2 ** i - 1}`)),
      x: {title: aboutOf(rtl[0], histogram)[0]}, y: {title: '%', unit: '%'}, series}));
  }
  return [panel(shortName(kind).replace(/#/g, '*'), null, ...parts), ...charts];
}

function rtlBlocks() {
  // With their parts: the transactors at a design's sides count its requests.
  const blocks = (stats.rtl || []).map((b) => b.block);
  const all = Object.keys(modules).filter((m) => blocks.some((b) => m === b || m.startsWith(b + '.')));
  if (!all.length) return;
  const panels = [];
  for (const kind of new Set(all.map(kindOf))) {
    const rtl = all.filter((b) => kindOf(b) === kind);
    panels.push(...rtlKind(kind, rtl, Object.keys(modules).filter((m) => kindOf(m) === kind && !all.includes(m))));
  }
  const counted = stats.rtl.filter((b) => b.coverage);
  if (counted.length) {
    const shareOf = (c) => (c.points ? `${percent(c.hit / c.points)} of ${number(c.points)}` : '–');
    panels.push(panel('Coverage', 'Lines and toggles of each design, over all of its instances. Merge runs with verilator_coverage.',
        table([{title: 'block', name: true}, {title: 'lines', number: true}, {title: 'toggles', number: true}],
            counted.map((b) => [shortName(b.block), shareOf(b.coverage.line), shareOf(b.coverage.toggle)]))));
  }
  section('RTL beside the model', null, ...panels);
}
