// SPDX-License-Identifier: Apache-2.0
// The report of one run: its heading, and the order of the sections.

const stats = data.stats;
const derived = stats.derived || {};
const modules = stats.modules || {};

function heading() {
  const verified = stats.verified;
  const chip = verified === true ? ['good', '✓ verified'] : verified === false
    ? ['bad', '✗ wrong values'] : ['', 'not verified'];
  const facts = el('div', {className: 'facts'},
      el('span', {className: 'chip ' + chip[0]}, chip[1]), el('span', {}, typeset(data.verification.replace(/^(yes|no|not checked): /i, ''))));
  const small = [['seed', stats.seed], ['values', stats.values], ['scale', stats.scale],
    ['settings', data.settings],
    ['window', stats.window
      ? number(stats.window.detailed_thread_instructions) + ' thread instructions' : null],
    ['Tessera', stats.tessera], ['host', stats.host && isNumber(stats.host.seconds)
      ? number(Number(stats.host.seconds.toPrecision(3))) + ' s' : null]];
  for (const [name, value] of small) {
    if (value !== undefined && value !== null && value !== '') facts.append(el('span', {}, `${name} ${value}`));
  }
  report.append(el('header', {}, el('h1', {}, stats.workload, el('span', {className: 'on'}, ' on '),
      stats.platform), facts));
  if (data.failure) report.append(el('div', {className: 'banner'}, data.failure));
  explanation(data.explanation);
}

function tiles() {
  const box = el('div', {className: 'tiles'});
  const tile = (name, value, unit) => {
    if (value === null || value === undefined || value === '–') return;
    box.append(el('div', {className: 'tile'}, el('span', {}, name),
        el('b', {}, value, el('span', {className: 'unit'}, unit ? ' ' + unit : ''))));
  };
  const given = (name, show, title, unit) => {
    if (isNumber(derived[name])) tile(title, show(derived[name]), unit);
  };
  tile('cycles', number(stats.cycles));
  if (isNumber(stats.time_ns)) tile('simulated time', time(stats.time_ns));
  if (data.flush) tile('flush of the caches', number(data.flush.part), `cycles, ${percent(data.flush.share)}`);
  tile('warp instructions', number(stats.instructions));
  given('ipc', number, 'instructions per cycle');
  given('replies_per_cycle', number, 'L1 responses per cycle');
  given('l1_hit_rate', percent, 'L1 hit rate');
  given('llc_hit_rate', percent, 'LLC hit rate');
  given('avg_load_latency_cycles', number, 'load latency', 'cycles');
  if (derived.noc_bytes > 0) given('noc_bytes', bytes, 'through the NoC');
  if (derived.host_link_bytes > 0) given('host_link_bytes', bytes, 'over the host links');
  given('dram_bytes', bytes, 'DRAM traffic');
  given('dram_utilisation', percent, 'DRAM utilisation');
  given('page_faults', number, 'page faults');
  report.append(box);
}

heading();
tiles();
timeline();
traffic();
memories();
roofline();
places();
meshes();
waits();
sources();
betweenGpus();
const kinds = grouped();
section('Time, energy and hit rates', null, el('div', {className: 'row loose'},
    ...[figuresTable(), missLatency(), issueSlots(), energy(), hitRates(), derivedTable()].filter((p) => p)));
rtlBlocks();
kernels();
allStatistics(kinds);
configuration();
finish();
