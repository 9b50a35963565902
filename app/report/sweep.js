// SPDX-License-Identifier: Apache-2.0
// The report of a sweep: front, parameters and objectives, effects, configurations, failures.

/** The fixed settings and those of a design, as [path, value]. */
function allSettings(design) {
  const fixed = data.sets.map((s) => {
    const at = s.indexOf('=');
    const words = s.slice(at + 1);
    // Numbers and flags are the same in JSON; all others are names or numbers with a unit.
    return [s.slice(0, at), /^(true|false|-?\d+(\.\d+)?([eE][-+]?\d+)?)$/.test(words) ? JSON.parse(words) : words];
  });
  const own = data.parameters.map((p, i) => [p.name, design.settings[i]]);
  return [...fixed, ...own.filter(([, v]) => v !== null)];
}

/** A platform file for `tessera run FILE WORKLOAD`. */
function platformFile(design) {
  const file = new Map([['base', design.platform]]);
  for (const [path, value] of allSettings(design)) {
    const names = path.split('.');
    let group = file;
    for (const name of names.slice(0, -1)) {
      if (!group.has(name)) group.set(name, new Map());
      group = group.get(name);
    }
    group.set(names[names.length - 1], value);
  }
  const plain = (v) => (v instanceof Map ? Object.fromEntries([...v].map(([k, child]) => [k, plain(child)])) : v);
  return JSON.stringify(plain(file), null, 2) + '\n';
}

/** A word of a shell's command line. */
const shellWord = (words) => (/^[A-Za-z0-9_.,:=\/+-]+$/.test(words) ? words : `'${words.replace(/'/g, "'\\''")}'`);

const mostCommands = 4;

/** The commands that repeat a design's runs. */
function runCommands(design) {
  const options = [];
  if (data.scale !== 'small') options.push('--scale', data.scale);
  if (data.values !== 'functional') options.push('--values', data.values);
  if (data.seed !== 1) options.push('--seed', data.seed);
  if (data.window) {
    options.push('--skip', data.window.skip, '--detail', data.window.detail);
    if (!data.window.rest) options.push('--no-rest');
  }
  for (const [path, value] of allSettings(design)) options.push('--set', `${path}=${value}`);
  const line = (workload) => ['tessera', 'run', design.platform, workload, ...options].map(String).map(shellWord).join(' ') + '\n';
  const more = data.workloads.length - mostCommands;
  return data.workloads.slice(0, mostCommands).map(line).join('') + (more > 0 ? `# and ${more} more workloads\n` : '');
}

/** Copies the text of an element. Without the clipboard's interface, its text is selected. */
function copyText(source, done) {
  const select = () => {
    getSelection().selectAllChildren(source);
    return document.execCommand('copy');
  };
  if (!navigator.clipboard) {
    if (select()) done();
    return;
  }
  navigator.clipboard.writeText(source.textContent).then(done, () => {
    if (select()) done();
  });
}

function copyBox(title, className, words) {
  const source = el('pre', {className: 'copy ' + className, tabIndex: 0}, words);
  const button = el('button', {type: 'button', onclick: () => copyText(source, () => {
    button.textContent = 'copied';
  })}, 'copy');
  return [el('div', {className: 'head'}, el('h3', {}, title), el('div', {className: 'downloads'}, button)), source];
}

function chosenTable(design) {
  const perRun = design.runs.length > 1;
  const rows = [...dimensions.map((p) => [p.name, p.of(design) === null ? 'as in the platform' : settingText(p.of(design)), p.unit]),
    ...objectives.map((o, i) => [o.name, number(design.values[i]), o.relative ? '× base design' : ''])];
  const values = table([{title: designName(design), name: true}, {title: '', number: true}, {title: '', soft: true}], rows);
  if (!perRun) return [values];
  return [values, table([{title: 'workload', name: true}, ...objectives.map((o) => ({title: o.name, number: true}))],
      data.workloads.map((w, i) => [w, ...design.runs[i].map(number)]))];
}

function chosenPanel() {
  const box = el('div', {className: 'panel', id: 'chosen'});
  const show = () => {
    box.replaceChildren(el('h3', {}, 'Configuration of the chosen design'));
    if (!chosen) {
      box.append(el('p', {className: 'note'}, 'Choose a design in a chart or in the table.'));
      return;
    }
    box.append(...chosenTable(chosen), ...copyBox('Platform file', 'file', platformFile(chosen)),
        ...copyBox('Commands', 'commands', runCommands(chosen)));
    if (/\.json$/.test(chosen.platform)) {
      box.append(el('p', {className: 'note'}, 'The base is a file: in a platform file, its path is relative to this file\u2019s folder.'));
    }
  };
  choiceListeners.push(show);
  show();
  return box;
}

function designsTable() {
  const cellsOf = (d) => [String(d.id),
    {text: d.id === 'base' ? '' : d.front ? 'front' : d.complete ? '' : 'failed', className: d.front ? 'good' : ''},
    ...dimensions.map((p) => settingText(p.of(d))), ...d.values.map(number)];
  const columns = [{title: 'design', choose: (id) => choose(id === 'base' ? base : designs[id])}, {title: ''}, ...dimensions.map((p) => ({title: p.name, number: true})),
    ...objectives.map((o) => ({title: o.name, number: true}))];
  const others = designs.filter((d) => !d.front);
  // The rows are made when they are first shown.
  const rows = new Map();
  const rowOf = (d) => {
    if (!rows.has(d)) rows.set(d, cellsOf(d));
    return rows.get(d);
  };
  return searchTable(columns, (all) => [...(base ? [base] : []), ...frontDesigns, ...(all ? others : [])].map(rowOf),
      'all designs', 'design, value', 300);
}

const errorLines = 2;

/** The beginning of an error, which can have a line for each waiting block. */
const errorText = (words) => words.split('\n').slice(0, errorLines).map((line) => line.trim()).join(' ');

const failures = [...data.failed.map((f) => [f.design === null ? 'base' : String(f.design), f.platform, f.settings, f.workload, errorText(f.error)]),
  ...data.invalid.map((f) => ['refused', f.platform, f.settings, '–', errorText(f.error)])];

report.append(el('header', {}, el('h1', {}, data.title), el('div', {className: 'facts'},
    el('span', {className: 'chip' + (data.failed.length ? ' bad' : ' good')}, data.failed.length
      ? `${number(data.failed.length)} run${data.failed.length === 1 ? '' : 's'} failed` : '✓ all runs done'),
    el('span', {}, `${number(designs.length)} design${designs.length === 1 ? '' : 's'}, ${number(frontDesigns.length)} on the front`),
    data.excluded ? el('span', {}, `${number(data.excluded)} excluded by a constraint`) : null,
    data.invalid.length ? el('span', {}, `${number(data.invalid.length)} refused`) : null,
    el('span', {}, `sampling ${data.sampling.method}`),
    el('span', {}, `scale ${data.scale}, seed ${data.seed}, ${data.values} values`),
    data.window ? el('span', {}, `window of ${number(data.window.detail)} thread instructions`) : null,
    el('span', {}, data.platforms.join(', ')),
    el('span', {}, data.workloads.join(', ')),
    data.sets.length ? el('span', {}, data.sets.join(', ')) : null,
    data.source ? el('span', {}, data.source) : null)));

/** "time: time_ns, smaller is better, gmean of the workloads." for each objective. */
function objectivesText() {
  return objectives.map((o) => `${o.name}: ${o.of === o.name ? '' : o.of + ', '}${goalText(o)}` +
    `${data.workloads.length > 1 ? `, ${o.mean} of the workloads` : ''}${o.relative ? ', relative to the base design' : ''}.`).join(' ');
}

if (complete.length) {
  choose(frontDesigns[0]);
  const volume = objectives.length > 1
    ? ` Hypervolume ${number(data.hypervolume.value)} (reference: ${Object.entries(data.hypervolume.reference).map(([name, v]) => `${name} ${number(v)}`).join(', ')}).` : '';
  const list = panel('Designs of the front', base ? 'The base design has the platform\u2019s own values (–).' : null, designsTable());
  list.classList.add('dense', 'long');
  section('Pareto front', objectivesText() + volume, el('div', {className: 'row loose'}, frontChart(), chosenPanel()),
      list);
  section('All designs', null, parallelChart());
  section('Sensitivity', 'The shares of single parameters and of pairs in the variance of an objective.',
      el('div', {className: 'row loose'}, ...data.sensitivity.map(effectsPanel)));
  if (dimensions.length > 1) section('Two parameters', null, heatChart());
} else {
  report.append(el('div', {className: 'banner'}, 'No design has a value for all objectives.'));
}
if (failures.length) {
  section('Failed and refused designs', [...data.failed, ...data.invalid].some((f) => f.error.split('\n').length > errorLines)
    ? 'The first two lines of each error; sweep.json has all of them.' : null, panel(null, null, searchTable([{title: 'design', name: true}, {title: 'platform', name: true},
    {title: 'settings'}, {title: 'workload', name: true}, {title: 'error', soft: true}],
  () => failures.map(([id, platform, settings, ...rest]) => [id, platform,
    Object.entries(settings).map(([k, v]) => `${k} ${settingText(v)}`).join(', '), ...rest]), null, 'design, setting, error')));
}
finish();
