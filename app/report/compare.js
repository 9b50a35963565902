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
        el('span', {}, `${workloads.length} workloads; speedups are over ${summary.baseline}`),
        el('span', {}, data.inputs))));

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
    x: {title: ''},
    y: {title: unit, unit, log, max, tip},
    series: platforms.map((p, i) => ({name: p, look: i, kind: 'bar',
      values: [...workloads.map((w) => value(at(w, p))), ...(means ? [means[p]] : [])]})),
  });
}

const share = (key) => (row) => (isNumber(row[key]) ? row[key] * 100 : null);

if (platforms.length > 1) {
  section('Speedup', null, groupedBars(`Over ${summary.baseline}`, 'Cycles of the baseline over cycles; more is faster.',
      'times', (r) => r.speedup, {means: workloads.length > 1 ? summary.speedup_harmonic_mean : null}) ||
      panel(null, 'No workload finished on both the baseline and another platform.'));
}
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
  section('Where the bandwidth went', 'Share of each level\u2019s own peak, average over the run: a bar at 100 % is a platform\u2019s limit.',
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
  {title: 'cycles', number: true}, {title: 'speedup', number: true}, {title: 'ipc', number: true},
  {title: 'L1 hits', number: true}, {title: 'LLC hits', number: true}, {title: 'DRAM use', number: true},
  {title: 'verified'}, {title: '', soft: true}], workloads.flatMap((w) => platforms.map((p) => {
  const r = at(w, p);
  const verified = r.verified === true ? {text: '✓', className: 'good'} : r.verified === false
    ? {text: '✗', className: 'bad'} : '–';
  return [w, p, number(r.cycles), number(r.speedup), number(r.ipc), percent(r.l1_hit_rate),
    percent(r.llc_hit_rate), percent(r.dram_utilisation), verified, r.error || ''];
})))));

// Parameters in which the platforms differ.
const configs = platforms.map((p) => {
  const i = summary.rows.findIndex((r, k) => r.platform === p && Object.keys(data.details[k].config || {}).length);
  return new Map(i < 0 ? [] : flatten(data.details[i].config, '', []));
});
const paths = [...new Set(configs.flatMap((c) => [...c.keys()]))];
const textOf = (v) => (v === undefined ? '–' : typeof v === 'string' ? v : JSON.stringify(v));
const differing = paths.filter((path) => new Set(configs.map((c) => textOf(c.get(path)))).size > 1);
if (platforms.length > 1) {
  section('Where the platforms differ', null, panel(null, differing.length ? null : 'In no parameter.',
      ...(differing.length ? [table([{title: 'parameter', name: true}, ...platforms.map((p) => ({title: p, number: true}))],
          differing.map((path) => [path, ...configs.map((c) => textOf(c.get(path)))]))] : [])));
}
finish();
