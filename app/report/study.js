// SPDX-License-Identifier: Apache-2.0
// The report of a study: what was measured beside what the paper says.

const summary = data.summary;
const verdictNames = {holds: 'holds', direction: 'direction only', fails: 'fails', not_run: 'not run'};
const verdictClasses = {holds: 'good', direction: '', fails: 'bad', not_run: ''};

report.append(el('header', {}, el('h1', {}, data.title),
    el('div', {className: 'facts'},
        ...Object.entries(summary).map(([v, n]) => el('span',
            {className: 'chip ' + (n ? verdictClasses[v] : '')}, `${n} ${verdictNames[v]}`)),
        el('span', {}, `scale ${data.scale}, seed ${data.seed}, ${data.values} values`),
        data.source ? el('span', {}, data.source) : null)));
for (const f of data.failed) {
  report.append(el('div', {className: 'banner'}, `${f.workload} on ${f.platform}: ${f.error}`));
}

const some = (values) => (values || []).some(isNumber);

/** The paper's colour of a series is its own, washed out and outlined. */
const paper = (colour) => ({backgroundColor: colour + '40', borderColor: colour, borderWidth: 1.5});

function options(figure, more) {
  return {
    scales: {
      x: {grid: {display: false}, stacked: figure.chart.kind === 'stacked',
        title: {display: !!figure.chart.x, text: figure.chart.x}},
      y: {beginAtZero: true, stacked: figure.chart.kind === 'stacked',
        title: {display: true, text: figure.chart.y}},
    },
    plugins: {
      legend: {position: 'top', align: 'start'},
      tooltip: {callbacks: {label: (item) => `${item.dataset.label}: ${number(item.parsed.y)}`}},
    },
    ...more,
  };
}

/** One bar a series and place on the x axis, the paper's numbers in bars beside them. */
function bars(figure, labels, series) {
  const stacked = figure.chart.kind === 'stacked';
  const datasets = [];
  series.forEach((s, i) => {
    const colour = seriesColour(i);
    datasets.push({label: s.name, data: s.measured, backgroundColor: colour, maxBarThickness: 34,
      skipNull: true, stack: stacked ? 'measured' : undefined});
    if (some(s.published)) {
      datasets.push({label: s.name + ' (paper)', data: s.published, ...paper(colour),
        maxBarThickness: 34, skipNull: true, stack: stacked ? 'paper' : undefined});
    }
  });
  return {type: 'bar', data: {labels, datasets}, options: options(figure)};
}

function lines(figure, labels, series) {
  const datasets = [];
  series.forEach((s, i) => {
    const colour = seriesColour(i);
    datasets.push({label: s.name, data: s.measured, borderColor: colour, backgroundColor: colour,
      spanGaps: true});
    if (some(s.published)) {
      datasets.push({label: s.name + ' (paper)', data: s.published, borderColor: colour,
        backgroundColor: colour + '40', borderDash: [5, 4], spanGaps: true});
    }
  });
  return {type: 'line', data: {labels, datasets}, options: options(figure)};
}

function scatter(figure) {
  const datasets = [];
  figure.series.forEach((s, i) => {
    const colour = seriesColour(i);
    const own = s.points.filter((p) => isNumber(p.x) && isNumber(p.measured))
        .map((p) => ({x: p.x, y: p.measured, label: p.label}));
    datasets.push({label: s.name, data: own, borderColor: colour, backgroundColor: colour,
      pointRadius: 5, showLine: true});
    const said = s.points.filter((p) => isNumber(p.published_x) && isNumber(p.published))
        .map((p) => ({x: p.published_x, y: p.published, label: p.label}));
    if (said.length) {
      datasets.push({label: s.name + ' (paper)', data: said, ...paper(colour), pointRadius: 6,
        pointStyle: 'rectRot'});
    }
  });
  const made = options(figure);
  made.plugins.tooltip.callbacks.label = (item) =>
    `${item.dataset.label}, ${item.raw.label}: ${number(item.parsed.y)} at ${number(item.parsed.x)}`;
  return {type: 'scatter', data: {datasets}, options: made};
}

/** Points of all series, by their labels. */
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
  if (figure.chart.kind === 'scatter') return plot(() => scatter(figure));
  const {labels, series} = figure.x ? {labels: figure.x, series: figure.series} : byLabel(figure);
  const draw = figure.chart.kind === 'lines' ? lines : bars;
  return plot(() => draw(figure, labels, series));
}

function numbersOf(figure) {
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

for (const figure of data.figures) {
  section(`${figure.figure}: ${figure.title}`, figure.source,
      panel(null, null, chartOf(figure)),
      el('details', {className: 'panel'}, el('summary', {}, 'Numbers'), numbersOf(figure)));
}

/** A published or measured value: a number, an order, or numbers with names. */
function textOf(v) {
  if (v === null || v === undefined) return '–';
  if (typeof v === 'boolean') return v ? 'comes out' : 'does not';
  if (Array.isArray(v)) {
    const texts = v.map(textOf);
    return texts.join(texts.some((t) => t.includes('>')) ? '; ' : ' > ');
  }
  if (isObject(v)) return Object.entries(v).map(([k, n]) => `${k} ${textOf(n)}`).join(', ');
  return isNumber(v) ? number(v) : String(v);
}

section('Claims', 'Holds: inside the accepted range, or the ordering comes out. Direction only: the ' +
  'weakest acceptable outcome, not the number.', panel(null, null, searchTable(
    [{title: 'claim', name: true}, {title: 'what'}, {title: 'where', soft: true},
      {title: 'paper', number: true}, {title: 'measured', number: true}, {title: 'verdict'},
      {title: 'note', soft: true}],
    () => data.claims.map((c) => [c.id, c.what, c.where, textOf(c.published), textOf(c.measured),
      {text: verdictNames[c.verdict], className: verdictClasses[c.verdict]}, c.note]),
    null, 'claim, verdict, note')));

if (data.missing_workloads.length) {
  section('Workloads that are not there yet', 'They are in the paper and not in the suite: nothing of ' +
    'the above includes them.', panel(null, null, table([{title: 'workload', name: true},
      {title: 'class'}, {title: 'would be', name: true}],
    data.missing_workloads.map((w) => [w.name, w.class, w.workload]))));
}
finish();
