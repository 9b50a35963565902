// SPDX-License-Identifier: Apache-2.0
// Load of the links of a mesh of routers, drawn on its grid.

const meshSides = {east: [1, 0], west: [-1, 0], south: [0, 1], north: [0, -1]};

/** The links of one direction of a mesh: {width, height, links: [{router, side, busy}]}; null without. */
function meshOf(statistics, direction) {
  const links = Object.entries(statistics).map(([name, busy]) => {
    const found = name.match(new RegExp(`^${direction}_router(\\d+)_(east|west|south|north)_busy_cycles$`));
    return found && {router: Number(found[1]), side: found[2], busy};
  }).filter((l) => l);
  if (!links.length) return null;
  // The first router without a link to the east ends the first row.
  const eastern = new Set(links.filter((l) => l.side === 'east').map((l) => l.router));
  let width = 1;
  while (eastern.has(width - 1)) ++width;
  const routers = Math.max(...links.map((l) => l.router)) + 1;
  return {width, height: Math.ceil(routers / width), links};
}

/** A square is a router. A line beside the middle between two routers is the link in one direction. */
function drawMesh(mesh, cycles, title) {
  return (width) => {
    const {root} = picture(width, 10, title);
    const pitch = Math.min(92, (width - 8) / (mesh.width - 0.4));
    const size = Math.max(12, pitch * 0.42);
    const left = Math.max(0, (width - (mesh.width - 1) * pitch - size) / 2);
    const most = Math.max(1, ...mesh.links.map((l) => l.busy));
    const at = (i) => [left + (i % mesh.width) * pitch + size / 2, 4 + Math.floor(i / mesh.width) * pitch + size / 2];
    for (const l of mesh.links) {
      const [dx, dy] = meshSides[l.side];
      const [x, y] = at(l.router);
      // Traffic keeps to the right, so that the two directions do not overlap.
      const beside = size * 0.24;
      const [ox, oy] = [-dy * beside, dx * beside];
      const [x1, y1] = [x + dx * size / 2 + ox, y + dy * size / 2 + oy];
      const [x2, y2] = [x + dx * (pitch - size / 2) + ox, y + dy * (pitch - size / 2) + oy];
      const tip = `router ${l.router} to the ${l.side}\n${number(l.busy)} cycles busy, ${percent(l.busy / cycles)}`;
      root.append(svg('line', {x1: x1.toFixed(1), y1: y1.toFixed(1), x2: x2.toFixed(1), y2: y2.toFixed(1), 'class': 'track link', 'stroke-width': (size * 0.3).toFixed(1)}),
          svg('line', {x1: x1.toFixed(1), y1: y1.toFixed(1), x2: x2.toFixed(1), y2: y2.toFixed(1), 'class': 'link busy', 'data-tip': tip,
            'stroke-width': (size * 0.3).toFixed(1), style: `stroke-opacity:${(l.busy / most).toFixed(3)}`}));
      // The head: the direction of the link.
      const head = Math.min(4, size * 0.14);
      const [hx, hy] = [x2 - dx * 1, y2 - dy * 1];
      root.append(svg('path', {'class': 'arrow', d: `M${(hx - dx * head - dy * head).toFixed(1)},${(hy - dy * head + dx * head).toFixed(1)}L${hx.toFixed(1)},${hy.toFixed(1)}` +
        `L${(hx - dx * head + dy * head).toFixed(1)},${(hy - dy * head - dx * head).toFixed(1)}`}));
    }
    for (let i = 0; i < mesh.width * mesh.height; ++i) {
      const [x, y] = at(i);
      root.append(svg('rect', {x: (x - size / 2).toFixed(1), y: (y - size / 2).toFixed(1), width: size.toFixed(1), height: size.toFixed(1), rx: 3, 'class': 'track router'}),
          text(x, y + 4, String(i), {'class': 'middle name'}));
    }
    const end = 4 + (mesh.height - 1) * pitch + size + 6;
    root.setAttribute('viewBox', `0 0 ${Math.round(width)} ${Math.round(end)}`);
    root.setAttribute('height', Math.round(end));
    return root;
  };
}

function meshPanels(name, statistics) {
  const config = (stats.config || {}).mesh || {};
  const cycles = (stats.time_ns || 0) * (config.clock_hz || 0) / 1e9;
  if (!(cycles > 0)) return [];
  return ['request', 'response'].map((direction) => {
    const mesh = meshOf(statistics, direction);
    if (!mesh) return null;
    const title = `Links of ${shortName(name)}: ${direction}s`;
    const sorted = [...mesh.links].sort((a, b) => b.busy - a.busy);
    const mean = sum(mesh.links.map((l) => l.busy)) / mesh.links.length;
    const note = `The stronger the colour, the busier the link: router ${sorted[0].router} to the ${sorted[0].side} carried a flit in ` +
      `${percent(sorted[0].busy / cycles)} of the cycles, the average link in ${percent(mean / cycles)}. Traffic keeps to the right.`;
    const csv = () => [['router', 'column', 'row', 'link to the', 'busy cycles', 'share of the cycles'],
      ...mesh.links.map((l) => [`router${l.router}`, l.router % mesh.width, Math.floor(l.router / mesh.width), l.side, l.busy, l.busy / cycles])];
    return chartWithTable(title, note, drawMesh(mesh, cycles, title), csv);
  }).filter((p) => p);
}

function meshes() {
  const panels = Object.entries(modules).flatMap(([name, statistics]) => meshPanels(name, statistics));
  if (panels.length) section('Mesh', null, el('div', {className: 'row loose'}, ...panels));
}
