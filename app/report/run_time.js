// SPDX-License-Identifier: Apache-2.0
// Use of time: issue slots, hit rates, traffic between GPUs. The shares are those of shares.h.

const shares = data.shares;
const short = (v) => number(Number(v.toPrecision(3)));

function hitRates() {
  const rates = shares.hit_rates;
  if (!rates.length) return null;
  return chart('Hit rates', 'Hits over all lookups (hits, misses, merges into a pending miss, row conflicts), all blocks of a kind together.',
      shareDraw(rates.map((r) => ({name: r.name, share: r.share, look: 0,
        words: `${percent(r.share)} of ${number(r.whole)}`})), 'Hit rates', 'share of the lookups that hit'),
      () => [['block', 'hit rate', 'lookups'], ...rates.map((r) => [r.name, r.share, r.whole])]);
}

/** Cycles of the schedulers by use. */
function issueSlots() {
  if (shares.issue_slots.length < 2) return null;
  return stripChart('Warp issue', 'Issue slots of the schedulers of all SMs: instructions, or the resource for which all warps waited.',
      [{parts: shares.issue_slots, show: number}]);
}

/** Matrix of bytes from each GPU to each other GPU. */
function betweenGpus() {
  const remote = derived.remote;
  if (!remote || !Array.isArray(remote.bytes)) return;
  const gpus = remote.bytes.map((_, g) => 'GPU ' + g);
  const cells = remote.bytes.map((row, from) => row.map((n, to) => (from === to ? null : n)));
  if (!sum(cells.flat())) return;
  const matrix = chart('Traffic', 'Bytes on the fabric, headers included: from the GPU of the row to that of the column.',
      matrixDraw(gpus, gpus, cells, bytes, 'Traffic'), () => [['from', ...gpus.map((g) => 'to ' + g)],
        ...cells.map((row, g) => [gpus[g], ...row])]);
  const panels = [matrix, stripChart('Home of the accesses', 'Line accesses of the L1s, by the memory that is the home of the line.', [{parts: shares.remote_accesses}])];
  if (shares.remote_latency.length) {
    panels.push(stripChart('Latency of remote loads', 'Of loads that left the L1.', [{parts: shares.remote_latency}]));
  }
  section('Between GPUs', null, el('div', {className: 'row'}, ...panels));
}
