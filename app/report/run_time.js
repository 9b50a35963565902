// SPDX-License-Identifier: Apache-2.0
// Use of time: hops, issue slots, energy, hit rates, traffic between GPUs.

const words = (name) => name.replace(/_/g, ' ').replace(/\b(llc|dram)\b/g, (w) => w.toUpperCase());

function hitRates(kinds) {
  const rates = [];
  for (const [kind, entries] of kinds) {
    for (const name of entries.keys()) {
      if (!/(^|_)hits$/.test(name) || !entries.has(name.replace(/hits$/, 'misses'))) continue;
      const total = (end) => {
        const entry = entries.get(name.replace(/hits$/, end));
        return entry ? sum(entry.values) : 0;
      };
      const hit = total('hits');
      const miss = total('misses') + total('merges') + total('conflicts');
      if (hit + miss === 0) continue;
      const prefix = name.replace(/_?hits$/, '');
      rates.push([kind.split('.').pop().replace(/#/g, '*') + (prefix ? ' ' + prefix : ''), hit / (hit + miss), hit + miss]);
    }
  }
  if (!rates.length) return null;
  rates.sort((a, b) => natural(a[0], b[0]));
  return chart('Hit rates', 'Hits over all lookups (hits, misses, merges into a pending miss, row conflicts), all blocks of a kind together.',
      shareDraw(rates.map(([name, rate, lookups]) => ({name, share: rate, look: 0,
        words: `${percent(rate)} of ${number(lookups)}`})), 'Hit rates'),
      () => [['block', 'hit rate', 'lookups'], ...rates]);
}

/** Names of the uses of a scheduler's issue slot. */
const slotNames = {issued: 'issued', idle: 'no warp', structural: 'unit busy', dependency: 'fixed latency',
  memory: 'memory', barrier: 'barrier'};

/** Cycles of the schedulers by use. */
function issueSlots(kinds) {
  for (const [kind, entries] of kinds) {
    const parts = [];
    for (const [name, entry] of entries) {
      if (/_slots$/.test(name) && sum(entry.values) > 0) {
        const slot = name.replace(/_slots$/, '');
        parts.push([slotNames[slot] || words(slot), sum(entry.values)]);
      }
    }
    if (parts.length >= 2) {
      return stripChart('Warp issue', `What the schedulers' issue slots went to, or what all warps waited for, all of ${kind.split('.').pop().replace(/#/g, '*')}.`,
          [{parts, show: number}]);
    }
  }
  return null;
}

function latency() {
  const hops = flatten(derived.latency_breakdown || {}, '', []).filter((p) => isNumber(p[1]) && p[1] > 0)
      .map(([name, cycles]) => [words(name), cycles]);
  if (!hops.length) return null;
  return stripChart('Load latency by hop', 'Average cycles of a load that missed in the L1, one part a hop.',
      [{parts: hops, show: (v) => number(Number(v.toPrecision(3)))}]);
}

/** Matrix of bytes from each GPU to each other GPU. */
function betweenGpus() {
  const remote = derived.remote;
  if (!remote || !Array.isArray(remote.bytes)) return;
  const gpus = remote.bytes.map((_, g) => 'GPU ' + g);
  const cells = remote.bytes.map((row, from) => row.map((n, to) => (from === to ? null : n)));
  const matrix = chart('Traffic', 'Bytes on the fabric, headers included: from the GPU of the row to that of the column.',
      matrixDraw(gpus, gpus, cells, bytes, 'Traffic'), () => [['from', ...gpus.map((g) => 'to ' + g)],
        ...cells.map((row, g) => [gpus[g], ...row])]);
  const where = [['own memory', 1 - remote.access_fraction],
    ['other GPUs\u2019, from the L1', remote.served_by_l1_fraction],
    ['other GPUs\u2019, beyond the L1', remote.access_fraction - remote.served_by_l1_fraction]]
      .map(([n, v]) => [n, Math.max(0, v)]);
  const shares = [['before the link', remote.pre_link_latency_share],
    ['on the link', remote.link_latency_share], ['after it', remote.post_link_latency_share]]
      .map(([n, v]) => [n, Math.max(0, v)]);
  const panels = [matrix, stripChart('Whose memory', 'Line accesses of the L1s.', [{parts: where, show: percent}])];
  if (sum(shares.map((s) => s[1])) > 0) {
    panels.push(stripChart('Latency of remote loads', 'Of loads that left the L1.', [{parts: shares, show: percent}]));
  }
  section('Between GPUs', null, el('div', {className: 'row'}, ...panels));
}

/** Energy of the components in joule; the networks of the NoC are separate parts. */
function energy() {
  const parts = Object.entries(stats.energy || {}).filter((p) => isObject(p[1]) && p[1].total_j > 0);
  if (!parts.length) return null;
  const titles = {sm: 'SMs', l1: 'L1s', llc: 'LLC', noc: 'NoC', dram: 'DRAM'};
  const note = `The model of docs/blocks/power.md. The NoC draws ${number(Number(stats.energy.noc_power_w.toPrecision(3)))} W ` +
    `on ${number(Number(stats.energy.noc_area_mm2.toPrecision(3)))} mm².`;
  const split = (key) => sum(parts.map((p) => p[1][key]));
  return stripChart(`Energy: ${joules(stats.energy.total_j)}`, note, [
    {parts: parts.map(([name, e]) => [titles[name] || name, e.total_j]), show: joules},
    {parts: [['events', split('dynamic_j')], ['leakage and clocks', split('static_j')]], show: joules}]);
}
