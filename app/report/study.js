// SPDX-License-Identifier: Apache-2.0
// The report of a study: measured and published values.

const summary = data.summary;
const verdictNames = {holds: 'holds', direction: 'direction only', fails: 'fails', not_run: 'not run'};
const verdictClasses = {holds: 'good', direction: '', fails: 'bad', not_run: ''};

/** Median and worst error of each half and the correlation of both; empty if nothing was measured. */
function errorText(e) {
  const halves = ['fitted', 'test'].filter((half) => e && e[half].figures).map((half) =>
    `${half} median ${percent(e[half].median)}, worst ${percent(e[half].worst.error)} (${e[half].worst.claim})`);
  if (!halves.length) return '';
  if (isNumber(e.all.correlation)) halves.push(`correlation ${number(e.all.correlation)}`);
  return `Error against published figures: ${halves.join('; ')}`;
}

report.append(el('header', {}, el('h1', {}, data.title),
    el('div', {className: 'facts'},
        ...Object.keys(verdictNames).map((v) => el('span',
            {className: 'chip ' + (summary[v] ? verdictClasses[v] : '')}, `${summary[v]} ${verdictNames[v]}`)),
        summary.effect.claims ? el('span', {}, `effect: mean ${number(summary.effect.mean)}, median ` +
          `${number(summary.effect.median)}, of ${summary.effect.claims} ratio${summary.effect.claims === 1 ? '' : 's'}`) : null,
        el('span', {}, `scale ${data.scale}, seed ${data.seed}, ${data.values} values`),
        data.window ? el('span', {}, `window of ${number(data.window.detail)} thread instructions`)
          : null,
        data.source ? el('span', {}, data.source) : null),
    summary.error ? el('p', {className: 'note'}, errorText(summary.error)) : null));
for (const f of data.failed) {
  report.append(el('div', {className: 'banner'}, `${f.workload} on ${f.platform}: ${f.error}`));
}

const some = (values) => (values || []).some(isNumber);

/** A measured series and, if available, the published series. If stacked, measured and published
 * values have separate stacks. */
function pairOf(figure, s, look, kind) {
  const stacked = figure.chart.kind === 'stacked';
  const pair = [{name: s.name, look, kind, values: s.measured, stack: stacked ? 'measured' : undefined}];
  if (some(s.published)) {
    pair.push({name: s.name + ' (paper)', look, kind, paper: true, values: s.published, stack: stacked ? 'paper' : undefined});
  }
  return pair;
}

function scatterSeries(figure) {
  return figure.series.flatMap((s, look) => {
    const points = (x, y) => s.points.filter((p) => isNumber(p[x]) && isNumber(p[y]))
        .map((p) => ({x: p[x], y: p[y], label: p.label}));
    const said = points('published_x', 'published');
    return [{name: s.name, look, kind: 'line', joined: true, points: points('x', 'measured')},
      ...(said.length ? [{name: s.name + ' (paper)', look, kind: 'line', paper: true, points: said}] : [])];
  });
}

/** The claims of a correlation chart, measured or not. */
const claimsOf = (figure) => data.claims.filter((c) => c.half && c.figure === figure.figure);

/** The unit of a claim's values; empty for ratios, fractions and counts. */
const unitOf = (c) => (!c.value_kind || /^(ratio|fraction|fraction-loss|count)$/.test(c.value_kind) ? '' : c.value_kind);

/** Published (x) and measured (y) values, one series for each half. */
function correlationSeries(figure) {
  const measured = claimsOf(figure).filter((c) => isNumber(c.measured));
  const withUnit = (v, c) => [number(v), unitOf(c)].filter((t) => t).join(' ');
  return ['fitted', 'test'].map((half, look) => ({name: half, look, kind: 'line',
    points: measured.filter((c) => c.half === half).map((c) => ({x: c.published, y: c.measured, label: c.id,
      tip: `${c.id} (${half})\npublished ${withUnit(c.published, c)}\nmeasured ${withUnit(c.measured, c)}\nerror ${percent(c.error)}`}))}))
      .filter((s) => s.points.length);
}

const ratioGuides = [{ratio: 1, name: 'measured = published'}, {ratio: 1.25, name: '+25 %', light: true},
  {ratio: 0.75, name: '\u221225 %', light: true}];

/** The points of series with numbers as labels, over these numbers. */
function numericSeries(figure) {
  return figure.series.flatMap((s, look) => {
    const points = (y) => s.points.filter((p) => isNumber(p[y])).map((p) => ({x: Number(p.label), y: p[y], label: p.label}));
    const said = points('published');
    return [{name: s.name, look, kind: 'line', joined: true, points: points('measured')},
      ...(said.length ? [{name: s.name + ' (paper)', look, kind: 'line', joined: true, paper: true, points: said}] : [])];
  });
}

/** The points of all series by label. */
function byLabel(figure) {
  const labels = [...new Set(figure.series.flatMap((s) => s.points.map((p) => p.label)))];
  const series = figure.series.map((s) => {
    const at = new Map(s.points.map((p) => [p.label, p]));
    const take = (key) => labels.map((l) => (at.has(l) ? at.get(l)[key] : null));
    return {name: s.name, measured: take('measured'), published: take('published')};
  });
  return {labels, series};
}

function chartOf(figure) {
  const axis = (name) => ({title: figure.chart[name], log: figure.chart[name + '_scale'] === 'log'});
  const spec = {title: `${figure.figure}: ${figure.title}`, note: figure.source, x: axis('x'), y: axis('y')};
  if (figure.chart.kind === 'correlation') {
    const panel = xyChart({...spec, byPoint: true, height: 380, sameRange: true, guides: ratioGuides, series: correlationSeries(figure)});
    panel.append(el('p', {className: 'note'}, errorText(figure.error) || 'No claim of this figure was measured.'));
    return panel;
  }
  if (figure.chart.kind === 'scatter') return xyChart({...spec, byPoint: true, series: scatterSeries(figure)});
  if (spec.x.log) return xyChart({...spec, byPoint: true, series: numericSeries(figure)});
  const {labels, series} = figure.x ? {labels: figure.x, series: figure.series} : byLabel(figure);
  const kind = figure.chart.kind === 'lines' ? 'line' : 'bar';
  spec.x.title = spec.x.title || (figure.x ? 'workload' : 'point');
  return xyChart({...spec, labels, series: series.flatMap((s, i) => pairOf(figure, s, i, kind))});
}

function numbersOf(figure) {
  if (figure.chart.kind === 'correlation') {
    return table([{title: 'claim', name: true}, {title: 'half'}, {title: 'published', number: true},
      {title: 'measured', number: true}, {title: 'unit', soft: true}, {title: 'error', number: true}],
    claimsOf(figure).map((c) => [c.id, c.half, number(c.published), number(c.measured), unitOf(c), percent(c.error)]));
  }
  const title = figure.x ? figure.chart.x || 'workload' : 'point';
  if (figure.chart.kind === 'scatter') {
    return table([{title: 'series', name: true}, {title: 'point', name: true},
      {title: figure.chart.x, number: true}, {title: '(paper)', number: true},
      {title: figure.chart.y, number: true}, {title: '(paper)', number: true}],
    figure.series.flatMap((s) => s.points.map((p) =>
      [s.name, p.label, number(p.x), number(p.published_x), number(p.measured), number(p.published)])));
  }
  const {labels, series} = figure.x ? {labels: figure.x, series: figure.series} : byLabel(figure);
  const columns = [{title, name: true}];
  for (const s of series) {
    columns.push({title: s.name, number: true});
    if (some(s.published)) columns.push({title: '(paper)', number: true});
  }
  return table(columns, labels.map((label, i) => [label, ...series.flatMap((s) => [
    number((s.measured || [])[i]), ...(some(s.published) ? [number(s.published[i])] : [])])]));
}

if (data.figures.length) {
  section('Figures', null, ...data.figures.flatMap((figure) => [chartOf(figure),
    el('details', {className: 'panel'}, el('summary', {}, 'Numbers'), numbersOf(figure))]));
}

/** A published or measured value: a number, an order, or numbers with names. */
function textOf(v) {
  if (v === null || v === undefined) return '–';
  if (typeof v === 'boolean') return v ? 'comes out' : 'does not';
  if (Array.isArray(v)) {
    const texts = v.map(textOf);
    return texts.join(texts.some((t) => t.includes('>')) ? '; ' : ' > ');
  }
  if (isObject(v)) return Object.entries(v).map(([k, n]) => `${k}\u00a0${textOf(n)}`).join(', ');
  return isNumber(v) ? number(v) : String(v);
}

/** The claim's own value, if it has one, and its numbers with names. */
function withNumbers(c, key) {
  const named = [c.parts, c.points].flatMap((list) => Object.entries(list || {}))
      .filter(([, n]) => isNumber(n[key])).map(([name, n]) => `${name}\u00a0${number(n[key])}`).join(', ');
  return [isNumber(c[key]) ? number(c[key]) : '', named].filter((t) => t).join('; ') || '–';
}

/** A published or measured value; if it is one number, then also the numbers beside it. */
const valueOf = (c, key) => (isNumber(c[key]) ? withNumbers(c, key) : textOf(c[key]));

/** The accepted values of a claim: a range, a band around the paper's numbers, or an order. */
function acceptedOf(c) {
  if (c.accept_range && c.accept_range[1] === null) return `from ${number(c.accept_range[0])}`;
  if (c.accept_range) return c.accept_range.map(number).join(' to ');
  if (isNumber(c.tolerance)) return `within ${percent(c.tolerance)}${c.value_kind === 'ratio' ? ', effect 0.5 to 1.5' : ''}`;
  return Array.isArray(c.published) ? 'the order' : '–';
}

const small = data.claims.filter((c) => c.small_presets.length);
if (small.length) {
  report.append(el('div', {className: 'banner warning'}, `⚠ ${small.length} of ${data.claims.length} claims are judged on small presets (` +
    [...new Set(small.flatMap((c) => c.small_presets))].join(', ') +
    '), not on systems of the paper\u2019s size: their verdicts say little about the paper.'));
}

const withError = data.claims.some((c) => c.half);

section('Claims', 'Holds: inside the accepted range, or the ordering comes out. Direction only: the ' +
  'weakest acceptable outcome, not the number. Effect of a ratio: ln(measured) / ln(paper), 1 as ' +
  'published, 0 none.' + (withError ? ' Error: measured / published - 1.' : ''), panel(null, null, searchTable(
    [{title: 'claim', name: true}, {title: 'verdict'}, {title: 'what', words: true},
      {title: 'paper', number: true}, {title: 'accepted', number: true}, {title: 'measured', number: true},
      {title: 'effect', number: true}, ...(withError ? [{title: 'error', number: true}] : []), {title: 'where', soft: true},
      {title: 'small presets', soft: true}, {title: 'note', soft: true, words: true}],
    () => data.claims.map((c) => [c.id, {text: verdictNames[c.verdict], className: verdictClasses[c.verdict]}, c.what,
      valueOf(c, 'published'), acceptedOf(c), valueOf(c, 'measured'), c.measured === null ? '–' : withNumbers(c, 'effect'),
      ...(withError ? [percent(c.error)] : []), c.where,
      c.small_presets.length ? '⚠ ' + c.small_presets.join(', ') : '', c.note]),
    null, 'claim, verdict, note'))).classList.add('claims');

if (data.missing_workloads.length) {
  section('Missing workloads', 'Workloads of the paper that the suite does not have. No value above includes them.', panel(null, null, table([{title: 'workload', name: true},
      {title: 'class'}, {title: 'name in the suite', name: true}],
    data.missing_workloads.map((w) => [w.name, w.class, w.workload]))));
}
finish();
