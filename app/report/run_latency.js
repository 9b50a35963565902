// SPDX-License-Identifier: Apache-2.0
// Latency of L1 misses: the average by hop, and percentiles.

/** The histograms of blocks as one: {count, sum, max, buckets}. */
function mergedHistogram(all) {
  const buckets = [];
  for (const h of all) (h.log2_buckets || []).forEach((n, i) => { buckets[i] = (buckets[i] || 0) + n; });
  return {count: sum(all.map((h) => h.count)), sum: sum(all.map((h) => h.sum)), max: Math.max(0, ...all.map((h) => h.max)), buckets};
}

/** A percentile of a histogram whose bucket i holds the values from 2^(i-1) to below 2^i: the bounds
 * of its bucket (at most the largest value), and the value interpolated between them. */
function percentile(h, share) {
  const rank = share * h.count;
  let before = 0;
  for (let i = 0; i < h.buckets.length; ++i) {
    const n = h.buckets[i] || 0;
    if (n > 0 && before + n >= rank) {
      const from = i ? 2 ** (i - 1) : 0;
      const to = Math.min(i ? 2 ** i : 0, h.max);
      return {from, to, value: from + (to - from) * (rank - before) / n};
    }
    before += n;
  }
  return {from: h.max, to: h.max, value: h.max};
}

/** Bars in cycles, one below the other: `rows`: {name, words, parts: [{name, part, look}], tip, range}. */
function drawCycles(rows, parts, title) {
  return (width) => {
    const {root, defs} = picture(width, 10, title);
    const start = legend(root, parts.map((p) => ({name: `${p.name} ${short(p.part)}`, mark: (x, y) =>
      svg('rect', {x: x + 1, y: y - 6, width: 18, height: 12, style: `fill:${fillOf(defs, p.look)}`, 'class': 'bar'})})), width, 0) + 6;
    const area = barRows(root, rows, width, start);
    const {left, right, end} = area;
    const {scale, ticks} = linear(0, Math.max(...rows.map((r) => Math.max(sum(r.parts.map((p) => p.part)), ...(r.range || [])))), Math.max(2, (right - left) / 90), false);
    const x = scale.range([left, right]);
    for (const v of ticks) {
      root.append(svg('line', {x1: x(v).toFixed(1), x2: x(v).toFixed(1), y1: start, y2: end, 'class': 'grid'}),
          text(x(v), end + 13, tickText(v), {'class': v === 0 ? 'start' : x(v) + textWidth(tickText(v)) / 2 > width ? 'end' : 'middle'}));
    }
    rows.forEach((r, i) => {
      const y = area.y(i);
      let at = 0;
      for (const p of r.parts) {
        root.append(svg('rect', {x: x(at).toFixed(1), y, width: Math.max(0.8, x(at + p.part) - x(at)).toFixed(1), height: 16,
          style: p.look === undefined ? null : `fill:${fillOf(defs, p.look)}`, 'class': p.look === undefined ? 'bar plain' : 'bar', 'data-tip': p.name ? `${p.name}: ${short(p.part)} cycles` : r.tip}));
        at += p.part;
      }
      if (r.range) {
        root.append(svg('line', {x1: x(r.range[0]).toFixed(1), x2: x(r.range[1]).toFixed(1), y1: y + 20, y2: y + 20, 'class': 'guide', 'data-tip': r.tip}));
      }
    });
    root.append(text((left + right) / 2, end + 30, 'cycles', {'class': 'middle'}));
    root.setAttribute('viewBox', `0 0 ${Math.round(width)} ${Math.round(end + 34)}`);
    root.setAttribute('height', Math.round(end + 34));
    return root;
  };
}

function missLatency() {
  const h = mergedHistogram(blocksOf('l1_').map((b) => b.miss_latency).filter(isObject));
  if (!h.count) return null;
  const mean = h.sum / h.count;
  const hops = shares.latency_hops.map((p, look) => ({...p, look}));
  const title = 'Load latency by hop';
  const percentiles = [0.5, 0.9, 0.99].map((share) => ({name: `p${share * 100}`, ...percentile(h, share)}));
  const rows = [{name: 'mean', words: `${short(mean)}`, tip: `mean: ${short(mean)} cycles`,
    parts: hops.length ? hops : [{name: '', part: mean}]},
  ...percentiles.map((p) => ({name: p.name, words: short(p.value), range: [p.from, p.to], parts: [{name: '', part: p.value}],
    tip: `${p.name}: about ${short(p.value)} cycles, from ${number(p.from)} to ${number(p.to)}`}))];
  const note = 'Cycles of a load that missed in the L1: the average by hop, and percentiles of all such loads. A percentile is ' +
    'interpolated in its bucket of the histogram, from one power of two to the next: the line below its bar. ' +
    `Longest: ${number(h.max)} cycles, of ${number(h.count)}.`;
  const csv = () => [['value', 'cycles', 'at least', 'at most'], ['mean', mean, null, null],
    ...hops.map((p) => [p.name, p.part, null, null]), ...percentiles.map((p) => [p.name, p.value, p.from, p.to]), ['longest', h.max, h.max, h.max]];
  return chartWithTable(title, note, drawCycles(rows, hops, title), csv);
}
