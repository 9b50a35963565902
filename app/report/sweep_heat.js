// SPDX-License-Identifier: Apache-2.0
// Sensitivity, and the mean of an objective over two parameters.

/** The groups of a dimension's values: {names, of: index of a design's group}. A continuous range
 * has eight equal parts. */
function groupsOf(p) {
  const distinct = [...new Set(complete.map(p.of))];
  const levels = p.levels || (distinct.length <= 12 ? distinct.sort((a, b) => a - b) : null);
  if (levels) {
    const index = new Map(levels.map((v, i) => [v, i]));
    return {names: levels.map(settingText), of: (d) => index.get(p.of(d))};
  }
  const parts = 8;
  const scale = (p.log ? d3.scale.log() : d3.scale.linear()).domain([p.from, p.to]).range([0, parts]);
  const names = d3.range(parts).map((i) => `${tickText(scale.invert(i))} to ${tickText(scale.invert(i + 1))}`);
  return {names, of: (d) => Math.max(0, Math.min(parts - 1, Math.floor(scale(p.of(d)))))};
}

/** Cells of the complete designs: {mean, designs}, by row and column. */
function heatCells(across, up, objective) {
  const cells = up.names.map(() => across.names.map(() => ({total: 0, designs: 0})));
  for (const d of complete) {
    const cell = cells[up.of(d)][across.of(d)];
    cell.total += d.values[objective];
    ++cell.designs;
  }
  return cells.map((row) => row.map((c) => ({designs: c.designs, mean: c.designs ? c.total / c.designs : null})));
}

function shortened(words, wide) {
  if (textWidth(words) <= wide) return words;
  let length = words.length - 1;
  while (length > 1 && textWidth(words.slice(0, length) + '…') > wide) --length;
  return words.slice(0, length) + '…';
}

function heatDraw(state, title) {
  return (width, again) => {
    state.again = again;
    const {root} = picture(width, 10, title);
    const [px, py] = [dimensions[state.x], dimensions[state.y]];
    const [across, up] = [groupsOf(px), groupsOf(py)];
    const cells = heatCells(across, up, state.objective);
    const objective = objectives[state.objective];
    const means = cells.flat().map((c) => c.mean).filter(isNumber);
    const [min, max] = d3.extent(means);
    const best = objective.goal === 'max' ? max : min;
    const rowNames = up.names.map((name) => shortened(name, width * 0.35));
    const left = Math.max(...rowNames.map(textWidth)) + 10;
    const slot = (width - left - 2) / across.names.length;
    const high = 26;
    const top = 24;
    root.append(text(0, 14, `${py.name} (rows): mean of ${objectiveText(objective)}`, {'class': 'name'}));
    // The last level is on top, as on an axis.
    const y = (r) => top + (cells.length - 1 - r) * high;
    cells.forEach((row, r) => {
      root.append(text(left - 8, y(r) + 17, rowNames[r], {'class': 'end'}));
      row.forEach((c, i) => {
        const words = isNumber(c.mean) ? number(c.mean) : '–';
        const shade = isNumber(c.mean) ? 0.05 + 0.5 * (max > min ? (c.mean - min) / (max - min) : 0) : 0;
        const isBest = c.mean === best && max > min;
        root.append(svg('rect', {x: (left + slot * i + 1).toFixed(1), y: y(r) + 1, width: Math.max(1, slot - 2).toFixed(1), height: high - 2,
          'class': isBest ? 'cell best' : 'cell', style: `fill-opacity:${shade.toFixed(3)}`,
          'data-tip': `${px.name}: ${across.names[i]}\n${py.name}: ${up.names[r]}\n${objective.name}: ${words}\nmean of ${c.designs} design${c.designs === 1 ? '' : 's'}` +
            (isBest ? '\nbest mean' : '')}));
        if (textWidth(words) < slot) root.append(text(left + slot * (i + 0.5), y(r) + 17, words, {'class': 'middle name'}));
      });
    });
    const bottom = top + cells.length * high;
    const fit = nameFit(across.names, slot);
    across.names.forEach((name, i) => {
      if (i % fit.every) return;
      const x = left + slot * (i + 0.5);
      root.append(text(x, bottom + (fit.slanted ? 12 : 15), fit.slanted ? shortened(name, 130) : name,
          fit.slanted ? {'class': 'end', transform: `rotate(-42 ${x.toFixed(1)} ${bottom + 12})`} : {'class': 'middle'}));
    });
    const end = bottom + fit.height + 18;
    root.append(text((left + width) / 2, end - 3, px.name, {'class': 'middle name'}));
    setHeight(root, width, end + 4);
    return root;
  };
}

function heatChart() {
  const effects = data.sensitivity.length ? data.sensitivity[0].main : [];
  const largest = [...effects].sort((a, b) => b.share - a.share).map((m) => dimensions.findIndex((p) => p.name === m.parameter));
  const [x, y] = largest.length > 1 ? largest : [0, 1];
  const state = {x, y, objective: 0, again: () => {}};
  const title = 'Mean over two parameters';
  const panel = chart(title, 'Arithmetic mean over the designs with these two values, whatever their other values. A stronger ' +
      'colour is a larger mean; the frame marks the best one.', heatDraw(state, title), () => {
    const [px, py] = [dimensions[state.x], dimensions[state.y]];
    const [across, up] = [groupsOf(px), groupsOf(py)];
    return [[px.name, py.name, `mean of ${objectives[state.objective].name}`, 'designs'],
      ...heatCells(across, up, state.objective).flatMap((row, r) => row.map((c, i) => [across.names[i], up.names[r], c.mean, c.designs]))];
  });
  const names = dimensions.map((p) => p.name);
  const controls = el('div', {className: 'choose'});
  const show = () => {
    const dimension = (key, other, label) => picker(label, names, state[key], (i) => {
      // Two different parameters: the same one for both exchanges them.
      if (i === state[other]) state[other] = state[key];
      state[key] = i;
      show();
      state.again();
    });
    controls.replaceChildren(dimension('x', 'y', 'across'), dimension('y', 'x', 'up'),
        picker('objective', objectives.map((o) => o.name), state.objective, (i) => {
          state.objective = i;
          state.again();
        }));
  };
  show();
  panel.querySelector('.plot').before(controls);
  return panel;
}

const mostInteractions = 8;

/** Main effects of an objective as bars, and its largest interactions. */
function effectsPanel(s) {
  if (!s.main.length) return panel(s.objective, 'All designs have the same value.');
  const main = [...s.main].sort((a, b) => b.share - a.share);
  const title = `Effects on ${s.objective}`;
  const p = chart(title, `Shares of the variance over ${number(s.designs)} designs: parameters alone.`,
      shareDraw(main.map((m) => ({name: m.parameter, share: m.share, look: 0, words: percent(m.share < 0.0005 ? 0 : m.share)})), title, 'share of the variance'),
      () => [['parameters', 'share'], ...main.map((m) => [m.parameter, m.share]),
        ...s.interactions.map((i) => [i.parameters.join(' x '), i.share])]);
  const pairs = [...s.interactions].sort((a, b) => b.share - a.share).filter((i) => i.share >= 0.0005).slice(0, mostInteractions);
  if (pairs.length) {
    p.append(table([{title: 'largest interactions', name: true}, {title: 'share', number: true}],
        pairs.map((i) => [i.parameters.join(' × '), percent(i.share)])));
  }
  return p;
}
