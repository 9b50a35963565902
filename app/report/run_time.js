// SPDX-License-Identifier: Apache-2.0
// Use of time: hops, issue slots, energy, hit rates, traffic between GPUs. The shares are those of shares.h.

const shares = data.shares;
const short = (v) => number(Number(v.toPrecision(3)));

function hitRates() {
  const rates = shares.hit_rates;
  if (!rates.length) return null;
  return chart('Hit rates', 'Hits over all lookups (hits, misses, merges into a pending miss, row conflicts), all blocks of a kind together.',
      shareDraw(rates.map((r) => ({name: r.name, share: r.share, look: 0,
        words: `${percent(r.share)} of ${number(r.whole)}`})), 'Hit rates'),
      () => [['block', 'hit rate', 'lookups'], ...rates.map((r) => [r.name, r.share, r.whole])]);
}

/** Cycles of the schedulers by use. */
function issueSlots() {
  if (shares.issue_slots.length < 2) return null;
  return stripChart('Warp issue', 'What the schedulers\u2019 issue slots went to, or what all warps waited for, all SMs together.',
      [{parts: shares.issue_slots, show: number}]);
}

function latency() {
  if (!shares.latency_hops.length) return null;
  return stripChart('Load latency by hop', 'Average cycles of a load that missed in the L1, one part a hop.',
      [{parts: shares.latency_hops, show: short}]);
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
  const panels = [matrix, stripChart('Whose memory', 'Line accesses of the L1s.', [{parts: shares.remote_accesses, show: percent}])];
  if (shares.remote_latency.length) {
    panels.push(stripChart('Latency of remote loads', 'Of loads that left the L1.', [{parts: shares.remote_latency, show: percent}]));
  }
  section('Between GPUs', null, el('div', {className: 'row'}, ...panels));
}

/** Energy of the components in joule; the networks of the NoC are one part. */
function energy() {
  const parts = shares.energy_components.filter((p) => p.part > 0);
  if (!parts.length) return null;
  const note = `The model of docs/blocks/power.md. The NoC draws ${short(stats.energy.noc_power_w)} W ` +
    `on ${short(stats.energy.noc_area_mm2)} mm².` + (data.not_modelled.length
      ? ` Without an energy model: ${data.not_modelled.join(', ')}.` : '');
  return stripChart(`Energy: ${joules(stats.energy.total_j)}`, note,
      [{parts, show: joules}, {parts: shares.energy_kinds, show: joules}]);
}
