// SPDX-License-Identifier: Apache-2.0
// Downloads of charts: self-contained SVG, and CSV.

const fileName = (words) => words.toLowerCase().replace(/[^a-z0-9]+/g, '-').replace(/^-|-$/g, '');

function download(title, kind, content) {
  const types = {svg: 'image/svg+xml', csv: 'text/csv'};
  const address = URL.createObjectURL(new Blob([content], {type: types[kind] + ';charset=utf-8'}));
  const name = fileName(document.title.replace(/^Tessera: /, '')) + '-' + fileName(title) + '.' + kind;
  el('a', {href: address, download: name}).click();
  setTimeout(() => URL.revokeObjectURL(address), 10000);
}

/** Formats rows as in RFC 4180. */
function csvText(rows) {
  const field = (v) => {
    const words = v === null || v === undefined ? '' : String(v);
    return /[",\r\n]/.test(words) ? '"' + words.replace(/"/g, '""') + '"' : words;
  };
  return rows.map((row) => row.map(field).join(',') + '\r\n').join('');
}

const drawn = ['fill', 'stroke', 'stroke-width', 'stroke-dasharray', 'fill-opacity', 'stroke-opacity', 'opacity', 'font-family', 'font-size',
  'font-weight', 'text-anchor', 'paint-order'];

/** A chart's SVG with explicit colours and fonts, for a white background. */
function svgText(source, title) {
  const copy = source.cloneNode(true);
  const page = document.documentElement;
  page.classList.add('paper');
  const from = [source, ...source.querySelectorAll('*')];
  [copy, ...copy.querySelectorAll('*')].forEach((e, i) => {
    const style = getComputedStyle(from[i]);
    e.removeAttribute('style');
    e.removeAttribute('class');
    if (['svg', 'defs', 'g', 'pattern'].includes(e.tagName)) return;
    for (const name of drawn) {
      const value = style.getPropertyValue(name);
      if (value && value !== 'none' || name === 'fill') e.setAttribute(name, value.replace(/"/g, "'"));
    }
  });
  page.classList.remove('paper');
  for (const e of copy.querySelectorAll('[data-tip]')) {
    if (e.hasAttribute('data-only-tip')) e.remove();
    else e.removeAttribute('data-tip');
  }
  for (const e of copy.querySelectorAll('[role=button]')) {
    e.removeAttribute('role');
    e.removeAttribute('tabindex');
  }
  copy.setAttribute('xmlns', 'http://www.w3.org/2000/svg');
  copy.prepend(svg('title', {}, title), svg('rect', {width: '100%', height: '100%', fill: '#ffffff'}));
  return '<?xml version="1.0" encoding="UTF-8"?>\n' + new XMLSerializer().serializeToString(copy) + '\n';
}
