// SPDX-License-Identifier: Apache-2.0
// The report of a comparison of platforms.

const summary = data.summary;
const platforms = summary.platforms;
const workloads = summary.workloads;
const rowOf = new Map(summary.rows.map((r) => [r.workload + '\u0000' + r.platform, r]));
const at = (workload, platform) => rowOf.get(workload + '\u0000' + platform) || {};

report.append(el('header', {}, el('h1', {}, platforms.join(', ')),
    el('div', {className: 'facts'},
        el('span', {className: 'chip ' + (summary.failed ? 'bad' : 'good')}, summary.failed
          ? `${summary.failed} of ${summary.rows.length} points failed`
          : `✓ all ${summary.rows.length} points done`),
        el('span', {}, `${workloads.length} workload${workloads.length === 1 ? '' : 's'}; speedups are over ${summary.baseline}${summary.sm_clock_hz ? ', of times, because the SMs’ clocks differ' : ''}`),
        el('span', {}, data.inputs))));

explanation(data.explanation);

/** Workloads along the axis, one bar per platform. `value(row)`: a number or null. */
function groupedBars(title, note, unit, value, options) {
  const {means, wide, max, tip} = options || {};
  if (!summary.rows.some((r) => isNumber(value(r)))) return null;
  const sizes = summary.rows.map(value).filter((v) => isNumber(v) && v > 0);
  const log = wide && Math.max(...sizes) > 50 * Math.min(...sizes);
  if (log) note = (note ? note + ' ' : '') + 'Logarithmic scale.';
  return xyChart({
    title, note, height: 200,
    labels: means ? [...workloads, 'harmonic mean'] : workloads,
    x: {title: 'workload'},
    y: {title: unit, unit, log, max, tip},
    series: platforms.map((p, i) => ({name: p, look: i, kind: 'bar',
      values: [...workloads.map((w) => value(at(w, p))), ...(means ? [means[p]] : [])]})),
  });
}

const share = (key) => (row) => (isNumber(row[key]) ? row[key] * 100 : null);

if (platforms.length > 1) {
  section('Speedup', null, groupedBars(`Over ${summary.baseline}`, 'Cycles of the baseline over cycles; more is faster.',
      'speedup', (r) => r.speedup, {means: workloads.length > 1 ? summary.speedup_harmonic_mean : null}) ||
      panel(null, 'No workload finished on both the baseline and another platform.'));
}
/** A point's details: data.details[i] is of summary.rows[i]. */
const detailsOf = new Map(summary.rows.map((r, i) => [r, data.details[i]]));
const points = workloads.flatMap((w) => platforms.map((p) => at(w, p))).filter((r) => detailsOf.has(r));
const many = workloads.length > 1 && platforms.length > 1;
const platformNumbers = platforms.map((p, i) => `${i + 1}:\u00a0${p}`).join(', ');
const partsSum = (parts) => sum(parts.map((p) => p.value));

/** The names of parts that have a colour of their own: all, or the seven largest of all points. */
function coloured(names, all) {
  if (names.length <= seriesColours) return names;
  const size = (name) => sum(all.flat().filter((p) => p.name === name).map((p) => p.value));
  const largest = [...names].sort((a, b) => size(b) - size(a)).slice(0, seriesColours - 1);
  return names.filter((n) => largest.includes(n));
}

/** A bar per point, of parts: `partsOf(details, row)` returns [{name, value}]; a part of one name has
 * one colour. Points without parts have no bar. */
function stackedPoints(title, note, unit, partsOf) {
  const all = points.map((r) => partsOf(detailsOf.get(r), r));
  const names = [...new Set(all.flatMap((parts) => parts.map((p) => p.name)))];
  if (!names.length) return null;
  const own = coloured(names, all);
  const shown = own.length < names.length ? [...own, 'others'] : own;
  const valueOf = (parts, name) => {
    const fitting = parts.filter((p) => p.name === name || (name === 'others' && !own.includes(p.name)));
    return fitting.length ? partsSum(fitting) : null;
  };
  const labels = points.map((r) => (many ? String(platforms.indexOf(r.platform) + 1) : platforms.length > 1 ? r.platform : r.workload));
  const groups = many ? workloads.map((name) => ({name, count: points.filter((r) => r.workload === name).length})).filter((g) => g.count) : null;
  const csv = () => [['workload', 'platform', ...names, 'sum'],
    ...points.map((r, i) => [r.workload, r.platform, ...names.map((n) => valueOf(all[i], n)), all[i].length ? partsSum(all[i]) : null])];
  if (many) note += ` Platforms: ${platformNumbers}.`;
  return withTable(xyChart({title, note, height: 200, labels, groups, csv, x: {title: many ? 'platform, workload' : platforms.length > 1 ? 'platform' : 'workload'}, y: {title: unit, unit},
    names: points.map((r, i) => `${r.workload}, ${r.platform}` + (all[i].length ? `\nsum: ${number(partsSum(all[i]))} ${unit}` : '')),
    series: shown.map((name, look) => ({name, look, kind: 'bar', stack: 'point', values: all.map((parts) => valueOf(parts, name))}))}), csv);
}

const energyOf = (r) => sum((detailsOf.get(r) || {energy: []}).energy.map((c) => c.part));
const hopParts = (d) => d.hops.map((h) => ({name: h.name, value: h.part}));
const missLatencyOf = (r) => (detailsOf.has(r) && detailsOf.get(r).hops.length ? detailsOf.get(r).hops[0].whole : null);
const causes = [
  stackedPoints('Energy by component', `Times the whole energy of ${summary.baseline} on the same workload; less is better.`, '× baseline', (d, r) => {
    const base = energyOf(at(r.workload, summary.baseline));
    return base > 0 ? d.energy.filter((c) => c.part > 0).map((c) => ({name: c.name, value: c.part / base})) : [];
  }),
  stackedPoints('Latency by hop', 'Average cycles of a load that missed in the L1.', 'cycles', hopParts),
  stackedPoints('Waits by level', 'Cycles beyond those of an idle system, of an average memory request (an L1 miss, a store or an atomic).', 'cycles',
      (d) => d.waits.map((w) => ({name: w.name, value: w.cycles}))),
].filter((p) => p);
if (causes.length) section('Energy, latency and waits', null, el('div', {className: 'row loose'}, ...causes));

section('Side by side', null, el('div', {className: 'row'}, ...[
  groupedBars('Cycles', null, 'cycles', (r) => r.cycles, {wide: true}),
  groupedBars('Instructions per cycle', 'Warp instructions, all SMs together.', 'instructions/cycle', (r) => r.ipc),
  groupedBars('L1 hit rate', null, '%', share('l1_hit_rate'), {max: 100}),
  groupedBars('LLC hit rate', null, '%', share('llc_hit_rate'), {max: 100}),
  groupedBars('DRAM utilisation', null, '%', share('dram_utilisation'), {max: 100}),
].filter((p) => p)));

const levelsOf = new Map(summary.rows.map((r, i) => [r, new Map(data.traffic[i].map((l) => [l.name, l]))]));
const levelNames = [...new Set(data.traffic.flatMap((levels) => levels.map((l) => l.name)))];
const limited = (level) => level && level.peak_gb_per_s;
const withPeak = levelNames.filter((name) => summary.rows.some((r) => limited(levelsOf.get(r).get(name))));
const withoutPeak = levelNames.filter((name) => !withPeak.includes(name));
if (withPeak.length) {
  section('Bandwidth by level', 'Share of each level\u2019s own peak, average over the run: a bar at 100 % is a platform\u2019s limit.',
      el('div', {className: 'row'}, ...withPeak.map((name) => groupedBars(name, null, '%', (r) => {
        const level = levelsOf.get(r).get(name);
        return limited(level) ? 100 * level.share : null;
      }, {max: 100}))));
}
if (withoutPeak.length) {
  section('Levels without a peak of their own', 'GB/s, average over the run.', el('div', {className: 'row'},
      ...withoutPeak.map((name) => groupedBars(name, null, 'GB/s', (r) => {
        const level = levelsOf.get(r).get(name);
        return level ? level.gb_per_s : null;
      }))));
}
if (levelNames.length) {
  section('Bandwidth in numbers', 'GB/s, average over the run.', panel(null, null, table(
      [{title: 'workload', name: true}, {title: 'platform', name: true}, ...levelNames.map((n) => ({title: n, number: true}))],
      workloads.flatMap((w) => platforms.map((p) => [w, p, ...levelNames.map((name) => {
        const level = (levelsOf.get(at(w, p)) || new Map()).get(name);
        return level ? number(Number(level.gb_per_s.toPrecision(3))) : '–';
      })])))));
}

section('Points', null, panel(null, null, table([{title: 'workload', name: true}, {title: 'platform', name: true},
  {title: ''}, {title: 'cycles', number: true}, {title: 'speedup', number: true}, {title: 'IPC', number: true},
  {title: 'L1 hits', number: true}, {title: 'LLC hits', number: true}, {title: 'DRAM use', number: true},
  {title: 'energy', number: true}, {title: 'L1 miss, cycles', number: true}, {title: 'verified'},
  {title: 'longest wait', soft: true, long: true}, {title: '', soft: true}], workloads.flatMap((w) => platforms.map((p) => {
  const r = at(w, p);
  const d = detailsOf.get(r) || {};
  const verified = r.verified === true ? {text: '✓', className: 'good'} : r.verified === false
    ? {text: '✗', className: 'bad'} : '–';
  return [w, p, d.report ? el('a', {href: d.report}, 'report') : '–', number(r.cycles), number(r.speedup), number(r.ipc), percent(r.l1_hit_rate),
    percent(r.llc_hit_rate), percent(r.dram_utilisation), energyOf(r) > 0 ? joules(energyOf(r)) : '–',
    number(missLatencyOf(r)), verified, d.longest_wait || '–', r.error || ''];
}))))).classList.add('dense');

// Parameters in which the platforms differ.
const configs = platforms.map((p) => {
  const i = summary.rows.findIndex((r, k) => r.platform === p && Object.keys(data.details[k].config || {}).length);
  return new Map(i < 0 ? [] : flatten(data.details[i].config, '', []));
});
const paths = [...new Set(configs.flatMap((c) => [...c.keys()]))];
const textOf = (v) => (v === undefined ? '–' : typeof v === 'string' ? v : JSON.stringify(v));
const differing = paths.filter((path) => new Set(configs.map((c) => textOf(c.get(path)))).size > 1);
if (platforms.length > 1) {
  section('Differences of the platforms', null, panel(null, differing.length ? null : 'In no parameter.',
      ...(differing.length ? [table([{title: 'parameter', name: true}, ...platforms.map((p) => ({title: p, number: true}))],
          differing.map((path) => [path, ...configs.map((c) => textOf(c.get(path)))]))] : [])));
}
finish();
