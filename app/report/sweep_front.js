// SPDX-License-Identifier: Apache-2.0
// The Pareto front: designs over two objectives.

/** Most dominated designs that are drawn. The pointer finds all of them. */
const mostDominated = 2000;
const frontLook = 3;
const baseLook = 2;

/** Whether `a` is better than `b` in an objective. */
const isBetter = (o, a, b) => (objectives[o].goal === 'max' ? a > b : a < b);

/** The front's designs that are not dominated in the objectives x and y alone, best x first. */
function edgeOf(x, y) {
  const sign = (o) => (objectives[o].goal === 'max' ? -1 : 1);
  const sorted = [...frontDesigns].sort((a, b) => sign(x) * (a.values[x] - b.values[x]) || sign(y) * (a.values[y] - b.values[y]));
  const edge = [];
  for (const d of sorted) {
    if (!edge.length || isBetter(y, d.values[y], edge[edge.length - 1].values[y])) edge.push(d);
  }
  return edge;
}

/** A range around the values; logarithmic if they are of different orders of magnitude. */
function rangeAround(values, about) {
  if (isWide(values)) return {...logarithmic(values, about), log: true, format: tickText};
  const [min, max] = d3.extent(values);
  const space = (max - min) * 0.04 || Math.abs(max) * 0.05 || 1;
  const range = linear(min - space, max + space, about, false);
  const fine = d3.max(range.ticks.map(Math.abs)) > 200 * (range.ticks[1] - range.ticks[0]);
  const digits = range.scale.tickFormat(about);
  return {...range, format: fine ? (v) => digits(v).replace(/,/g, '\u202f') : tickText};
}

function frontLegend() {
  const dot = (x, y) => svg('circle', {cx: x + 10, cy: y, r: 3, 'class': 'dominated'});
  return [{name: 'dominated', mark: dot}, {name: 'front', mark: (x, y) => marker(x + 10, y, frontLook)},
    ...(base ? [{name: 'base design', mark: (x, y) => marker(x + 10, y, baseLook, true)}] : []),
    {name: 'chosen', mark: (x, y) => svg('circle', {cx: x + 10, cy: y, r: 7, 'class': 'chosen'})}];
}

/** Names of designs beside their marks, without overlap: at the first of four places that hides neither
 * a name nor a mark, else at one that hides no name. */
function nameMarks(root, area, marks) {
  const placed = [];
  for (const {x, y, name} of marks) {
    const wide = textWidth(name);
    const places = [[x + 8, y - 5], [x - 8 - wide, y - 5], [x + 8, y + 14], [x - 8 - wide, y + 14]]
        .map(([left, low]) => ({left, right: left + wide, y: low}))
        .filter((box) => box.left > area.left && box.right < area.right)
        .filter((box) => !placed.some((p) => box.left < p.right + 3 && p.left < box.right + 3 && Math.abs(p.y - box.y) < 13));
    const hides = (box) => marks.some((m) => m.x > box.left - 5 && m.x < box.right + 5 && m.y > box.y - 15 && m.y < box.y + 6);
    const box = places.find((p) => !hides(p)) || places[0];
    if (!box) continue;
    placed.push(box);
    root.append(text(box.left, box.y, name, {'class': 'name halo'}));
  }
}

function frontDraw(state, title) {
  return (width, again) => {
    state.again = again;
    const {root} = picture(width, 10, title);
    const single = objectives.length === 1;
    const xOf = (d) => (single ? d.id : d.values[state.x]);
    const yOf = (d) => d.values[state.y];
    const shown = base && base.complete && !single ? [...complete, base] : complete;
    const xRange = rangeAround(shown.map(xOf), Math.max(2, width / 90));
    const yRange = rangeAround(shown.map(yOf), 6);
    const titleOf = (o, log) => `${objectiveText(objectives[o])}${log ? ' (logarithmic)' : ''}`;
    const spec = {height: width < 460 ? 260 : 340,
      x: {title: single ? 'design' : titleOf(state.x, xRange.log), log: xRange.log, format: single ? (v) => (Number.isInteger(v) ? number(v) : '') : xRange.format},
      y: {title: titleOf(state.y, yRange.log), format: yRange.format}};
    const a = axes(root, spec, width, legend(root, frontLegend(), width, 0) + 8, xRange, yRange);
    const place = (d) => [a.x(xOf(d)), a.y(yOf(d))];
    for (const d of thinned(complete.filter((one) => !one.front), mostDominated)) {
      const [x, y] = place(d);
      root.append(svg('circle', {cx: x.toFixed(1), cy: y.toFixed(1), r: 3, 'class': 'dominated'}));
    }
    const edge = single ? frontDesigns : edgeOf(state.x, state.y);
    if (!single) {
      const steps = edge.map(place);
      const path = steps.map(([x, y], i) => (i ? `H${x.toFixed(1)}V${y.toFixed(1)}` : `M${x.toFixed(1)},${y.toFixed(1)}`)).join('');
      root.append(svg('path', {d: path, 'class': 'line front', style: `stroke:${colourOf(frontLook)}`}));
    }
    for (const d of frontDesigns) {
      const mark = marker(...place(d), frontLook);
      mark.classList.add('front');
      mark.setAttribute('data-tip', designTip(d));
      root.append(mark);
    }
    // Of a large front of three objectives, the designs of the line have names.
    const named = frontDesigns.length > 30 ? edge : frontDesigns;
    const names = [];
    for (const d of named) {
      const [x, y] = place(d);
      const same = names.find((n) => n.x === x && n.y === y);
      if (same) same.name += `, ${d.id}`;
      else names.push({x, y, name: String(d.id)});
    }
    if (shown.includes(base)) {
      const [x, y] = place(base);
      const mark = marker(x, y, baseLook, true);
      mark.classList.add('base');
      mark.setAttribute('data-tip', designTip(base));
      root.append(mark);
      names.unshift({x, y, name: 'base'});
    }
    nameMarks(root, a, names);
    const ring = svg('g');
    root.append(ring);
    state.show = () => {
      const at = chosen && shown.includes(chosen) ? place(chosen) : null;
      showIn(ring, at && svg('circle', {cx: at[0].toFixed(1), cy: at[1].toFixed(1), r: 7, 'class': 'chosen'}));
    };
    state.show();
    const places = shown.map(place);
    nearestArea(root, a, (x, y) => {
      let [best, least] = [null, 15 * 15];
      places.forEach(([px, py], i) => {
        // Of designs at one place, the one on the front.
        const far = (px - x) ** 2 + (py - y) ** 2 - (shown[i].front ? 4 : 0);
        if (far < least) [best, least] = [shown[i], far];
      });
      return best;
    }, () => {});
    setHeight(root, width, a.end);
    return root;
  };
}

function frontChart() {
  const state = {x: 0, y: Math.min(1, objectives.length - 1), again: () => {}, show: () => {}};
  choiceListeners.push(() => state.show());
  const hidden = complete.length - frontDesigns.length - mostDominated;
  const note = [objectives.length > 2 ? 'The line is the front of the two shown objectives; the marks are the front of all.' : null,
    hidden > 0 ? `Drawn: the front and ${number(mostDominated)} of ${number(mostDominated + hidden)} dominated designs. The pointer finds all.` : null,
  ].filter((t) => t).join(' ');
  const title = 'Designs by objectives';
  const panel = chart(title, [note, hint(' Click on a design to see its configuration.')], frontDraw(state, title), () => [['design', 'front', ...objectives.map((o) => o.name)],
    ...[...(base ? [base] : []), ...complete].map((d) => [d.id, d.front, ...d.values])]);
  if (objectives.length > 2) {
    const names = objectives.map((o) => o.name);
    const pick = (key, label) => picker(label, names, state[key], (i) => {
      state[key] = i;
      state.again();
    });
    panel.querySelector('.plot').before(el('div', {className: 'choose'}, pick('x', 'across'), pick('y', 'up')));
  }
  return panel;
}
