// SPDX-License-Identifier: Apache-2.0
// The page of a session. It uses the same requests as any other client.
'use strict';

const at = (id) => document.getElementById(id);

/** An element with properties and children (elements or text). */
function el(tag, properties, ...children) {
  const e = document.createElement(tag);
  for (const [key, value] of Object.entries(properties || {})) e[key] = value;
  e.append(...children.filter((c) => c !== null && c !== undefined));
  return e;
}

function table(columns, rows) {
  const head = el('tr', {}, ...columns.map((c) => el('th', {className: c.kind || ''}, c.title)));
  // Names can break after a dot or an underscore.
  const parts = (cell, kind) => (kind === 'name'
    ? cell.split(/(?<=[._])/).flatMap((part, i) => (i ? [el('wbr'), part] : [part])) : [cell]);
  const body = rows.map((row) =>
    el('tr', {}, ...row.map((cell, i) => el('td', {className: columns[i].kind || ''}, ...parts(cell, columns[i].kind)))));
  return el('table', {}, el('thead', {}, head), el('tbody', {}, ...body));
}

const grouped = (v) => v.toLocaleString('en').replace(/,/g, '\u202f');

/** A time of one of four units. */
function duration(ns) {
  const units = [['s', 1e9], ['ms', 1e6], ['µs', 1e3], ['ns', 1]];
  const [unit, size] = units.find(([, s]) => ns >= s) || units[3];
  return `${(ns / size).toFixed(unit === 'ns' ? 0 : 6)} ${unit}`;
}

/** The document of a request; throws an Error with the server's text. */
async function ask(path, body) {
  const options = body === undefined ? {} : {
    method: 'POST', headers: {'Content-Type': 'application/json'}, body: JSON.stringify(body)};
  const response = await fetch(path, options);
  const document = await response.json();
  if (!response.ok) throw new Error(document.error);
  return document;
}

/** Runs an action of a person, and shows its error. */
async function act(action) {
  at('error').textContent = '';
  try {
    await action();
    await refresh();
  } catch (e) {
    at('error').textContent = e.message;
  }
}

const seen = {next: 0, instructions: 0, host: 0, ended: false};

function showState(s) {
  const chip = at('state');
  chip.textContent = s.state;
  chip.className = 'chip' + (s.state === 'running' ? ' good' : '');
  at('why').textContent = s.end ? `${s.end.reason}, status ${s.end.status}` + (s.end.why ? ': ' + s.end.why : '')
                                : s.why;
  at('time').textContent = duration(s.time_ns);
  at('instructions').textContent = grouped(s.instructions);
  at('sent').textContent = grouped(s.uart.sent);
  const host = performance.now();
  if (seen.host) {
    const rate = (s.instructions - seen.instructions) / (host - seen.host) / 1e3;
    at('rate').textContent = rate.toFixed(1);
  }
  seen.instructions = s.instructions;
  seen.host = host;
  seen.ended = s.state === 'ended';
  at('pause').disabled = s.state !== 'running';
  at('continue').disabled = at('step').disabled = s.state !== 'paused';
  at('quit').textContent = seen.ended ? 'End the session' : 'End the run';
  at('cores').replaceChildren(table(
    [{title: 'core', kind: 'name'}, {title: 'pc', kind: 'name'}, {title: 'symbol', kind: 'name'},
     {title: 'state'}, {title: 'instructions', kind: 'number'}],
    s.cores.map((c) => [c.name, c.pc, c.symbol, c.idle ? 'waits for an interrupt' : 'executes',
                        grouped(c.instructions)])));
  at('queues').replaceChildren(...(s.queues.length === 0 ? [] : [table(
    [{title: 'command queue'}, {title: 'head', kind: 'number'}, {title: 'tail', kind: 'number'},
     {title: 'state'}, {title: 'completed', kind: 'number'}, {title: 'error', kind: 'number'}],
    s.queues.map((q) => [String(q.queue), String(q.head), String(q.tail), q.busy ? 'busy' : 'idle',
                         String(q.completed), String(q.error)]))]));
  at('breakpoints').replaceChildren(...s.breakpoints.map((b) => {
    const remove = el('button', {}, 'Remove');
    remove.addEventListener('click', () => act(() => ask('/breakpoint', {remove: b.id})));
    const what = b.uart === undefined ? `at ${grouped(b.time_ns)} ns` : `after ${JSON.stringify(b.uart)}`;
    return el('div', {className: 'line'}, `${b.id}: ${what}`, remove);
  }));
}

/** What the terminal shows: no control characters, and no more than the last lines. */
function showOutput(text) {
  const uart = at('uart');
  const end = uart.scrollTop + uart.clientHeight >= uart.scrollHeight - 4;
  const plain = text.replace(/\x1b\[[0-9;?]*[A-Za-z]/g, '').replace(/\r/g, '')
                    .replace(/[\x00-\x08\x0b-\x1f\x7f]/g, '');
  uart.textContent = (uart.textContent + plain).slice(-100000);
  if (end) uart.scrollTop = uart.scrollHeight;
}

const value = (v) => (typeof v === 'number' ? grouped(v) : typeof v === 'object' ? JSON.stringify(v) : String(v));

function filtered(all, input, count) {
  const kMost = 500;
  const words = at(input).value.toLowerCase().split(/\s+/).filter((w) => w);
  const found = all.filter((s) => {
    const text = `${s.path} ${s.unit} ${s.description}`.toLowerCase();
    return words.every((w) => text.includes(w));
  });
  at(count).textContent = found.length > kMost ? `${kMost} of ${grouped(found.length)} shown; filter to narrow`
                                               : `${grouped(found.length)} of ${grouped(all.length)}`;
  return found.slice(0, kMost);
}

function showStatistics(all) {
  at('statistics').replaceChildren(table(
    [{title: 'statistic', kind: 'name'}, {title: 'value', kind: 'number'}, {title: 'unit', kind: 'soft'},
     {title: 'description', kind: 'soft long'}],
    filtered(all, 'filter', 'count').map((s) => [s.path, value(s.value), s.unit, s.description])));
}

let parameters = [];

function showParameters() {
  const cell = (p) => {
    if (!p.settable) return el('span', {title: p.fixed}, value(p.value));
    const input = el('input', {type: 'text', value: String(p.value)});
    input.setAttribute('aria-label', p.path);
    input.addEventListener('change', () => act(async () => {
      if (input.value.trim() === '') return;
      let given = input.value;
      try { given = JSON.parse(given); } catch { /* a number with a suffix */ }
      input.className = 'bad';
      await ask('/parameters', {[p.path]: given});
      await readParameters();
    }));
    return input;
  };
  at('parameters').replaceChildren(table(
    [{title: 'parameter', kind: 'name'}, {title: 'value', kind: 'number'}, {title: 'unit', kind: 'soft'},
     {title: 'description', kind: 'soft long'}],
    filtered(parameters, 'parameter-filter', 'parameter-count').map((p) =>
      [p.path, cell(p), p.unit, p.description])));
}

async function readParameters() {
  parameters = (await ask('/parameters')).parameters;
  showParameters();
}

async function addressOf(text) {
  if (/^[0-9]/.test(text)) return text;
  return (await ask('/symbols?name=' + encodeURIComponent(text))).symbols[0].address;
}

function dump(address, digits) {
  const begin = BigInt(address);
  const lines = [];
  for (let i = 0; i < digits.length; i += 32) {
    const bytes = digits.slice(i, i + 32).match(/../g);
    const text = bytes.map((b) => {
      const c = parseInt(b, 16);
      return c >= 0x20 && c < 0x7f ? String.fromCharCode(c) : '.';
    }).join('');
    lines.push(`0x${(begin + BigInt(i / 2)).toString(16)}  ${bytes.join(' ').padEnd(47)}  ${text}`);
  }
  return lines.join('\n');
}

async function readMemory() {
  const address = await addressOf(at('address').value.trim());
  const m = await ask('/memory?' + new URLSearchParams({address, bytes: at('bytes').value.trim()}));
  at('dump').textContent = dump(m.address, m.data);
}

async function refresh() {
  const o = await ask('/uart?from=' + seen.next);
  // Another refresh can have shown it meanwhile.
  if (o.from >= seen.next) {
    seen.next = o.next;
    showOutput(o.text);
  }
  showState(await ask('/state'));
  // The pattern keeps the documents of large platforms short.
  const word = at('filter').value.split(/\s+/)[0];
  showStatistics((await ask('/statistics?path=' + encodeURIComponent(`*${word}*`))).statistics);
}

async function poll() {
  try {
    await refresh();
  } catch (e) {
    const chip = at('state');
    chip.textContent = 'not connected';
    chip.className = 'chip bad';
  }
  setTimeout(poll, 500);
}

const onSubmit = (id, action) => at(id).addEventListener('submit', (event) => {
  event.preventDefault();
  act(action);
});
const onClick = (id, action) => at(id).addEventListener('click', () => act(action));

onClick('pause', () => ask('/pause', {}));
onClick('continue', () => ask('/continue', {}));
onClick('step', () => ask('/step', {ns: at('ns').value.trim()}));
onClick('quit', () => ask('/quit', {}));
onSubmit('send', async () => {
  await ask('/uart', {text: at('typed').value + at('ending').value});
  at('typed').value = '';
});
onSubmit('at-time', () => ask('/breakpoint', {time_ns: Number(at('at').value.replace(/\s/g, ''))}));
onSubmit('at-text', () => ask('/breakpoint', {uart: at('text').value}));
onSubmit('read', readMemory);
onSubmit('write', async () => {
  const address = await addressOf(at('address').value.trim());
  await ask('/memory', {address, data: at('data').value.replace(/\s/g, '')});
  await readMemory();
});
at('filter').addEventListener('input', () => act(refresh));
at('parameter-filter').addEventListener('input', showParameters);

at('place').textContent = location.host;
ask('/devices').then((d) => at('devices').replaceChildren(table(
  [{title: 'device', kind: 'name'}, {title: 'address', kind: 'name'}, {title: 'bytes', kind: 'number'},
   {title: 'interrupt', kind: 'number'}],
  d.devices.map((r) => [r.name, r.address, grouped(r.bytes), r.interrupt === null ? '' : String(r.interrupt)]))));
readParameters();
poll();
