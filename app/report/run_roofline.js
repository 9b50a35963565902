// SPDX-License-Identifier: Apache-2.0
// Rooflines (Williams et al. 2009): instructions per byte of each level of the memory system, and the
// ceilings of the levels' peak bandwidths and of the schedulers.

const blocksOf = (kind) => Object.entries(modules).filter(([name]) => new RegExp(`(^|\\.)${kind}\\d*$`).test(name))
    .map(([, statistics]) => statistics);
const sumOf = (blocks, name) => sum(blocks.map((b) => b[name] || 0));

/** Warp instructions a second that the schedulers of all SMs can issue; null without SMs. */
function issuePeak() {
  const sm = (stats.config || {}).sm || {};
  const sms = blocksOf('sm').length;
  return sms && isNumber(sm.schedulers) && isNumber(sm.clock_hz) ? sms * sm.schedulers * sm.clock_hz : null;
}

/** The L1s' data arrays: each looks up one line a cycle (modules/sm/l1_cache.h). Null for other L1s. */
function l1Level() {
  const l1s = blocksOf('l1_').filter((b) => isNumber(b.bytes_filled));
  const config = stats.config || {};
  if (!l1s.length || !config.l1 || !config.system) return null;
  return {name: 'L1', look: 0, bytes: sumOf(l1s, 'bytes_to_core'),
    peak: l1s.length * config.system.line_bytes * config.l1.clock_hz};
}

/** Levels with a peak, in bytes and bytes a second, each with the run's instructions per byte. */
function rooflineLevels(instructions) {
  const l1 = l1Level();
  const others = data.traffic.levels.map((l, look) => ({name: l.name, look, bytes: l.bytes, peak: (l.peak_gb_per_s || 0) * 1e9}));
  return [...(l1 ? [l1] : []), ...others.filter((l) => !l1 || l.look > 0)]
      .filter((l) => l.peak > 0 && l.bytes > 0).map((l) => ({...l, intensity: instructions / l.bytes}));
}

const perSecond = (v) => scaled(v, ['', 'k', 'M', 'G', 'T', 'P'], 1000).join(' ').trim();

function drawRoofline(r) {
  return (width) => {
    const {root} = picture(width, 10, r.title);
    const items = r.levels.map((l) => ({name: `${l.name}, ${gigabytes(l.peak / 1e9)}`, mark: (x, y) => svg('g', {},
        svg('line', {x1: x, x2: x + 20, y1: y, y2: y, 'class': 'line', 'stroke-dasharray': dashOf(l.look),
          style: `stroke:${colourOf(l.look)}`}), marker(x + 10, y, l.look))}));
    items.push({name: `issue, ${perSecond(r.peak)} instructions/s`, mark: (x, y) =>
      svg('line', {x1: x, x2: x + 20, y1: y, y2: y, 'class': 'guide'})});
    const top = legend(root, items, width, 0) + 8;
    const ridges = r.levels.map((l) => r.peak / l.peak);
    const xs = [...r.levels.map((l) => l.intensity), ...ridges];
    const xRange = logarithmic([Math.min(...xs) / 2, Math.max(...xs) * 2], Math.max(2, width / 70));
    const yRange = logarithmic([r.speed / 2, r.peak * 1.2], 8);
    const spec = {height: 280, x: {title: 'warp instructions per byte of the level', log: true},
      y: {title: 'warp instructions/s', format: perSecond}};
    const a = axes(root, spec, width, top, xRange, yRange);
    const [low] = yRange.scale.domain();
    const [left, right] = xRange.scale.domain();
    r.levels.forEach((l, i) => {
      const ridge = r.peak / l.peak;
      const from = Math.max(left, low / l.peak);
      const tip = `${l.name}: ${gigabytes(l.peak / 1e9)}`;
      root.append(svg('line', {x1: a.x(from).toFixed(1), y1: a.y(from * l.peak).toFixed(1), x2: a.x(ridge).toFixed(1),
        y2: a.y(r.peak).toFixed(1), 'class': 'line ceiling', 'stroke-dasharray': dashOf(l.look), style: `stroke:${colourOf(l.look)}`, 'data-tip': tip}));
      // The level's mark, at different places on ceilings that are equal.
      const on = from * (ridge / from) ** (0.3 + 0.09 * (i % 7));
      root.append(marker(a.x(on), a.y(on * l.peak), l.look, true));
    });
    root.append(svg('line', {x1: a.x(Math.min(...ridges)).toFixed(1), y1: a.y(r.peak).toFixed(1), x2: a.x(right).toFixed(1), y2: a.y(r.peak).toFixed(1),
      'class': 'guide', 'data-tip': `issue: ${perSecond(r.peak)} instructions/s`}));
    for (const l of r.levels) {
      const roof = Math.min(r.peak, l.intensity * l.peak);  // the line ends at the lower ceiling
      root.append(svg('line', {x1: a.x(l.intensity).toFixed(1), y1: a.y(r.speed).toFixed(1), x2: a.x(l.intensity).toFixed(1),
        y2: a.y(roof).toFixed(1), 'class': 'guide light'}));
      const m = marker(a.x(l.intensity), a.y(r.speed), l.look);
      m.classList.add('point');
      m.setAttribute('data-tip', `${l.name}\n${number(Number(l.intensity.toPrecision(3)))} instructions per byte\n` +
        `${percent(r.speed / (l.intensity * l.peak))} of its peak`);
      root.append(m);
    }
    root.setAttribute('viewBox', `0 0 ${Math.round(width)} ${Math.round(a.end)}`);
    root.setAttribute('height', Math.round(a.end));
    return root;
  };
}

function roofline() {
  const sms = blocksOf('sm');
  const instructions = sumOf(sms, 'warp_instructions');
  const ns = (stats.time_ns || 0) + (derived.host_access_ns || 0);
  const peak = issuePeak();
  if (!(instructions > 0) || !(ns > 0) || !peak) return;
  const levels = rooflineLevels(instructions);
  if (!levels.length) return;
  const threads = sumOf(sms, 'thread_instructions');
  const speed = instructions / ns * 1e9;
  const ceilings = [{name: 'the schedulers', share: speed / peak}, ...levels.map((l) => ({name: l.name, share: speed / (l.intensity * l.peak)}))];
  const nearest = ceilings.reduce((best, c) => (c.share > best.share ? c : best));
  const title = 'Roofline of each level';
  const note = `The marks are the run, ${perSecond(speed)} warp instructions/s, at its instructions per byte of each level; a ` +
    `slanted line is the peak of the level with the same colour, the horizontal one the schedulers\u2019. The run is nearest to ` +
    `the ceiling of ${nearest.name}: ${percent(nearest.share)} of it. ` +
    `A warp instruction has ${number(Number((threads / instructions).toPrecision(3)))} active threads on average.`;
  const csv = () => [['level', 'bytes', 'peak GB/s', 'warp instructions per byte', 'thread instructions per byte',
    'warp instructions/s', 'ceiling there, warp instructions/s', 'share of the ceiling'],
  ...levels.map((l) => [l.name, l.bytes, l.peak / 1e9, l.intensity, threads / l.bytes, speed, l.intensity * l.peak, speed / (l.intensity * l.peak)]),
  ['schedulers', null, null, null, null, speed, peak, speed / peak]];
  section('Roofline', null, chartWithTable(title, note, drawRoofline({title, levels, speed, peak}), csv));
}
