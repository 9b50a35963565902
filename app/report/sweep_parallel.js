// SPDX-License-Identifier: Apache-2.0
// Parallel coordinates: an axis for each parameter and objective, and a line for each design.

const mostLines = 400;

/** The axes: {name, ticks: [{at: 0 to 1, words}], of: position of a design from 0 to 1}. */
function parallelAxes() {
  const spread = dimensions.map((p) => {
    if (p.levels) {
      const at = (i) => (p.levels.length > 1 ? i / (p.levels.length - 1) : 0.5);
      const index = new Map(p.levels.map((v, i) => [v, i]));
      const every = Math.ceil(p.levels.length / 12);
      return {name: p.name, of: (d) => at(index.get(p.of(d))),
        ticks: p.levels.map((v, i) => ({at: at(i), words: settingText(v)})).filter((_, i) => i % every === 0)};
    }
    return {name: p.name, ...positions(p.of, p.from, p.to, p.log)};
  });
  const measured = objectives.map((o, i) => {
    const values = complete.map((d) => d.values[i]);
    const [min, max] = d3.extent(values);
    return {name: o.name, goal: o.goal, ...positions((d) => d.values[i], min, max, isWide(values))};
  });
  return [...spread, ...measured];
}

/** Positions of values between two limits, with ticks at both and between. */
function positions(value, from, to, log) {
  const scale = (log ? d3.scale.log() : d3.scale.linear()).domain([from, to]);
  const at = (v) => (to > from ? scale(v) : 0.5);
  const ticks = to > from ? [0, 1 / 3, 2 / 3, 1].map((t) => ({at: t, words: tickText(scale.invert(t))})) : [{at: 0.5, words: tickText(from)}];
  return {of: (d) => at(value(d)), ticks};
}

/** Places of the axes in the picture: vertical, or below each other if there is no room. */
function parallelLayout(coordinates, width) {
  const wide = (c) => Math.max(textWidth(c.name) + 14, ...c.ticks.map((t) => textWidth(t.words) + 20));
  const last = wide(coordinates[coordinates.length - 1]);
  const left = textWidth(coordinates[0].name) / 2 + 10;
  const step = (width - left - last) / Math.max(1, coordinates.length - 1);
  const vertical = coordinates.every((c) => wide(c) < 2 * step - 10) && step > 60;
  if (vertical) {
    const top = 62;
    const high = 250;
    return {vertical, end: top + high + 14, length: high, along: (i) => left + i * step,
      place: (i, t) => [left + i * step, top + high - t * high]};
  }
  const row = 62;
  const long = width - 24;
  return {vertical, end: 78 + (coordinates.length - 1) * row, length: long, along: (i) => 56 + i * row,
    place: (i, t) => [12 + t * long, 56 + i * row]};
}

function drawParallelAxis(root, c, i, layout) {
  const [x1, y1] = layout.place(i, 0);
  const [x2, y2] = layout.place(i, 1);
  root.append(svg('line', {x1, y1, x2, y2, 'class': 'axis'}));
  const name = c.name + (c.goal ? (c.goal === 'max' ? ' ↑' : ' ↓') : '');
  root.append(layout.vertical ? text(x2, y2 - (i % 2 ? 26 : 10), name, {'class': 'name middle halo'})
    : text(0, y1 - 9, name, {'class': 'name halo'}));
  let free = -Infinity;
  for (const t of c.ticks) {
    const [x, y] = layout.place(i, t.at);
    root.append(layout.vertical ? svg('line', {x1: x - 3, x2: x + 3, y1: y, y2: y, 'class': 'axis'})
      : svg('line', {x1: x, x2: x, y1: y - 3, y2: y + 3, 'class': 'axis'}));
    const half = textWidth(t.words) / 2;
    if (layout.vertical) {
      root.append(text(x + 6, y + 4, t.words, {'class': 'halo'}));
    } else if (x - half > free) {
      const at = Math.min(Math.max(x, half), layout.length + 24 - half);
      root.append(text(at, y + 15, t.words, {'class': 'middle halo'}));
      free = at + half + 6;
    }
  }
}

/** A drag along an axis selects a part of it; a click clears the selection. */
function brushAxis(root, i, layout, state) {
  const [x0, y0] = layout.place(i, 0);
  const length = layout.length;
  const part = svg('rect', {'class': 'selection', 'data-only-tip': ''});
  const show = ([from, to]) => {
    const [x, y] = layout.place(i, layout.vertical ? to : from);
    const size = Math.max(0, (to - from) * length);
    const box = layout.vertical ? {x: x - 8, y, width: 16, height: size} : {x, y: y - 8, width: size, height: 16};
    for (const [key, v] of Object.entries(box)) part.setAttribute(key, v.toFixed(1));
  };
  if (state.ranges.has(i)) show(state.ranges.get(i));
  const strip = layout.vertical ? {x: x0 - 9, y: y0 - length - 8, width: 18, height: length + 16}
    : {x: x0 - 8, y: y0 - 9, width: length + 16, height: 18};
  const grip = svg('rect', {...strip, 'class': layout.vertical ? 'grip' : 'grip across', 'data-only-tip': '',
    'data-tip': 'Drag to select designs; click to select all.'});
  let from = null;
  const at = (e) => {
    const [x, y] = pointerAt(root, e);
    return Math.max(0, Math.min(1, layout.vertical ? (y0 - y) / length : (x - x0) / length));
  };
  const span = (e) => [from, at(e)].sort((a, b) => a - b);
  grip.addEventListener('pointerdown', (e) => {
    from = at(e);
    grip.setPointerCapture(e.pointerId);
  });
  grip.addEventListener('pointermove', (e) => {
    if (from !== null) show(span(e));
  });
  grip.addEventListener('pointerup', (e) => {
    if (from === null) return;
    const [low, high] = span(e);
    from = null;
    if ((high - low) * length < 4) state.ranges.delete(i);
    else state.ranges.set(i, [low, high]);
    state.again();
  });
  root.append(part, grip);
}

function parallelDraw(coordinates, state, title) {
  // Positions of all designs, because hovering compares all of them.
  const rows = complete.map((d) => ({d, at: coordinates.map((c) => c.of(d))}));
  return (width, again) => {
    state.again = again;
    const {root} = picture(width, 10, title);
    legend(root, [
      {name: 'dominated', mark: (x, y) => svg('line', {x1: x, x2: x + 20, y1: y, y2: y, 'class': 'design'})},
      {name: 'front', mark: (x, y) => svg('line', {x1: x, x2: x + 20, y1: y, y2: y, 'class': 'design front'})},
      {name: 'chosen', mark: (x, y) => svg('line', {x1: x, x2: x + 20, y1: y, y2: y, 'class': 'design chosen'})}], width, 0);
    const layout = parallelLayout(coordinates, width);
    const passes = (row) => [...state.ranges].every(([i, [low, high]]) => row.at[i] >= low - 1e-9 && row.at[i] <= high + 1e-9);
    const passing = rows.filter(passes);
    const path = (row) => 'M' + row.at.map((t, i) => layout.place(i, t).map((v) => v.toFixed(1)).join(',')).join('L');
    const front = passing.filter((row) => row.d.front);
    const drawn = [...thinned(passing.filter((row) => !row.d.front), mostLines), ...thinned(front, mostLines)];
    // Many lines are more transparent, so that their density is visible.
    const opacity = (lines, most) => `stroke-opacity:${Math.max(0.25, Math.min(most, 30 / Math.max(1, lines))).toFixed(2)}`;
    for (const row of drawn) {
      root.append(svg('path', {d: path(row), ...(row.d.front ? {'class': 'design front', style: opacity(front.length, 0.8)}
        : {'class': 'design', style: opacity(drawn.length - front.length, 0.6)})}));
    }
    state.count.textContent = `${number(passing.length)} of ${number(rows.length)} designs selected, ${number(front.length)} of them on the front` +
      (drawn.length < passing.length ? `; ${number(drawn.length)} are drawn. Select fewer to see all.` : '.');
    const over = svg('g');
    const mark = svg('g');
    root.append(mark, over);
    coordinates.forEach((c, i) => drawParallelAxis(root, c, i, layout));
    state.show = () => {
      const row = chosen && rows.find((one) => one.d === chosen);
      showIn(mark, row && svg('path', {d: path(row), 'class': 'design chosen'}));
    };
    state.show();
    const [[left, high], [right, low]] = [layout.place(0, 1), layout.place(coordinates.length - 1, 0)];
    const area = layout.vertical ? {left, right, top: high, bottom: low} : {left: 0, right: width, top: high, bottom: low};
    nearestArea(root, area, (x, y) => {
      // Between two axes; the designs' lines cross there at `share` of the distance.
      const [where, across] = layout.vertical ? [x, y] : [y, x];
      const step = coordinates.length > 1 ? layout.along(1) - layout.along(0) : 1;
      const i = Math.max(0, Math.min(coordinates.length - 2, Math.floor((where - layout.along(0)) / step)));
      const share = (where - layout.along(i)) / step;
      const begin = layout.place(0, 0)[layout.vertical ? 1 : 0];
      const t = (layout.vertical ? begin - across : across - begin) / layout.length;
      let [best, least] = [null, 10 / layout.length];
      for (const row of passing) {
        const far = Math.abs(row.at[i] + share * ((row.at[i + 1] ?? row.at[i]) - row.at[i]) - t) - (row.d.front ? 1e-6 : 0);
        if (far < least) [best, least] = [row, far];
      }
      return best && best.d;
    }, (d) => showIn(over, d && svg('path', {d: path(rows.find((row) => row.d === d)), 'class': 'design hovered'})));
    coordinates.forEach((_, i) => brushAxis(root, i, layout, state));
    setHeight(root, width, layout.end);
    return root;
  };
}

function parallelChart() {
  const title = 'Parameters and objectives';
  const coordinates = parallelAxes();
  const state = {ranges: new Map(), again: () => {}, show: () => {}, count: el('p', {className: 'note'})};
  choiceListeners.push(() => state.show());
  const panel = chart(title, ['A line is a design. ↓: smaller is better, ↑: larger is better.',
    hint(' Drag along an axis to select designs; click on a line to choose its design.')], parallelDraw(coordinates, state, title),
  () => [['design', ...dimensions.map((p) => p.name), ...objectives.map((o) => o.name)],
    ...complete.map((d) => [d.id, ...dimensions.map((p) => p.of(d)), ...d.values])]);
  panel.append(state.count);
  return panel;
}
