// The passes as a timeline, each with its remarks and a side-by-side diff in which equal changes to many layers are shown once.

// ---- From a unified diff to sections

const layerIn = (line) => {
  const match = /\bat "blk\.(\d+)/.exec(line) || /%blk(\d+)\b/.exec(line);
  return match ? Number(match[1]) : -1;
};

// A change as text without layer numbers, and the numbers.
function withoutLayers(lines) {
  const numbers = [];
  return {
    text: lines.replace(/(blk\.?|layer = )(\d+)/g,
      (_, before, n) => {
        numbers.push(Number(n));
        return before + '#';
      }),
    numbers
  };
}

// The same change to another layer: each number is the same, or as far from its layer as the other.
const sameChange = (a, b) => a.change.text === b.change.text &&
  a.change.numbers.every((n, i) => n === b.change.numbers[i] || n - a.layer === b.change.numbers[i] - b.layer);

// Stretches of lines that belong to one layer, in order: {layer, rows: [[mark, text]], change}. Context outside of changes is dropped.
function stretches(text) {
  const list = [];
  for (const line of text.split('\n')) {
    if (!line || line.startsWith('@@') || line.startsWith('--- ') || line.startsWith('+++ ') || line.startsWith('\\')) continue;
    const body = line.slice(1), layer = layerIn(body);
    if (!list.length || list.at(-1).layer !== layer) list.push({layer, rows: []});
    list.at(-1).rows.push([line[0], body]);
  }
  for (const one of list) {
    one.changed = one.rows.some(([mark]) => mark !== ' ');
    one.change = withoutLayers(one.rows.filter(([mark]) => mark !== ' ').map(([mark, body]) => mark + body).join('\n'));
  }
  return list.filter((one) => one.changed);
}

// Runs of consecutive layers with one change: {first, last, rows, graph, end}. A layer number that falls back begins the next graph.
function sections(text) {
  const runs = [];
  let graph = 0, before = -1;
  for (const one of stretches(text)) {
    if (one.layer >= 0) {
      if (one.layer < before) ++graph;
      before = one.layer;
    }
    const last = runs.at(-1);
    if (last && one.layer >= 0 && last.graph === graph && one.layer === last.last + 1 && sameChange(last.end, one))
      Object.assign(last, {last: one.layer, end: one});
    else
      runs.push({first: one.layer, last: one.layer, rows: one.rows, graph, end: one});
  }
  return runs;
}

// ---- Side by side

const resultOf = (line) => (/^\s*(%\S+?)[,\s]/.exec(line) || [])[1];

// Rows [left, right]: removed and added lines of one result share a row.
function sideBySide(rows) {
  const out = [];
  let minus = [], plus = [];
  const flush = () => {
    const added = new Map(plus.map((line) => [resultOf(line), line]));
    const paired = new Set();
    let next = 0;
    for (const line of minus) {
      const name = resultOf(line), match = added.get(name);
      if (match === undefined || paired.has(match)) {
        out.push([line, null]);
        continue;
      }
      while (plus[next] !== match && next < plus.indexOf(match)) {
        if (!paired.has(plus[next])) {
          out.push([null, plus[next]]);
          paired.add(plus[next]);
        }
        ++next;
      }
      paired.add(match);
      out.push([line, match]);
    }
    for (const line of plus)
      if (!paired.has(line)) out.push([null, line]);
    minus = [];
    plus = [];
  };
  for (const [mark, line] of rows) {
    if (mark === '-')
      minus.push(line);
    else if (mark === '+')
      plus.push(line);
    else {
      flush();
      out.push([line, line]);
    }
  }
  flush();
  return out;
}

// Words of `text` that are not in the longest common subsequence with `other` stand in <mark>.
function marked(text, other) {
  const a = text.split(/(\s+|[,:{}])/), b = other.split(/(\s+|[,:{}])/);
  if (a.length * b.length > 60000) return [text];
  const table = Array.from({length: a.length + 1}, () => new Uint16Array(b.length + 1));
  for (let i = a.length - 1; i >= 0; --i)
    for (let j = b.length - 1; j >= 0; --j)
      table[i][j] = a[i] === b[j] ? table[i + 1][j + 1] + 1 : Math.max(table[i + 1][j], table[i][j + 1]);
  const out = [];
  const push = (word, own) => {
    if (out.length && out.at(-1).own === own)
      out.at(-1).text += word;
    else
      out.push({own, text: word});
  };
  for (let i = 0, j = 0; i < a.length;) {
    if (j < b.length && a[i] === b[j]) {
      push(a[i++], false);
      ++j;
    } else if (j < b.length && table[i][j + 1] >= table[i + 1][j])
      ++j;
    else
      push(a[i++], true);
  }
  return out.flatMap(({own, text: words}) => {
    const inner = words.trim();
    if (!own || !inner) return [words];
    const start = words.indexOf(inner);
    return [words.slice(0, start), el('mark', {}, inner), words.slice(start + inner.length)];
  });
}

function pairRow([left, right]) {
  const a = left === null ? null : shortText(left.trim()), b = right === null ? null : shortText(right.trim());
  const cell = (text, other, style) =>
    (text === null ? el('div.none') :
                     el('div' + (text === other ? '.same' : style), {}, text === other || other === null ? text : marked(text, other)));
  return el('div.pair', {}, cell(a, b, '.del'), cell(b, a, '.add'));
}

const kLongSection = 400;  // rows; more are added on demand

function fillSection(box, rows) {
  const all = sideBySide(rows);
  const add = (from) => {
    box.append(...all.slice(from, from + kLongSection).map(pairRow));
    if (from + kLongSection >= all.length) return;
    const more = el('button.button', {
      style: 'margin: 8px 12px',
      onclick: () => {
        more.remove();
        add(from + kLongSection);
      }
    },
      `Show ${all.length - from - kLongSection} more rows`);
    box.append(more);
  };
  add(0);
}

function graphName(pass, number, graphs) {
  if (graphs < 2) return '';
  const split = report.passes.findIndex((one) => one.name === 'prefill-decode-specialisation');
  return split >= 0 && report.passes.indexOf(pass) >= split && graphs === 2 ? ['@prefill, ', '@decode, '][number] : `graph ${number + 1}, `;
}

function diffView(pass) {
  const all = sections(pass.diff), graphs = Math.max(0, ...all.map((one) => one.graph)) + 1;
  return el('div.diff', {}, all.map((one, i) => {
    const times = one.last - one.first + 1, removed = one.rows.filter(([mark]) => mark === '-').length,
          added = one.rows.filter(([mark]) => mark === '+').length;
    const box = el('details', {},
      el('summary', {}, graphName(pass, one.graph, graphs), el('b', {}, one.first < 0 ? 'outside layers' : span(one.first, one.last)),
        times > 1 ? ` the same change × ${times}` : '', ' · ', removed ? el('span.bad', {}, `−${removed} `) : null,
        added ? el('span.good', {}, `+${added}`) : null));
    box.addEventListener('toggle', () => {
      if (box.open && box.children.length === 1) fillSection(box, one.rows);
    });
    if (i < 3 && one.rows.length < 60) box.open = true;
    return box;
  }));
}

// ---- Remarks and the table

// Remarks that say the same of many layers become one line.
function remarkLines(remarks) {
  const groups = new Map();
  for (const one of remarks) {
    const path = one.path.replace(/^blk\.\d+/, 'blk.*'), key = [one.kind, path, one.text.replace(/blk\.\d+/g, 'blk.*')].join('\n');
    groups.set(key, (groups.get(key) || 0) + 1);
  }
  return el('ul.remarks', {}, [...groups].map(([key, times]) => {
    const [kind, path, text] = key.split('\n');
    return el('li', {}, el('span.kind', {}, kind), el('span.mono', {}, path),
      el('span', {}, text, times > 1 ? el('span.mute', {}, `  × ${times}`) : null));
  }));
}

function passDetail(pass) {
  return [
    pass.remarks.length ? remarkLines(pass.remarks) : null,
    pass.diff ? diffView(pass) :
                el('div.mute', {}, pass.remarks.length ? 'The text of the graph is as before.' : 'This pass changed nothing.')
  ].filter(Boolean);
}

function passRow(pass, number, start, total) {
  const bar = el(
    'div.bar', {}, el('i', {style: `left: ${(100 * start / total).toFixed(3)}%; width: max(3px, ${(100 * pass.ms / total).toFixed(3)}%)`}));
  const difference = pass.nodes_after - pass.nodes_before;
  const row = el('tr.click', {tabindex: 0}, el('td.n.mute', {}, String(number)),
    el('td.tight', {}, pass.changed ? el('b', {}, pass.name) : el('span.mute', {}, pass.name)),
    el('td.n', {}, pass.nodes_before.toLocaleString('en')), el('td.n', {}, pass.nodes_after.toLocaleString('en')),
    el('td.n', {},
      difference ? el('span' + (difference < 0 ? '.good' : '.mute'), {}, (difference > 0 ? '+' : '−') + Math.abs(difference)) : ''),
    el('td.n', {},
      pass.max_abs_error === null ? el('span.mute', {}, '–') :
        pass.max_abs_error === 0  ? '0' :
                                    pass.max_abs_error.toExponential(1)),
    el('td.n', {}, pass.remarks.length ? String(pass.remarks.length) : ''), el('td.n', {}, `${pass.ms.toFixed(2)} ms`),
    el('td', {style: 'width: 34%'}, bar));
  expands(row, 9, () => passDetail(pass));
  return row;
}

// A click on the row opens a row below it, filled the first time.
function expands(row, columns, make) {
  let below = null;
  const toggle = () => {
    if (!below) below = el('tr', {}, el('td.detail', {colspan: columns}, make()));
    if (below.isConnected)
      below.remove();
    else
      row.after(below);
    row.classList.toggle('open', below.isConnected);
  };
  row.addEventListener('click', toggle);
  row.addEventListener('keydown', (event) => {
    if (event.key === 'Enter') toggle();
  });
  row.collapse = () => {
    if (below && below.isConnected) toggle();
  };
}

function showPasses() {
  const total = sum(report.passes, (pass) => pass.ms) || 1;
  const changed = report.passes.filter((pass) => pass.changed).length;
  let start = 0;
  const rows = report.passes.map((pass, i) => {
    const row = passRow(pass, i + 1, start, total);
    start += pass.ms;
    return row;
  });
  heading('passes', 'Passes',
    `${count(report.passes.length, 'pass')}`.replace('passs', 'passes') +
      ` in ${three(total)} ms; ${changed} changed the graph. Open one to see what it did, before beside after.`)
    .append(el('div.card.table-card', {},
      el('table', {},
        el('thead', {},
          el('tr', {}, el('th.n', {}, '#'), el('th', {}, 'Pass'), el('th.n', {}, 'Nodes before'), el('th.n', {}, 'After'),
            el('th.n', {}, 'Change'), el('th.n', {}, 'Max error'), el('th.n', {}, 'Remarks'), el('th.n', {}, 'Time'),
            el('th', {}, 'When'))),
        el('tbody', {}, rows))));
}
