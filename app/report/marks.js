// SPDX-License-Identifier: Apache-2.0
// The kinds of charts: bars, lines and points over axes; bars of shares; bars of parts; a matrix.

/** Layout of names under an axis: horizontal, slanted, or only every n-th name. */
function nameFit(labels, slot) {
  const widest = Math.max(...labels.map(textWidth), 0);
  if (widest + 6 <= slot) return {height: 18, every: 1, slanted: false};
  if (labels.every((l) => /^\d+$/.test(l))) return {height: 18, every: Math.ceil((widest + 8) / slot), slanted: false};
  return {height: Math.min(110, widest * 0.7 + 16), every: Math.ceil(14 / slot), slanted: true};
}

/** Groups of blocks with the same parent, in their order: [{name, count}]; null for one group, or for
 * groups of one block. */
function parentGroups(modules) {
  const groups = [];
  for (const parent of modules.map((m) => shortName(m).replace(/\.?[^.]*$/, ''))) {
    const last = groups[groups.length - 1];
    if (last && last.name === parent) ++last.count;
    else groups.push({name: parent, count: 1});
  }
  return groups.length > 1 && groups.some((g) => g.count > 1) ? groups : null;
}

/** Names below the names of an axis, each of `count` places in a row, with lines between the groups.
 * Returns their lower end. */
function groupNames(root, groups, a) {
  const wide = groups.map((g) => g.count * a.slot);
  const fits = groups.every((g, i) => textWidth(g.name) + 6 <= wide[i]);
  const fit = fits ? {height: 16, slanted: false} : nameFit(groups.map((g) => g.name), Math.min(...wide));
  const every = fit.every || 1;
  let at = a.left;
  groups.forEach((g, i) => {
    if (i) root.append(svg('line', {x1: at.toFixed(1), x2: at.toFixed(1), y1: a.top, y2: a.bottom + 4, 'class': 'grid'}));
    const x = at + wide[i] / 2;
    at += wide[i];
    if (i % every) return;
    const turned = fit.slanted ? {'class': 'end', transform: `rotate(-42 ${x.toFixed(1)} ${a.bottom + 10})`} : {'class': 'middle'};
    root.append(text(x, a.bottom + (fit.slanted ? 10 : 13), g.name, {...turned, 'class': turned['class'] + ' name'}));
  });
  return a.bottom + fit.height;
}

/** Draws the axes of `spec`. Returns the positions of values and names and the area for marks. */
function axes(root, spec, width, top, xRange, yRange) {
  const places = spec.labels ? spec.labels.length : 0;
  const format = spec.y.format || tickText;
  const left = Math.max(...yRange.ticks.map((v) => textWidth(format(v)))) + 10 + (spec.y.title ? 18 : 0);
  const right = width - 10;
  const slot = (right - left) / Math.max(1, places);
  const fit = places ? nameFit(spec.labels, slot) : {height: 18};
  const bottom = top + (spec.height || 230);
  const y = yRange.scale.range([bottom, top]);
  const x = places ? (i) => left + slot * (i + 0.5) : xRange.scale.range([left, right]);
  for (const v of yRange.ticks) {
    root.append(svg('line', {x1: left, x2: right, y1: y(v).toFixed(1), y2: y(v).toFixed(1), 'class': 'grid'}),
        text(left - 6, y(v) + 4, format(v), {'class': 'end'}));
  }
  if (spec.x && spec.x.log) {
    for (const v of xRange.ticks) {
      root.append(svg('line', {x1: x(v).toFixed(1), x2: x(v).toFixed(1), y1: top, y2: bottom, 'class': 'grid'}));
    }
  }
  if (spec.y.title) {
    const middle = (top + bottom) / 2;
    root.append(text(11, middle, spec.y.title, {'class': 'middle', transform: `rotate(-90 11 ${middle.toFixed(1)})`}));
  }
  if (places) {
    // Names begin with each group; the last ones leave room for the next group's first.
    const inGroup = (spec.groups || [{count: places}]).flatMap((g) => d3.range(g.count).map((k) => [k, g.count - k]));
    spec.labels.forEach((name, i) => {
      const [before, after] = inGroup[i];
      if (before % fit.every || (before && after < fit.every && spec.groups)) return;
      const turned = fit.slanted ? {'class': 'end', transform: `rotate(-42 ${x(i).toFixed(1)} ${bottom + 12})`} : {'class': 'middle'};
      root.append(text(x(i), bottom + (fit.slanted ? 12 : 15), name, turned));
    });
  } else {
    for (const v of xRange.ticks) root.append(text(x(v), bottom + 15, (spec.x.format || tickText)(v), {'class': 'middle'}));
  }
  let end = bottom + fit.height;
  if (spec.groups) end = groupNames(root, spec.groups, {left, right, slot, top, bottom: end});
  if (spec.x && spec.x.title) {
    end += 18;
    root.append(text((left + right) / 2, end - 3, spec.x.title, {'class': 'middle'}));
  }
  root.append(svg('line', {x1: left, x2: right, y1: bottom, y2: bottom, 'class': 'axis'}));
  return {x, y, left, right, top, bottom, slot, end: end + 4};
}

/** Text of a tip: all values of a chart at one position. */
function tipOf(spec, label, at) {
  const lines = spec.series.filter((s) => !s.hidden && isNumber(at(s)))
      .map((s) => `${s.name}: ${(spec.y.tip || number)(at(s))}${spec.y.unit ? ' ' + spec.y.unit : ''}`);
  return [label, ...lines].join('\n');
}

function drawLine(root, points, s) {
  const path = d3.svg.line()(points.map((p) => [p[0].toFixed(1), p[1].toFixed(1)]));
  const color = s.average ? 'var(--soft)' : colourOf(s.look);
  if (!s.points || s.joined) {
    root.append(svg('path', {d: path, 'class': 'line', 'stroke-dasharray': s.average ? '4 4' : dashOf(s.look, s.paper),
      style: `stroke:${color}`}));
  }
  if (s.average) return;
  // Markers at about twelve points, at different points for each series.
  const stride = s.points && !s.thin ? 1 : Math.ceil(points.length / 12);
  points.forEach((p, i) => {
    if (i % stride !== s.look % stride) return;
    const m = marker(p[0], p[1], s.look, s.paper);
    if (p[2]) m.setAttribute('data-tip', p[2]);
    root.append(m);
  });
}

function drawBars(root, defs, spec, a, base) {
  const shown = spec.series.filter((s) => s.kind === 'bar' && !s.hidden);
  const groups = [...new Set(shown.map((s) => s.stack || s))];
  const alone = spec.series.length === 1;
  const wide = Math.min(34, a.slot * (groups.length > 1 ? 0.8 : 0.85) / Math.max(1, groups.length));
  const gap = wide > 4 ? 1 : 0;
  spec.labels.forEach((_, i) => {
    groups.forEach((group, g) => {
      const left = a.x(i) - wide * groups.length / 2 + wide * g;
      let sum = base;
      for (const s of shown.filter((one) => (one.stack || one) === group)) {
        if (!isNumber(s.values[i])) continue;
        const from = s.stack ? sum : base;
        const to = s.stack ? sum + s.values[i] : s.values[i];
        sum = to;
        const [high, low] = [a.y(Math.max(from, to)), a.y(Math.min(from, to))];
        root.append(svg('rect', {x: (left + gap / 2).toFixed(2), width: Math.max(0.7, wide - gap).toFixed(2), y: high.toFixed(1),
          height: Math.max(0, low - high).toFixed(1), 'class': s.paper ? 'bar paper' : 'bar',
          style: s.paper ? `stroke:${colourOf(s.look)}` : `fill:${alone ? colourOf(s.look) : fillOf(defs, s.look)}`}));
      }
    });
  });
}

/** The lines y = ratio * x of `spec.guides`: {ratio, name, light}. */
function drawGuides(root, spec, xRange, yRange, a) {
  const [[left, right], [low, high]] = [xRange.scale.domain(), yRange.scale.domain()];
  for (const g of spec.guides) {
    const [from, to] = [Math.max(left, low / g.ratio), Math.min(right, high / g.ratio)];
    if (!(from < to)) continue;
    root.append(svg('line', {x1: a.x(from).toFixed(1), y1: a.y(g.ratio * from).toFixed(1), x2: a.x(to).toFixed(1),
      y2: a.y(g.ratio * to).toFixed(1), 'class': g.light ? 'guide light' : 'guide', 'data-tip': g.name}));
  }
}

/**
 * Bars and lines over names (`labels`; a series has `values`), or lines and points over numbers
 * (`x: {title, min, max}`; a series has `points`: {x, y, label}). Members of a series: `name`, `look`
 * (its index), `kind` ('bar' or 'line'), `paper` (the paper's values), `stack`, `average`. An axis
 * with `log` is logarithmic. `sameRange`: both axes have the same range. `guides`: see drawGuides.
 */
function xyDraw(spec) {
  return (width, again, visible = width) => {
    const {root, defs} = picture(width, 10, spec.title);
    const items = spec.series.map((s) => ({name: s.name, off: s.hidden, click: () => {
      s.hidden = !s.hidden;
      again();
    }, mark: (x, y) => legendMark(defs, s, x, y)}));
    for (const light of [false, true]) {
      const names = (spec.guides || []).filter((g) => Boolean(g.light) === light).map((g) => g.name);
      if (names.length) {
        items.push({name: names.join(', '), mark: (x, y) => svg('line', {x1: x, x2: x + 20, y1: y, y2: y,
          'class': light ? 'guide light' : 'guide'})});
      }
    }
    const top = (items.length > 1 ? legend(root, items, visible, 0) : 0) + 8;
    const shown = spec.series.filter((s) => !s.hidden);
    const all = shown.flatMap((s) => (s.points ? s.points.map((p) => p.y) : s.values)).filter(isNumber);
    for (const stack of new Set(shown.map((s) => s.stack).filter((s) => s))) {
      spec.labels.forEach((_, i) => all.push(sum(shown.filter((s) => s.stack === stack).map((s) => s.values[i] || 0))));
    }
    const xs = spec.labels ? [] : spec.series.flatMap((s) => s.points.map((p) => p.x));
    const both = spec.sameRange ? [...xs, ...all] : null;
    const yRange = spec.y.log ? logarithmic(both || all, 12)
      : linear(Math.min(0, ...all), spec.y.max || Math.max(0, ...all), 5, spec.y.max !== undefined);
    const xRange = spec.labels ? null : spec.x.log ? logarithmic(both || xs, Math.max(2, width / 60))
      : spec.x.max !== undefined ? linear(spec.x.min || 0, spec.x.max, Math.max(2, width / 90), true)
      : linear(Math.min(0, ...xs), Math.max(...xs), Math.max(2, width / 90), false);
    const a = axes(root, spec, width, top, xRange, yRange);
    drawHits(root, spec, a);
    if (spec.guides) drawGuides(root, spec, xRange, yRange, a);
    if (spec.labels) drawBars(root, defs, spec, a, spec.y.log ? yRange.scale.domain()[0] : 0);
    for (const s of shown.filter((one) => one.kind !== 'bar')) {
      const points = s.points ? s.points.map((p) => [a.x(p.x), a.y(p.y), p.tip || (p.label && spec.byPoint
        ? `${s.name}, ${p.label}\n${number(p.y)} at ${number(p.x)}` : null)])
        : s.values.map((v, i) => (isNumber(v) ? [a.x(i), a.y(v)] : null)).filter((p) => p);
      if (points.length) drawLine(root, points, s);
    }
    root.setAttribute('viewBox', `0 0 ${Math.round(width)} ${Math.round(a.end)}`);
    root.setAttribute('height', Math.round(a.end));
    return root;
  };
}

function legendMark(defs, s, x, y) {
  const style = s.paper ? `stroke:${colourOf(s.look)}` : s.average ? 'stroke:var(--soft)' : `fill:${fillOf(defs, s.look)}`;
  if (s.kind === 'bar') return svg('rect', {x, y: y - 6, width: 18, height: 12, style, 'class': s.paper ? 'bar paper' : 'bar'});
  const line = svg('line', {x1: x, x2: x + 20, y1: y, y2: y, 'class': 'line', 'stroke-dasharray': s.average ? '4 4' : dashOf(s.look, s.paper),
    style: `stroke:${s.average ? 'var(--soft)' : colourOf(s.look)}`});
  return svg('g', {}, s.points && !s.joined ? null : line, s.average ? null : marker(x + 10, y, s.look, s.paper));
}

/** Transparent columns over the chart that show tips. */
function drawHits(root, spec, a) {
  const hit = (from, to, tip) => root.append(svg('rect', {x: from.toFixed(1), width: Math.max(0, to - from).toFixed(1), y: a.top,
    height: a.bottom - a.top, 'class': 'hit', 'data-tip': tip, 'data-only-tip': ''}));
  if (spec.labels) {
    spec.labels.forEach((name, i) => hit(a.x(i) - a.slot / 2, a.x(i) + a.slot / 2,
        tipOf(spec, (spec.names || spec.labels)[i], (s) => s.values[i])));
  } else if (!spec.byPoint && spec.series.length) {
    const at = spec.series[0].points.map((p) => p.x);
    at.forEach((v, i) => hit(a.x(i ? (at[i - 1] + v) / 2 : 0), a.x(i + 1 < at.length ? (v + at[i + 1]) / 2 : spec.x.max),
        tipOf(spec, spec.x.tip ? spec.x.tip(i) : number(v), (s) => s.points[i].y)));
  }
}

/** The chart without the values that are not above 0, if their axis is logarithmic. Its note counts
 * them. */
function withoutUnplaced(spec) {
  const fits = (axis, v) => !axis || !axis.log || !isNumber(v) || v > 0;
  let unplaced = 0;
  const keep = (fitting) => {
    if (!fitting) ++unplaced;
    return fitting;
  };
  const series = spec.series.map((s) => (s.points
    ? {...s, points: s.points.filter((p) => keep(fits(spec.x, p.x) && fits(spec.y, p.y)))}
    : {...s, values: s.values.map((v) => (keep(fits(spec.y, v)) ? v : null))}));
  if (!unplaced) return spec;
  const count = unplaced === 1 ? '1 value that is' : `${unplaced} values that are`;
  return {...spec, series, note: [(spec.note || '').replace(/\.$/, ''), `Without ${count} not above 0: the axis is logarithmic.`].filter((t) => t).join('. ')};
}

/** The width in which each bar of a group has 3 pixels. */
function leastWidth(spec) {
  const bars = spec.series.filter((s) => s.kind === 'bar');
  const beside = new Set(bars.map((s) => s.stack || s)).size;
  return spec.labels && beside > 1 ? 60 + Math.ceil(spec.labels.length * beside * 3 / 0.8) : 200;
}

/** A chart over axes, with its numbers as CSV. */
function xyChart(spec) {
  const csv = spec.csv || (() => (spec.labels
    ? [[spec.x && spec.x.title || '', ...spec.series.map((s) => s.name)],
      ...(spec.names || spec.labels).map((name, i) => [name, ...spec.series.map((s) => s.values[i])])]
    : [['series', 'point', spec.x.title, spec.y.title],
      ...spec.series.flatMap((s) => s.points.map((p) => [s.name, p.label, p.x, p.y]))]));
  const drawn = withoutUnplaced(spec);
  return chart(drawn.title, drawn.note, xyDraw(drawn), csv, leastWidth(drawn));
}

/** Rows of bars, one below the other. Draws the rows' `name` and `words` beside the bars, or above them
 * if the picture is narrow. Returns the area of the bars and the top of each. */
function barRows(root, rows, width, top) {
  const names = rows.map((r) => textWidth(r.name));
  const words = rows.map((r) => textWidth(r.words));
  const beside = width >= 460;
  const lines = beside ? 0 : rows.some((_, i) => names[i] + words[i] + 8 > width) ? 2 : 1;
  const high = 26 + 14 * lines;
  const y = (i) => top + i * high + 4 + 14 * lines;
  rows.forEach((r, i) => {
    root.append(text(0, beside ? y(i) + 13 : y(i) + 10 - 14 * lines, r.name, {'class': 'name'}),
        text(width, beside ? y(i) + 13 : y(i) - 4, r.words, {'class': 'end'}));
  });
  return {y, left: beside ? Math.max(...names) + 12 : 0, right: width - (beside ? Math.max(...words) + 12 : 4),
    end: top + rows.length * high + (beside ? 6 : 2)};
}

/** Bars of shares, full at 100 %. `rows`: {name, share, look, words, most: the largest share}; `of`: the
 * title of the axis. */
function shareDraw(rows, title, of) {
  return (width) => {
    const {root} = picture(width, 10, title);
    const area = barRows(root, rows, width, 0);
    const {left, right, end} = area;
    const x = (share) => left + Math.min(1, share) * (right - left);
    rows.forEach((r, i) => {
      const y = area.y(i);
      const tip = {'data-tip': `${r.name}\n${r.words}` + (isNumber(r.most) ? `\n${percent(r.most)} in the busiest interval` : '')};
      root.append(svg('rect', {x: left, y, width: right - left, height: 16, 'class': 'track', ...tip}),
          svg('rect', {x: left, y, width: Math.max(1, x(r.share) - left).toFixed(1), height: 16, 'class': 'bar',
            style: `fill:${colourOf(r.look)}`, ...tip}));
      if (isNumber(r.most)) {
        root.append(svg('rect', {x: (x(r.most) - 1).toFixed(1), y: y - 2, width: 2, height: 20, 'class': 'most', ...tip}));
      }
    });
    for (const v of right - left < 240 ? [0, 0.5, 1] : [0, 0.25, 0.5, 0.75, 1]) {
      root.append(text(x(v), end + 12, percent(v), {'class': v === 0 ? 'start' : v === 1 ? 'end' : 'middle'}));
    }
    root.append(text((left + right) / 2, end + 29, of, {'class': 'middle'}));
    root.setAttribute('viewBox', `0 0 ${Math.round(width)} ${end + 34}`);
    root.setAttribute('height', end + 34);
    return root;
  };
}

/** Bars of named parts, one bar below the other. `strips`: [{parts: [{name, part, share}], show}];
 * without `show`, the share alone is shown. */
function stripDraw(strips, title) {
  return (width) => {
    const {root, defs} = picture(width, 10, title);
    let top = 0;
    for (const {parts, show} of strips) {
      let at = 0;
      const wordsOf = ({part, share}) => (show ? `${show(part)} (${percent(share)})` : percent(share));
      parts.forEach(({name, part, share}, i) => {
        const wide = width * share;
        const tip = `${name}: ${wordsOf({part, share})}`;
        root.append(svg('rect', {x: (at + (i ? 1 : 0)).toFixed(1), y: top + 16, width: Math.max(0.8, wide - (i ? 1 : 0)).toFixed(1), height: 26,
          style: `fill:${fillOf(defs, i)}`, 'class': 'bar', 'data-tip': tip}));
        // The part's name above it, because colour alone does not distinguish the parts.
        const words = [name, percent(share)].find((w) => textWidth(w) + 6 < wide);
        if (words) root.append(text(at + wide / 2, top + 11, words, {'class': 'middle'}));
        at += wide;
      });
      const items = parts.map((p, i) => ({name: `${p.name} ${wordsOf(p)}`,
        mark: (x, y) => svg('rect', {x: x + 1, y: y - 6, width: 18, height: 12, style: `fill:${fillOf(defs, i)}`, 'class': 'bar'})}));
      top += 50 + legend(root, items, width, top + 50) + 6;
    }
    root.setAttribute('viewBox', `0 0 ${Math.round(width)} ${Math.round(top)}`);
    root.setAttribute('height', Math.round(top));
    return root;
  };
}

function stripChart(title, note, strips) {
  return chart(title, note, stripDraw(strips, title),
      () => [['part', 'value'], ...strips.flatMap((s) => s.parts.map((p) => [p.name, p.part]))]);
}

/** A matrix, darker for more; every cell has its number. `cells[row][column]`: a number or null. */
function matrixDraw(rows, columns, cells, show, title) {
  return (width) => {
    const {root} = picture(width, 10, title);
    const left = Math.max(...rows.map(textWidth)) + 10;
    const slot = (width - left) / columns.length;
    const most = Math.max(1, ...cells.flat().filter(isNumber));
    columns.forEach((name, c) => root.append(text(left + slot * (c + 0.5), 14, name, {'class': 'middle'})));
    cells.forEach((row, r) => {
      const y = 22 + r * 26;
      root.append(text(0, y + 17, rows[r], {'class': 'name'}));
      row.forEach((v, c) => {
        const words = isNumber(v) ? show(v) : '–';
        root.append(svg('rect', {x: (left + slot * c).toFixed(1), y, width: Math.max(1, slot - 2).toFixed(1), height: 24, 'class': 'cell',
          style: `fill-opacity:${isNumber(v) ? (0.04 + 0.5 * v / most).toFixed(3) : 0}`,
          'data-tip': `${rows[r]} to ${columns[c]}: ${words}`}));
        if (textWidth(words) < slot) root.append(text(left + slot * (c + 0.5), y + 16, words, {'class': 'middle name'}));
      });
    });
    root.setAttribute('viewBox', `0 0 ${Math.round(width)} ${22 + rows.length * 26}`);
    root.setAttribute('height', 22 + rows.length * 26);
    return root;
  };
}
