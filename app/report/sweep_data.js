// SPDX-License-Identifier: Apache-2.0
// The designs of a sweep and the chosen design, which all parts of the report share.

const objectives = data.objectives;
const onFront = new Set(data.front);

/** Designs: `settings` by parameter, `values` by objective, `runs`: objectives by workload. A design
 * is complete if it has all objectives. */
const designs = data.designs.map(([platform, settings, values, runs], id) => ({id, platform: data.platforms[platform],
  settings, values, runs, front: onFront.has(id), complete: values.every(isNumber)}));
const complete = designs.filter((d) => d.complete);
const frontDesigns = data.front.map((id) => designs[id]);

/** The base design; null if no objective is relative. */
const base = data.base && {id: 'base', platform: data.platforms[0], settings: data.parameters.map(() => null),
  values: data.base, runs: [], front: false, complete: data.base.every(isNumber)};

/** Text of a setting, with all digits. */
const settingText = (v) => (v === null ? '–' : isNumber(v) && Number.isInteger(v) ? number(v) : String(v));

/** The levels of a parameter: those of the document and of the designs, numbers in order. Null for
 * a continuous range. */
function levelsOf(parameter, of) {
  if (!parameter.values) return null;
  const levels = [...new Set([...parameter.values, ...designs.map(of)])];
  if (levels.every((v) => isNumber(v) || v === null)) {
    levels.sort((a, b) => (a === null) - (b === null) || a - b);
  }
  return levels;
}

/** The swept dimensions: {name, unit, of: value of a design, levels or from, to, log}. */
const dimensions = data.parameters.map((p, i) => {
  const of = (d) => d.settings[i];
  return {name: p.name, unit: p.unit, of, levels: levelsOf(p, of), from: p.from, to: p.to, log: p.scale === 'log'};
});
if (data.platforms.length > 1) {
  dimensions.unshift({name: 'platform', unit: '', of: (d) => d.platform, levels: data.platforms});
}

/** Whether values are above 0 and of different orders of magnitude. */
const isWide = (values) => d3.min(values) > 0 && d3.max(values) > 50 * d3.min(values);

const goalText = (o) => (o.goal === 'max' ? 'larger is better' : 'smaller is better');

/** The title of an objective's axis. */
const objectiveText = (o) => `${o.name}${o.relative ? ', × base design' : ''}, ${goalText(o)}`;

/** At most `most` elements at equal distances. */
function thinned(list, most) {
  if (list.length <= most) return list;
  return Array.from({length: most}, (_, i) => list[Math.floor(i * list.length / most)]);
}

const designName = (d) => (d.id === 'base' ? 'base design' : `design ${d.id}${d.front ? ' (front)' : ''}`);

/** Settings and objectives of a design, a line each. */
const designTip = (d) => [designName(d), ...(d.id === 'base' ? [d.platform] : dimensions.map((p) => `${p.name}: ${settingText(p.of(d))}`)),
  ...objectives.map((o, i) => `${o.name}: ${number(d.values[i])}`)].join('\n');

let chosen = null;
const choiceListeners = [];

function choose(design) {
  chosen = design;
  for (const listener of choiceListeners) listener();
}

/** A labelled list of `names`. `change(index)` is called if another one is chosen. */
function picker(label, names, index, change) {
  const select = el('select', {}, ...names.map((name, i) => el('option', {value: i, selected: i === index}, name)));
  select.addEventListener('change', () => change(Number(select.value)));
  return el('label', {}, label + ' ', select);
}

/** The position of a pointer event in a picture. */
function pointerAt(root, e) {
  const box = root.getBoundingClientRect();
  const scale = root.viewBox.baseVal.width / box.width;
  return [(e.clientX - box.left) * scale, (e.clientY - box.top) * scale];
}

/** A transparent area whose tip and click are those of the design nearest to the pointer.
 * `nearest(x, y)`: a design or null. `hover(design)` is called if it changes. */
function nearestArea(root, area, nearest, hover) {
  const hit = svg('rect', {x: area.left, y: area.top, width: Math.max(0, area.right - area.left), height: area.bottom - area.top,
    'class': 'nearest', 'data-tip': '', 'data-only-tip': ''});
  const find = (e) => nearest(...pointerAt(root, e));
  hit.addEventListener('pointermove', (e) => {
    const d = find(e);
    hit.setAttribute('data-tip', d ? designTip(d) : '');
    hit.style.cursor = d ? 'pointer' : '';
    hover(d);
  });
  hit.addEventListener('pointerleave', () => hover(null));
  hit.addEventListener('click', (e) => {
    const d = find(e);
    if (d) choose(d);
  });
  root.append(hit);
}

/** Replaces the content of the group by the picture of a design. */
const showIn = (group, picture) => group.replaceChildren(...(picture ? [picture] : []));

function setHeight(root, width, height) {
  root.setAttribute('viewBox', `0 0 ${Math.round(width)} ${Math.round(height)}`);
  root.setAttribute('height', Math.round(height));
}
