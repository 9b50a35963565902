// SPDX-License-Identifier: Apache-2.0
// Reasons for waiting requests: the longest waits, and every reason with its hottest blocks.

/** "gpu0.llc28, gpu0.llc42 and 5 like them: 3.65 ×"; "even" if all are about equal. */
function hotWords(hot) {
  if (hot.blocks < 2 || hot.over_mean === 0) return '';
  if (hot.over_mean < 1.1) return `even over ${hot.blocks}`;
  const more = hot.alike - hot.names.length;
  return hot.names.join(', ') + (more > 0 ? ` and ${more} like them` : '') + ` of ${hot.blocks}`;
}

function waits() {
  const all = data.waits.all;
  if (!all.length) return;
  const timed = all.filter((w) => w.cycles_per_request !== null && w.share >= 0.001);
  const panels = [];
  if (timed.length) {
    const title = 'Waits of an average memory request';
    panels.push(chart(title, `Cycles beyond those of an idle system, at each level, of L1 misses, stores and atomics; a ` +
      `full bar is a request's whole time with its translation, ${number(Number(data.waits.request_time.toPrecision(3)))} ` +
      `cycles.`, shareDraw(timed.map((w) => ({
      name: `${w.level}, ${w.queue}`, share: w.share, look: 0,
      words: `${number(Number(w.cycles_per_request.toPrecision(3)))} cycles · ${percent(w.share)}`})), title, 'share of the request\u2019s time'),
    () => [['kind', 'level', 'queue', 'waits for', 'cycles per request', 'share of the request\u2019s time'],
      ...all.filter((w) => w.cycles_per_request !== null)
          .map((w) => [w.kind, w.level, w.queue, w.resource, w.cycles_per_request, w.share])]));
  }
  const columns = [{title: 'level'}, {title: 'queue'}, {title: 'waits for'}, {title: 'kind'}, {title: 'amount', words: true},
    {title: 'share', words: true}, {title: 'hottest', soft: true, words: true}, {title: '× average', number: true}, {title: 'parameters', soft: true}];
  const rows = all.map((w, i) => [i && all[i - 1].level === w.level ? '' : w.level, w.queue, w.resource,
    w.kind, w.amount,
    `${percent(w.share)} of ${w.of}`, hotWords(w.hot), w.hot.blocks > 1 && w.hot.over_mean > 0 ? number(w.hot.over_mean) : '',
    w.settings]);
  const reasons = panel('Every reason', 'Times are of an average memory request, beyond an idle system; counts are of the level. ' +
    'Hottest: the blocks with the longest waits, in times the average of all.', table(columns, rows));
  reasons.classList.add('waits', 'long');
  panels.push(reasons);
  const nobody = new Map();
  for (const w of data.waits.nobody) nobody.set(w.level, [...(nobody.get(w.level) || []), w.resource]);
  if (nobody.size) {
    reasons.append(noteOf('Nothing waited for: ' +
      [...nobody].map(([level, resources]) => `${level}: ${resources.join(', ')}`).join('; ') + '.'));
  }
  const top = data.waits.top;
  section('Waits of memory requests', top.where ? `Longest: ${top.where}, ${top.why} (${top.kind}).` : null, ...panels);
}
