'use strict';
// Shared by every part of the page: the report, element makers, figures, colours, the tooltip.
const report = JSON.parse(document.getElementById('report').textContent);
const byId = (id) => document.getElementById(id);

// el('div.card', {onclick}, child, 'text', ...): text is always text, never markup.
function el(spec, attrs, ...children) {
  const [tag, ...classes] = spec.split('.');
  return fill(document.createElement(tag), classes, attrs, children);
}

function svg(spec, attrs, ...children) {
  const [tag, ...classes] = spec.split('.');
  return fill(document.createElementNS('http://www.w3.org/2000/svg', tag), classes, attrs, children);
}

function fill(node, classes, attrs, children) {
  if (classes.length) node.setAttribute('class', classes.join(' '));
  for (const [name, value] of Object.entries(attrs || {})) {
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith('on'))
      node.addEventListener(name.slice(2), value);
    else
      node.setAttribute(name, value);
  }
  for (const child of children.flat())
    if (child !== null && child !== undefined) node.append(child);
  return node;
}

function three(x) {
  if (x === 0) return '0';
  if (Math.abs(x) >= 100) return Math.round(x).toLocaleString('en');
  return Number(x.toPrecision(3)).toString();
}

function bytes(n) {
  for (const [unit, size] of [['GB', 1e9], ['MB', 1e6], ['KB', 1e3]])
    if (n >= size) return three(n / size) + ' ' + unit;
  return n + ' bytes';
}

function operations(n) {
  for (const [unit, size] of [['G', 1e9], ['M', 1e6], ['k', 1e3]])
    if (n >= size) return three(n / size) + ' ' + unit;
  return three(n);
}

function micros(us) {
  if (us >= 1e6) return three(us / 1e6) + ' s';
  if (us >= 1e3) return three(us / 1e3) + ' ms';
  return three(us) + ' µs';
}

const count = (n, word) => `${n.toLocaleString('en')} ${word}${n === 1 ? '' : 's'}`;
const sum = (list, of) => list.reduce((total, one) => total + of(one), 0);

// key -> members, in order of the keys' first appearance.
function groups(list, keyOf) {
  const map = new Map();
  for (const one of list) {
    const key = keyOf(one);
    if (!map.has(key)) map.set(key, []);
    map.get(key).push(one);
  }
  return map;
}

// What an op does, for colour. The names are ops/ops.inc's.
const kinds = {
  linear: 'matrix products',
  attention: 'attention',
  cache: 'KV cache',
  norm: 'normalisation',
  rows: 'rows of tables',
  elementwise: 'elementwise',
};
function kindOf(op) {
  if (/attention/.test(op)) return 'attention';
  if (/cache/.test(op)) return 'cache';
  if (/matmul|qkv|glu|expert/.test(op)) return 'linear';
  if (/norm/.test(op)) return 'norm';
  if (/embed|rows/.test(op)) return 'rows';
  return 'elementwise';
}
const colour = (kind) => `--c: var(--${kind})`;
const dot = (op) => el('span.dot', {style: colour(kindOf(op))});

function legend() {
  const used = new Set(report.steps.map((step) => kindOf(step.op)));
  return el('div.legend', {},
    Object.keys(kinds).filter((kind) => used.has(kind)).map((kind) => el('span', {}, el('i', {style: colour(kind)}), kinds[kind])));
}

// "tensor<T x 576 x f32>" -> "T×576 f32"
function shortType(type) {
  const match = /^tensor<(.*)>$/.exec(type || '');
  if (!match) return type || '';
  const parts = match[1].split(' x ');
  const format = parts.pop();
  return (parts.length ? parts.join('×') + ' ' : '') + format;
}

// Long number lists say how long they are instead.
function shortText(text) {
  return text.replace(/\[[-+.\de, ]{120,}\]/g, (list) => {
    const values = list.slice(1, -1).split(', ');
    return `[${values.slice(0, 3).join(', ')}, … ${values.length} values]`;
  });
}
const attrText = (value) => shortText(Array.isArray(value) ? `[${value.join(', ')}]` :
    typeof value === 'string' ? value :
                                JSON.stringify(value));

const span = (first, last) => (first === last ? `layer ${first}` : `layers ${first}–${last}`);

// tip(target, make): `make` gives the tooltip's content when it is wanted.
const tipBox = byId('tip');
function tip(target, make) {
  target.addEventListener('pointerenter', (event) => {
    tipBox.replaceChildren(...[make()].flat());
    tipBox.hidden = false;
    placeTip(event);
  });
  target.addEventListener('pointermove', placeTip);
  target.addEventListener('pointerleave', () => {
    tipBox.hidden = true;
  });
  return target;
}
function placeTip(event) {
  const box = tipBox.getBoundingClientRect();
  const x = event.clientX + 16 + box.width > innerWidth ? event.clientX - box.width - 12 : event.clientX + 16;
  const y = event.clientY + 18 + box.height > innerHeight ? event.clientY - box.height - 12 : event.clientY + 18;
  tipBox.style.transform = `translate(${Math.max(4, x)}px, ${Math.max(4, y)}px)`;
  tipBox.style.left = tipBox.style.top = '0';
}
const lines = (title, ...rest) => [el('b', {}, title), ...rest.filter(Boolean).map((line) => el('div', {}, line))];

function heading(id, title, lead, ...tools) {
  byId(id).append(el('div.row', {}, el('h2', {}, title), tools.length ? el('div.row.push', {}, tools) : null), el('p.lead', {}, lead));
  return byId(id);
}

// A choice between a few views; calls `show` with the chosen one.
function choice(names, chosen, show) {
  const buttons = names.map((name) => el('button.button', {onclick: () => pick(name)}, name));
  const pick = (name) => {
    buttons.forEach((button) => button.classList.toggle('on', button.textContent === name));
    show(name);
  };
  buttons.forEach((button) => button.classList.toggle('on', button.textContent === chosen));
  return el('span.seg-buttons', {}, buttons);
}
