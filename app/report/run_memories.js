// SPDX-License-Identifier: Apache-2.0
// Balance of memory: pages and bytes of each channel, GPU or stack.

const lastNumber = (name) => Number((name.match(/\d+$/) || [0])[0]);

/** Bytes on the data buses of the blocks of a kind: [{name, bytes}], by the numbers in their names: all
 * channels of a GPU before those of the next, as page placement numbers them. */
function memoryBytes(kind) {
  return Object.entries(modules).filter(([name]) => new RegExp(`\\.${kind}\\d+$`).test(name))
      .map(([name, s]) => ({name, bytes: (s.bytes_read || 0) + (s.bytes_written || 0)}))
      .sort((a, b) => a.name.localeCompare(b.name, 'en', {numeric: true}));
}

/** The memories from which page placement selects, with the bytes that they moved: channels, stacks, or
 * the GPUs. `homes`: their number. Null if the numbers fit none of these. */
function memoriesOf(homes) {
  for (const kind of ['dram', 'stack']) {
    const all = memoryBytes(kind);
    if (all.length === homes) return all;
  }
  const gpus = new Map();
  for (const m of memoryBytes('dram')) {
    const gpu = (m.name.match(/gpu\d+/) || [m.name])[0];
    gpus.set(gpu, (gpus.get(gpu) || 0) + m.bytes);
  }
  return gpus.size === homes ? [...gpus].map(([name, bytes]) => ({name, bytes})) : null;
}

/** Average over the most, as in the statistic page_balance: 1 is even. */
const balanceOf = (values) => (Math.max(...values) > 0 ? sum(values) / values.length / Math.max(...values) : 1);

function memories() {
  const uvm = Object.entries(modules).find(([name]) => /(^|\.)uvm$/.test(name));
  if (!uvm) return;
  const pages = Object.entries(uvm[1]).filter(([name]) => /^pages_channel\d+$/.test(name)).map(([, n]) => n);
  if (pages.length < 2) return;
  const all = memoriesOf(pages.length);
  if (!all) return;
  const moved = all.map((m) => m.bytes);
  const [pageMean, byteMean] = [sum(pages) / pages.length, sum(moved) / moved.length];
  const words = [`Balance, the average over the most, 1 is even: pages ${short(balanceOf(pages))}, bytes ${short(balanceOf(moved))}.`,
    `${number(sum(pages))} pages, ${bytes(sum(moved))} read and written.`];
  const title = 'Pages and traffic of each memory';
  const kind = /gpu\d+$/.test(all[0].name) ? 'GPU' : /stack\d+$/.test(all[0].name) ? 'stack' : 'channel';
  const csv = () => [[kind, 'pages', 'bytes', 'pages, times the average', 'bytes, times the average'],
    ...all.map((m, i) => [m.name, pages[i], m.bytes, pageMean ? pages[i] / pageMean : 0, byteMean ? m.bytes / byteMean : 0])];
  const relative = (values, mean) => values.map((v) => (mean ? v / mean : 0));
  section('Pages', null, withTable(xyChart({title, note: words.join(' '), height: 150, labels: all.map((m) => String(lastNumber(m.name))), groups: parentGroups(all.map((m) => m.name)),
    names: all.map((m, i) => `${m.name}\n${number(pages[i])} pages, ${bytes(m.bytes)}`), x: {title: kind},
    y: {title: '× average', tip: (v) => `${number(v)} times the average`},
    series: [{name: 'pages', look: 0, kind: 'bar', values: relative(pages, pageMean)},
      {name: 'bytes', look: 1, kind: 'bar', values: relative(moved, byteMean)}], csv}), csv));
}
