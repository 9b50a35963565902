// SPDX-License-Identifier: Apache-2.0
// Tables of all numbers: statistics by kind of block, derived values, kernels, configuration.

/** The kind of a block: "gpu0.llc#" for "gpu0.llc12" and "gpu0.llc3". */
function kindOf(module) {
  return module.replace(/p2p/g, 'p\u0001p').replace(/(\.|^)(l[12])(?=[^\d]|$)/g, '$1$2\u0000').replace(/\d+/g, (d, at, all) =>
    (at > 0 && all[at - 1].toLowerCase() === 'l' && /(^|[._])$/.test(all.slice(0, at - 1)) ? d : '#'))
      .replace(/\u0000/g, '').replace(/\u0001/g, '2');
}

/** The unit of a member of a statistic: its count has none. */
const unitAt = (path, unit) => (/\.(count|log2_buckets)$/.test(path) ? '' : /\.interval_ns$/.test(path) ? 'ns' : unit);

/** Whether the sum over blocks of a kind is a quantity: not of means, maxima and ratios. */
const adds = (path, unit) => unit !== 'ratio' && !/\.(mean|max|average|interval_ns)$/.test(path);

/** kind -> statistic -> {values, unit, description}. */
function grouped() {
  const kinds = new Map();
  for (const [module, statistics] of Object.entries(modules)) {
    const kind = kindOf(module);
    if (!kinds.has(kind)) kinds.set(kind, new Map());
    for (const [name, value] of Object.entries(statistics)) {
      const [unit, description] = aboutOf(module, name);
      const entries = kinds.get(kind);
      for (const [path, v] of flatten(value, name.replace(/(egress|channel)\d+/, '$1*'), [])) {
        if (!isNumber(v)) continue;
        if (!entries.has(path)) entries.set(path, {values: [], unit: unitAt(path, unit), description});
        entries.get(path).values.push(v);
      }
    }
  }
  return kinds;
}

function aboutOf(module, name) {
  const index = (data.about[module] || {})[name];
  return index === undefined ? ['', ''] : data.texts[index];
}

function kernels() {
  const all = stats.kernels || [];
  if (!all.length) return;
  const keys = [...new Set(all.flatMap((k) => Object.keys(k)))]
      .filter((key) => all.some((k) => !isObject(k[key]) && k[key] !== null && k[key] !== undefined));
  const columns = [{title: '#', number: true}, ...keys.map((k) => ({title: k.replace(/_/g, ' ').replace(/\bcta\b/, 'CTA'),
    number: all.some((e) => isNumber(e[k])), name: k === 'name' || k === 'kernel'}))];
  const cell = (v) => (Array.isArray(v) ? v.join('\u00a0×\u00a0') : v === undefined ? '' : number(v));
  section('Kernels', null, panel(null, null, searchTable(columns,
      () => all.map((k, i) => [String(i), ...keys.map((key) => cell(k[key]))]), null, 'Search kernels')),
      ...[kernelLevels(all)].filter(Boolean));
}

/** Hits, merged accesses, misses and bytes of each launch at each level. */
function kernelLevels(all) {
  const rows = all.flatMap((k, i) => Object.entries(k.levels || {}).map(([level, c]) => {
    const lookups = c.hits + c.merged + c.misses;
    return [String(i), k.name, level, ...[c.hits, c.merged, c.misses].map((v) => (isNumber(v) ? number(v) : '')),
      lookups > 0 ? percent(c.hits / lookups) : '', number(c.bytes)];
  }));
  if (!rows.length) return null;
  return panel('Kernels by level', 'Bytes that the level exchanged with the one above.',
      searchTable([{title: '#', number: true}, {title: 'name', name: true}, {title: 'level', name: true},
        ...['hits', 'merged', 'misses', 'hit rate', 'bytes'].map((title) => ({title, number: true}))],
      () => rows, null, 'Search, e.g. "llc"'));
}

/** The figures of the workload's manifest. */
function figuresTable() {
  const figures = Object.entries(stats.figures || {});
  if (!figures.length) return null;
  return panel('Figures of the workload', null, table([{title: 'name', name: true},
    {title: 'value', number: true}, {title: 'unit', soft: true}, {title: 'description', soft: true}],
  figures.map(([name, f]) => [name, isNumber(f.value) ? number(f.value) : '', f.unit, f.description])));
}

function derivedTable() {
  const rows = [];
  for (const [name, value] of Object.entries(derived)) {
    for (const [path, v] of flatten(value, name, [])) {
      // A matrix (bytes between GPUs) has its own chart.
      if (!Array.isArray(v)) rows.push([path, number(v), data.units[name] || '']);
    }
  }
  return panel('Derived values', null, table([{title: 'name', name: true}, {title: 'value', number: true},
    {title: 'unit', soft: true}], rows));
}

function allStatistics(kinds) {
  let each = null;
  let together = null;
  const eachRows = () => {
    const rows = [];
    for (const [module, statistics] of Object.entries(modules)) {
      for (const [name, value] of Object.entries(statistics)) {
        const [unit, description] = aboutOf(module, name);
        for (const [path, v] of flatten(value, name, [])) {
          if (Array.isArray(v)) continue;
          rows.push([module, path, number(v), '', '', '', unitAt(path, unit), description]);
        }
      }
    }
    return rows;
  };
  const togetherRows = () => {
    const rows = [];
    for (const [kind, entries] of kinds) {
      for (const [path, entry] of entries) {
        const v = entry.values;
        rows.push(Object.assign([kind.replace(/#/g, '*') + (v.length > 1 ? ` × ${v.length}` : ''), path, v.length === 1 || adds(path, entry.unit) ? number(sum(v)) : '–',
          number(sum(v) / v.length), number(Math.min(...v)), number(Math.max(...v)),
          entry.unit, entry.description], {className: v.some((one) => one !== 0) ? '' : 'zero'}));
      }
    }
    return rows;
  };
  const columns = [{title: 'block', name: true}, {title: 'statistic', name: true},
    {title: 'sum', number: true}, {title: 'average', number: true}, {title: 'least', number: true},
    {title: 'most', number: true}, {title: 'unit', soft: true}, {title: 'description', soft: true, long: true}];
  section('All statistics', null, panel(null, null,
      el('p', {className: 'note printed'}, 'Without those that are 0 everywhere.'), searchTable(columns,
      (single) => (single ? (each = each || eachRows()) : (together = together || togetherRows())),
      'every block by itself', 'Search, e.g. "llc miss"'))).classList.add('dense');
}

function configuration() {
  const rows = flatten(stats.config || {}, '', []).map(([path, v]) => [path, typeof v === 'string' ? v : JSON.stringify(v)]);
  section('Configuration', null, panel(null, null, searchTable(
      [{title: 'parameter', name: true}, {title: 'value', name: true}], () => rows, null, 'Search parameters'))).classList.add('list');
}

