// SPDX-License-Identifier: Apache-2.0
// Energy by component of the system, and by cause.

const energyCauses = [['events', 'dynamic_j'], ['leakage and clocks', 'static_j']];

const abbreviations = /^(sm|l\d|llc|dram|smd|hmd|cpu|tlb|mmu|mdr|rdma|iommu)$/;

/** "cpu_l1" becomes "CPU L1", "page_walker" "page walker". */
const componentName = (key) => (key === 'noc' ? 'NoC'
  : key.split('_').map((w) => (abbreviations.test(w) ? w.toUpperCase() : w)).join(' '));

function drawEnergy(rows, title) {
  return (width) => {
    const {root, defs} = picture(width, 10, title);
    const start = legend(root, energyCauses.map(([name], look) => ({name, mark: (x, y) =>
      svg('rect', {x: x + 1, y: y - 6, width: 18, height: 12, style: `fill:${fillOf(defs, look)}`, 'class': 'bar'})})), width, 0) + 6;
    const area = barRows(root, rows, width, start);
    const {left, right, end} = area;
    const most = Math.max(...rows.map((r) => r.total || 0)) || 1;
    rows.forEach((r, i) => {
      const y = area.y(i);
      if (r.total === null) return;
      root.append(svg('rect', {x: left.toFixed(1), y, width: (right - left).toFixed(1), height: 16, 'class': 'track'}));
      let at = left;
      r.causes.forEach((j, look) => {
        const wide = (right - left) * j / most;
        root.append(svg('rect', {x: at.toFixed(1), y, width: Math.max(0, wide).toFixed(1), height: 16, style: `fill:${fillOf(defs, look)}`, 'class': 'bar',
          'data-tip': `${r.name}, ${energyCauses[look][0]}: ${joules(j)}`}));
        at += wide;
      });
    });
    root.setAttribute('viewBox', `0 0 ${Math.round(width)} ${Math.round(end)}`);
    root.setAttribute('height', Math.round(end));
    return root;
  };
}

/** Components with a model: joules by cause. Others: without a bar. */
function energy() {
  const e = stats.energy || {};
  const parts = Object.entries(e).filter(([, part]) => isObject(part));
  if (!parts.length || !(e.total_j > 0)) return null;
  const modelled = (part) => isNumber(part.total_j) && !('not_modelled' in part);
  const rows = parts.filter(([, part]) => !modelled(part) || part.total_j > 0).map(([key, part]) => {
    const name = componentName(key);
    return modelled(part) ? {name, total: part.total_j, causes: energyCauses.map(([, c]) => part[c] || 0),
      words: `${joules(part.total_j)} · ${percent(part.total_j / e.total_j)}`} : {name, total: null, causes: [], words: 'not modelled'};
  });
  const note = 'The model of docs/blocks/power.md.' + (e.noc_area_mm2 > 0 ? ` The NoC draws ${short(e.noc_power_w)} W on ${short(e.noc_area_mm2)} mm².` : '');
  const title = `Energy: ${joules(e.total_j)}`;
  const csv = () => [['component', ...energyCauses.map(([name]) => `${name}, J`), 'total, J', 'share'],
    ...rows.map((r) => (r.total === null ? [r.name, null, null, null, null] : [r.name, ...r.causes, r.total, r.total / e.total_j]))];
  return chartWithTable(title, note, drawEnergy(rows, title), csv);
}
