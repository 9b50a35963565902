// SPDX-License-Identifier: Apache-2.0
// Use of bandwidth: share of each level's peak, over time, and by block.

const intervals = data.traffic.interval_ends_ns;
const runEnd = intervals.length ? intervals[intervals.length - 1] : 0;
const intervalBegin = (i) => (i ? intervals[i - 1] : 0);

const gigabytes = (v) => number(Number(v.toPrecision(3))) + ' GB/s';

/** Levels with a known peak; a full bar is the peak. Other levels have no bar. */
function levels() {
  const all = data.traffic.levels.map((l, i) => ({...l, look: i}));
  const known = all.filter((l) => l.peak_gb_per_s);
  const others = all.filter((l) => !l.peak_gb_per_s);
  const rows = known.map((l) => ({name: l.name, look: l.look, share: l.share, most: l.busiest_share,
    words: `${gigabytes(l.gb_per_s)} · ${bytes(l.bytes)} · ${percent(l.share)}`}));
  const panels = [];
  if (rows.length) {
    panels.push(chart('Share of peak', 'Average over the run. A full bar is the level\u2019s own peak: a level near it is the ' +
        'bottleneck. The line marks the busiest interval.', shareDraw(rows, 'Share of peak', 'share of the level\u2019s peak'),
    () => [['level', 'GB/s', 'bytes', 'peak GB/s', 'share of peak', 'share of peak in the busiest interval'],
      ...known.map((l, i) => [l.name, l.gb_per_s, l.bytes, l.peak_gb_per_s, rows[i].share, rows[i].most])]));
  }
  if (others.length) {
    const cells = [{title: 'level'}, {title: 'GB/s', number: true}, {title: 'bytes', number: true},
      {title: 'GB/s in the busiest interval', number: true}];
    const without = [el('h3', {}, 'Without a peak of their own'), table(cells, others.map((l) => [l.name,
      number(Number(l.gb_per_s.toPrecision(3))), bytes(l.bytes),
      number(Number(Math.max(0, ...l.gb_per_s_over_time).toPrecision(3)))]))];
    if (panels.length) panels[0].append(...without);
    else panels.push(panel(null, null, ...without));
  }
  return panels[0];
}

function overTime() {
  const unit = runEnd >= 2e6 ? ['ms', 1e6] : runEnd >= 2e3 ? ['µs', 1e3] : ['ns', 1];
  const middle = (i) => (intervalBegin(i) + intervals[i]) / 2 / unit[1];
  const all = data.traffic.levels;
  return xyChart({
    title: 'Over time', note: ['GB/s in each interval, until the run\u2019s end.', hint(' Click a name to hide it.')],
    x: {title: 'simulated time, ' + unit[0], min: 0, max: runEnd / unit[1],
      tip: (i) => `${number(intervalBegin(i) / unit[1])} to ${number(intervals[i] / unit[1])} ${unit[0]}`},
    y: {title: 'GB/s', unit: 'GB/s'},
    series: all.map((l, i) => ({name: l.name, look: i, kind: 'line', joined: true, thin: true,
      points: l.gb_per_s_over_time.map((y, k) => ({x: middle(k), y}))})),
    csv: () => [['from ns', 'to ns', ...all.map((l) => l.name + ' GB/s')],
      ...intervals.map((end, i) => [intervalBegin(i), end, ...all.map((l) => l.gb_per_s_over_time[i])])],
  });
}

const meanOf = (level) => sum(level.parts.map((p) => p.bytes)) / level.parts.length;
const imbalanceOf = (level) => Math.max(...level.parts.map((p) => p.bytes)) / meanOf(level);

/** One bar per block, relative to the level's average; the same scale for all levels. */
function balance(level, look, most) {
  const mean = meanOf(level);
  const idle = level.parts.filter((p) => p.bytes === 0).length;
  const hottest = [...level.parts].sort((a, b) => b.bytes - a.bytes)[0];
  const largest = imbalanceOf(level);
  const note = largest < 1.005 ? `All ${level.parts.length} moved ${bytes(mean)}.`
    : `${shortName(hottest.module)} moved most: ${number(largest)} times the average of ${bytes(mean)}` +
      (idle ? `; ${idle} of ${level.parts.length} moved nothing.` : '.');
  return xyChart({
    title: level.name, note, height: 130,
    labels: level.parts.map((p, i) => (p.module.match(/\d+(?=\D*$)/) || [String(i)])[0]),
    names: level.parts.map((p) => p.module), groups: parentGroups(level.parts.map((p) => p.module)),
    x: {title: `blocks ${kindOf(shortName(level.parts[0].module)).replace(/#/g, '*')}`},
    y: {max: most, title: '× average', tip: (v) => `${number(v)} times the average, ${bytes(v * mean)}`},
    series: [{name: level.name, look, kind: 'bar', values: level.parts.map((p) => p.bytes / mean)}],
    csv: () => [['block', 'bytes', 'times the average'], ...level.parts.map((p) => [p.module, p.bytes, p.bytes / mean])],
  });
}

function traffic() {
  if (!data.traffic.levels.length) return;
  section('Bandwidth by level', null, el('div', {className: 'row'}, levels(), overTime()));
  const wide = data.traffic.levels.map((level, look) => ({level, look}))
      .filter((l) => l.level.parts.length > 1 && meanOf(l.level) > 0);
  if (!wide.length) return;
  const most = Math.max(...wide.map((l) => imbalanceOf(l.level)));
  section('Balance', 'Bytes by block, in times the average of its level: an even memory system is a flat line at 1. ' +
    'All levels have one scale.', el('div', {className: 'row'}, ...wide.map((l) => balance(l.level, l.look, most))));
}
