// SPDX-License-Identifier: Apache-2.0
// The report of one run.

const stats = data.stats;
const derived = stats.derived || {};
const modules = stats.modules || {};

/** Colour of a level, the same in every chart. */
const levelColour = new Map(data.traffic.levels.map((l, i) => [l.name, i]));
const colourOf = (name) => seriesColour(levelColour.get(name));

function heading() {
  const verified = stats.verified;
  const chip = verified === true ? ['good', '✓ verified'] : verified === false
    ? ['bad', '✗ wrong values'] : ['', 'not verified'];
  const facts = el('div', {className: 'facts'},
      el('span', {className: 'chip ' + chip[0]}, chip[1]), el('span', {}, data.verification));
  const small = [['seed', stats.seed], ['values', stats.values], ['scale', stats.scale],
    ['Tessera', stats.tessera], ['host', stats.host && isNumber(stats.host.seconds)
      ? number(Number(stats.host.seconds.toPrecision(3))) + ' s' : null]];
  for (const [name, value] of small) {
    if (value !== undefined && value !== null) facts.append(el('span', {}, `${name} ${value}`));
  }
  report.append(el('header', {}, el('h1', {}, stats.workload, el('span', {className: 'on'}, ' on '),
      stats.platform), facts));
  if (data.failure) report.append(el('div', {className: 'banner'}, data.failure));
}

function tiles() {
  const box = el('div', {className: 'tiles'});
  const tile = (name, value, unit) => {
    if (value === null || value === undefined || value === '–') return;
    box.append(el('div', {className: 'tile'}, el('span', {}, name),
        el('b', {}, value, el('span', {className: 'unit'}, unit ? ' ' + unit : ''))));
  };
  const given = (name, show, title, unit) => {
    if (isNumber(derived[name])) tile(title, show(derived[name]), unit);
  };
  tile('cycles', number(stats.cycles));
  if (isNumber(stats.time_ns)) tile('simulated time', time(stats.time_ns));
  tile('warp instructions', number(stats.instructions));
  given('ipc', number, 'instructions per cycle');
  given('replies_per_cycle', number, 'L1 replies per cycle');
  given('l1_hit_rate', percent, 'L1 hit rate');
  given('llc_hit_rate', percent, 'LLC hit rate');
  given('avg_load_latency_cycles', number, 'load latency', 'cycles');
  given('noc_bytes', bytes, 'through the NoC');
  given('dram_bytes', bytes, 'DRAM traffic');
  given('dram_utilisation', percent, 'DRAM utilisation');
  given('page_faults', number, 'page faults');
  report.append(box);
}

function levels() {
  const box = panel('Average over the run', null);
  const lines = el('div', {className: 'levels'});
  box.append(lines);
  const largest = Math.max(...data.traffic.levels.map((l) => l.gb_per_s), 1e-9);
  for (const l of data.traffic.levels) {
    const peak = l.peak_gb_per_s;
    const share = l.gb_per_s / (peak || largest);
    const fill = el('div', {className: 'fill', style: {width: Math.min(100, share * 100) + '%'}});
    coloured(() => {
      fill.style.background = colourOf(l.name);
    });
    lines.append(el('div', {className: 'level'}, el('span', {}, l.name),
        el('div', {className: 'track'}, fill),
        el('span', {className: 'numbers'}, el('b', {}, number(Number(l.gb_per_s.toPrecision(3))) + ' GB/s'),
            ` · ${bytes(l.bytes)}` + (peak ? ` · ${percent(share)} of peak` : ''))));
  }
  const anyPeak = data.traffic.levels.some((l) => l.peak_gb_per_s);
  box.append(el('p', {className: 'note'}, anyPeak
    ? 'A full bar is the peak of the level; without a known peak it is the busiest level.'
    : 'A full bar is the busiest level.'));
  return box;
}

function overTime() {
  return panel('Over time', 'GB/s in each interval; click a name to hide it.', plot(() => {
    const ends = data.traffic.interval_ends_ns;
    const end = ends.length ? ends[ends.length - 1] : 0;
    const unit = end >= 2e6 ? ['ms', 1e6] : end >= 2e3 ? ['µs', 1e3] : ['ns', 1];
    return {
      type: 'line',
      data: {datasets: data.traffic.levels.map((l) => {
        // Colours come round again: then lines are dashed.
        const again = levelColour.get(l.name) >= seriesColours;
        return {
          label: l.name,
          data: l.gb_per_s_over_time.map((y, i) => ({x: ((ends[i - 1] || 0) + ends[i]) / 2 / unit[1], y})),
          borderColor: colourOf(l.name),
          backgroundColor: again ? 'transparent' : colourOf(l.name),
          borderDash: again ? [5, 3] : [],
          borderWidth: 1.75,
          pointRadius: 0,
          pointHitRadius: 8,
        };
      })},
      options: {
        interaction: {mode: 'nearest', axis: 'x', intersect: false},
        scales: {
          x: {type: 'linear', min: 0, max: end / unit[1], title: {display: true, text: 'simulated time, ' + unit[0]},
            grid: {display: false}},
          y: {beginAtZero: true, title: {display: true, text: 'GB/s'}},
        },
        plugins: {
          legend: {position: 'top', align: 'start'},
          tooltip: {callbacks: {
            title: (items) => (items.length ? number(items[0].parsed.x) + ' ' + unit[0] : ''),
            label: (item) => `${item.dataset.label}: ${number(item.parsed.y)} GB/s`,
          }},
        },
      },
    };
  }));
}

function balance(level) {
  const parts = level.parts;
  const most = Math.max(...parts.map((p) => p.bytes));
  const mean = parts.reduce((sum, p) => sum + p.bytes, 0) / parts.length;
  const idle = parts.filter((p) => p.bytes === 0).length;
  const note = mean > 0
    ? `The busiest of ${parts.length} moved ${number(most / mean)} times the average` +
      (idle ? `; ${idle} moved nothing.` : '.')
    : 'No traffic.';
  return panel(level.name, note, plot(() => ({
    type: 'bar',
    data: {
      labels: parts.map((p) => p.module),
      datasets: [{
        label: 'bytes',
        data: parts.map((p) => p.bytes),
        backgroundColor: colourOf(level.name),
        categoryPercentage: 1,
        barPercentage: 0.85,
      }, {
        type: 'line',
        label: 'average',
        data: parts.map(() => mean),
        borderColor: style('--text'),
        borderWidth: 1,
        borderDash: [4, 4],
        pointRadius: 0,
        pointHitRadius: 0,
      }],
    },
    options: {
      scales: {
        x: {grid: {display: false}, ticks: {maxRotation: 0, autoSkip: true,
          callback: (v, i) => (parts[i].module.match(/\d+(?=\D*$)/) || [i])[0]}},
        y: {beginAtZero: true, ticks: {maxTicksLimit: 5, callback: (v) => bytes(v)}},
      },
      plugins: {legend: {display: false},
        tooltip: {callbacks: {label: (item) => `${item.dataset.label}: ${bytes(item.parsed.y)}`}}},
    },
  }), true));
}

/** One bar made of named parts. */
function stacked(parts, show) {
  const total = parts.reduce((sum, p) => sum + p[1], 0);
  const barBox = el('div', {className: 'stack'});
  const legend = el('div', {className: 'legend'});
  parts.forEach(([name, value], i) => {
    const piece = el('div', {title: `${name}: ${show(value)}`, style: {width: 100 * value / total + '%'}});
    const mark = el('i');
    coloured(() => {
      piece.style.background = mark.style.background = seriesColour(i);
    });
    barBox.append(piece);
    legend.append(el('span', {}, mark, `${name.replace(/_/g, ' ')} ${show(value)} (${percent(value / total)})`));
  });
  return el('div', {}, barBox, legend);
}

/** Blocks of one kind: "gpu0.llc12" and "gpu0.llc3" are both "gpu0.llc#". */
function kindOf(module) {
  return module.replace(/(\.|^)(l[12])(?=[^\d]|$)/g, '$1$2\u0000').replace(/\d+/g, (d, at, all) =>
    (at > 0 && all[at - 1].toLowerCase() === 'l' && /(^|[._])$/.test(all.slice(0, at - 1)) ? d : '#'))
      .replace(/\u0000/g, '');
}

/** kind -> statistic -> {values, unit, description}. */
function grouped() {
  const kinds = new Map();
  for (const [module, statistics] of Object.entries(modules)) {
    const kind = kindOf(module);
    if (!kinds.has(kind)) kinds.set(kind, new Map());
    for (const [name, value] of Object.entries(statistics)) {
      const [unit, description] = aboutOf(module, name);
      const entries = kinds.get(kind);
      for (const [path, v] of flatten(value, name.replace(/exit\d+/, 'exit*'), [])) {
        if (!isNumber(v)) continue;
        if (!entries.has(path)) entries.set(path, {values: [], unit, description});
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

const sum = (values) => values.reduce((a, b) => a + b, 0);

function hitRates(kinds) {
  const rates = [];
  for (const [kind, entries] of kinds) {
    for (const name of entries.keys()) {
      if (!/(^|_)hits$/.test(name) || !entries.has(name.replace(/hits$/, 'misses'))) continue;
      const total = (end) => {
        const entry = entries.get(name.replace(/hits$/, end));
        return entry ? sum(entry.values) : 0;
      };
      const hit = total('hits');
      const miss = total('misses') + total('merges') + total('conflicts');
      if (hit + miss === 0) continue;
      const prefix = name.replace(/_?hits$/, '');
      rates.push([kind.split('.').pop().replace(/#/g, '*') + (prefix ? ' ' + prefix : ''), hit / (hit + miss), hit + miss]);
    }
  }
  if (!rates.length) return null;
  rates.sort((a, b) => natural(a[0], b[0]));
  return panel('Hit rates', 'Hits over all lookups (hits, misses, merges into a pending miss, row conflicts), all blocks of a kind together.', plot(() => ({
    type: 'bar',
    data: {labels: rates.map((r) => r[0]), datasets: [{label: 'hit rate',
      data: rates.map((r) => r[1] * 100), backgroundColor: seriesColour(0), maxBarThickness: 22}]},
    options: {
      indexAxis: 'y',
      scales: {x: {min: 0, max: 100, title: {display: true, text: '%'}},
        y: {grid: {display: false}}},
      plugins: {legend: {display: false}, tooltip: {callbacks: {
        label: (item) => `${number(item.parsed.x)} % of ${number(rates[item.dataIndex][2])}`}}},
    },
  }), rates.length < 5));
}

/** Cycles of the schedulers by what they were spent on. */
function issueSlots(kinds) {
  for (const [kind, entries] of kinds) {
    const parts = [];
    for (const [name, entry] of entries) {
      if (/_slots$/.test(name) && sum(entry.values) > 0) {
        parts.push([name.replace(/_slots$/, ''), sum(entry.values)]);
      }
    }
    if (parts.length >= 2) {
      return panel('Warp issue', `What the schedulers' issue slots went to, all of ${kind.split('.').pop().replace(/#/g, '*')}.`,
          stacked(parts, number));
    }
  }
  return null;
}

function latency() {
  const hops = flatten(derived.latency_breakdown || {}, '', []).filter((p) => isNumber(p[1]) && p[1] > 0);
  if (!hops.length) return null;
  return panel('Load latency by hop', 'Average cycles of a load that missed in the L1, one part a hop.',
      stacked(hops, (v) => number(Number(v.toPrecision(3)))));
}

/** Bytes from each GPU to each other, darker for more. */
function betweenGpus() {
  const remote = derived.remote;
  if (!remote || !Array.isArray(remote.bytes)) return;
  const most = Math.max(1, ...remote.bytes.flat());
  const head = el('tr', {}, el('th', {}, 'from \\ to'),
      ...remote.bytes.map((_, g) => el('th', {className: 'number'}, 'GPU ' + g)));
  const body = el('tbody');
  remote.bytes.forEach((row, from) => {
    body.append(el('tr', {}, el('th', {}, 'GPU ' + from), ...row.map((n, to) =>
      el('td', {className: 'number',
        style: {background: `color-mix(in srgb, var(--accent) ${60 * n / most}%, transparent)`}},
          from === to ? '–' : bytes(n)))));
  });
  const matrix = panel('Traffic', 'Bytes on the fabric, headers included.',
      el('div', {className: 'scroll'}, el('table', {}, el('thead', {}, head), body)));
  const where = [['own memory', 1 - remote.access_fraction],
    ['other GPUs\u2019, from the L1', remote.served_by_l1_fraction],
    ['other GPUs\u2019, beyond the L1', remote.access_fraction - remote.served_by_l1_fraction]]
      .map(([n, v]) => [n, Math.max(0, v)]);
  const shares = [['before the link', remote.pre_link_latency_share],
    ['on the link', remote.link_latency_share], ['behind it', remote.post_link_latency_share]]
      .map(([n, v]) => [n, Math.max(0, v)]);
  const panels = [matrix, panel('Whose memory', 'Line accesses of the L1s.', stacked(where, percent))];
  if (sum(shares.map((s) => s[1])) > 0) {
    panels.push(panel('Latency of remote loads', 'Of loads that left the L1.', stacked(shares, percent)));
  }
  section('Between GPUs', null, el('div', {className: 'row'}, ...panels));
}

/** Joules of the components, of which the NoC's networks are parts. */
function energy() {
  const parts = Object.entries(stats.energy || {}).filter((p) => isObject(p[1]) && p[1].total_j > 0);
  if (!parts.length) return null;
  const titles = {sm: 'SMs', l1: 'L1s', llc: 'LLC', noc: 'NoC', dram: 'DRAM'};
  const note = `The model of docs/blocks/power.md. The NoC draws ${number(Number(stats.energy.noc_power_w.toPrecision(3)))} W ` +
    `on ${number(Number(stats.energy.noc_area_mm2.toPrecision(3)))} mm².`;
  const split = (key) => sum(parts.map((p) => p[1][key]));
  return panel(`Energy: ${joules(stats.energy.total_j)}`, note,
      stacked(parts.map(([name, e]) => [titles[name] || name, e.total_j]), joules),
      stacked([['events', split('dynamic_j')], ['leakage and clocks', split('static_j')]], joules));
}

function kernels() {
  const all = stats.kernels || [];
  if (!all.length) return;
  const keys = [...new Set(all.flatMap((k) => Object.keys(k)))]
      .filter((key) => all.some((k) => !isObject(k[key])));
  const columns = [{title: '#', number: true}, ...keys.map((k) => ({title: k.replace(/_/g, ' '),
    number: all.some((e) => isNumber(e[k])), name: k === 'name' || k === 'kernel'}))];
  const cell = (v) => (Array.isArray(v) ? v.join(' × ') : v === undefined ? '' : number(v));
  section('Kernels', null, panel(null, null, searchTable(columns,
      () => all.map((k, i) => [String(i), ...keys.map((key) => cell(k[key]))]), null, 'Search kernels')));
}

function derivedTable() {
  const rows = [];
  for (const [name, value] of Object.entries(derived)) {
    for (const [path, v] of flatten(value, name, [])) {
      // A matrix (bytes between GPUs) has a picture of its own.
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
          rows.push([module, path, number(v), '', '', '', unit, description]);
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
        rows.push([kind.replace(/#/g, '*') + (v.length > 1 ? ` × ${v.length}` : ''), path, number(sum(v)),
          number(sum(v) / v.length), number(Math.min(...v)), number(Math.max(...v)),
          entry.unit, entry.description]);
      }
    }
    return rows;
  };
  const columns = [{title: 'block', name: true}, {title: 'statistic', name: true},
    {title: 'sum', number: true}, {title: 'average', number: true}, {title: 'least', number: true},
    {title: 'most', number: true}, {title: 'unit', soft: true}, {title: 'description', soft: true}];
  section('All statistics', null, panel(null, null, searchTable(columns,
      (single) => (single ? (each = each || eachRows()) : (together = together || togetherRows())),
      'every block by itself', 'Search, e.g. "llc miss"')));
}

function configuration() {
  const rows = flatten(stats.config || {}, '', []).map(([path, v]) => [path, typeof v === 'string' ? v : JSON.stringify(v)]);
  section('Configuration', null, panel(null, null, searchTable(
      [{title: 'parameter', name: true}, {title: 'value', name: true}], () => rows, null, 'Search parameters')));
}

heading();
tiles();
if (data.traffic.levels.length) {
  section('Where the bandwidth went', null, el('div', {className: 'row'}, levels(), overTime()));
  const wide = data.traffic.levels.filter((l) => l.parts.length > 1);
  if (wide.length) {
    section('Balance', 'Bytes by block. An even memory system is a flat line.',
        el('div', {className: 'row'}, ...wide.map(balance)));
  }
}
betweenGpus();
const kinds = grouped();
const times = [latency(), issueSlots(kinds), energy(), hitRates(kinds), derivedTable()].filter((p) => p);
section('Where the time went', null, el('div', {className: 'row loose'}, ...times));
kernels();
allStatistics(kinds);
configuration();
finish();
