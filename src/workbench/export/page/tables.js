// Overview, steps, kernels, weights; then everything is put on the page.

function figure(label, value, unit, note) {
  return el('div.card.figure', {}, el('div.label', {}, label), el('div.value', {}, value, unit ? el('small', {}, unit) : null),
    el('div.note', {}, note || ''));
}
const split = (text) => {
  const at = text.lastIndexOf(' ');
  return at < 0 ? [text, ''] : [text.slice(0, at), text.slice(at + 1)];
};

function showOverview() {
  const {model, target, source, limits, mode, steps, memory, weights} = report;
  const us = sum(steps, (step) => step.predicted_us), moved = sum(steps, (step) => step.bytes), weight = sum(weights, (one) => one.bytes);
  const tokens = mode === 'decode' ? limits.sequences : limits.tokens;
  // The planner's largest step; in decode half of the context is in the cache.
  const rows = mode !== 'decode' ? count(tokens, 'token') :
                                   `${count(tokens, 'sequence')}, a token each after ${Math.floor(limits.positions / 2).toLocaleString('en')}`;
  byId('where').textContent = `${model.name} · ${mode} · ${target.isa}`;
  const chip = (name, value) => (value === undefined || value === '' ? null : el('span.chip', {}, name + ' ', el('b', {}, String(value))));
  const files = (source.files || []).map((file) => file.path).join(', ');
  byId('overview')
    .append(el('h1', {}, model.name),
      el('div.chips', {},
        [
          chip('graph', mode), chip('family', model.family), chip('layers', model.layers), chip('hidden', model.hidden),
          chip('vocabulary', Number(model.vocab).toLocaleString('en')), chip('context', Number(limits.positions).toLocaleString('en')),
          chip('target', [target.backend, target.isa].filter(Boolean).join(' ')), chip('numerics', target.numerics),
          chip('KV cache', target.kv_dtype), chip('machine', target.cpu_model), chip('from', files)
        ].filter(Boolean)),
      el('div.figures', {},
        figure('Steps', String(steps.length), '',
          `${report.graph.nodes.length} nodes, ${new Set(steps.map((step) => step.variant)).size} kernels`),
        figure('Weights', ...split(bytes(weight)), count(weights.length, 'tensor')),
        figure('Arena', ...split(bytes(memory.arena_bytes)), `and ${bytes(memory.workspace_bytes)} workspace`),
        figure('Predicted step', ...split(micros(us)), rows),
        figure('Time per token', ...split(micros(us / tokens)), `${three(1e6 * tokens / us)} tokens a second: ${rows}`),
        figure('Bytes per token', ...split(bytes(Math.round(moved / tokens))), `${bytes(moved)} a step`)));
}

// A sortable table. Columns: {name, of: row => value to sort by, cell: row => content, n: number}.
function sortable(columns, rows, rowOf) {
  const body = el('tbody');
  let column = null, down = false;
  const draw = () => {
    const order = column ? [...rows()].sort((a, b) => {
      const x = column.of(a), y = column.of(b);
      return (x < y ? -1 : x > y ? 1 : 0) * (down ? -1 : 1);
    }) :
                           rows();
    body.replaceChildren(...order.map(rowOf));
  };
  const head = columns.map((one) => el('th' + (one.n ? '.n' : '') + (one.of ? '.sorts' : ''), {
    onclick: one.of && (() => {
      down = column === one ? !down : Boolean(one.n && one.name !== '#');
      column = one;
      head.forEach((cell, i) => {
        cell.textContent = columns[i].name + (columns[i] === one ? (down ? ' ↓' : ' ↑') : '');
      });
      draw();
    }),
  },
                             one.name));
  draw();
  return {table: el('table', {}, el('thead', {}, el('tr', {}, head)), body), draw};
}

function stepRow(step, columns) {
  const row = el('tr.click', {tabindex: 0}, columns.map((one) => el('td' + (one.n ? '.n' : '') + (one.style || ''), {}, one.cell(step))));
  expands(row, columns.length, () => stepDetail(step));
  return row;
}

function stepDetail(step) {
  const node = nodes.findIndex((one) => one.step === step.number);
  const show = (event) => {
    event.stopPropagation();
    reveal(node);
  };
  const facts = pairs([
    ['variant', el('code', {}, step.variant)],
    ['reason', step.reason],
    ['operations', step.flops ? operations(step.flops) : ''],
    ['workspace', step.workspace_bytes ? bytes(step.workspace_bytes) : ''],
    ['in the graph', node < 0 ? '' : el('a', {href: '#graph', onclick: show}, nodes[node].path)],
  ]);
  return [facts, ...refusedList(step)];
}

function showSteps() {
  report.steps.forEach((step, i) => {
    step.number = i;
  });
  const all = report.steps, most = Math.max(1e-9, ...all.map((step) => step.predicted_us));
  const columns = [
    {name: '#', n: true, of: (s) => s.number, cell: (s) => el('span.mute', {}, String(s.number))},
    {name: 'Step', of: (s) => s.path, cell: (s) => el('span.mono', {}, s.path), style: '.tight'},
    {name: 'Op', of: (s) => s.op, cell: (s) => [dot(s.op), s.op], style: '.tight'},
    {name: 'Kernel variant', of: (s) => s.variant, cell: (s) => el('span.mono', {}, s.variant), style: '.tight'},
    {name: 'Reason', cell: (s) => s.reason, style: '.reason'},
    {name: 'Bytes', n: true, of: (s) => s.bytes, cell: (s) => bytes(s.bytes)},
    {name: 'Predicted', n: true, of: (s) => s.predicted_us, cell: (s) => micros(s.predicted_us)},
    {
      name: '',
      cell: (s) =>
        el('div.bar', {style: colour(kindOf(s.op))}, el('i', {style: `left: 0; width: ${(100 * s.predicted_us / most).toFixed(2)}%`}))
    },
  ];
  const text =
    new Map(all.map((step) => [step, [step.path, step.op, step.variant, step.reason, `layer ${step.layer}`].join(' ').toLowerCase()]));
  let wanted = [];
  const found = () => all.filter((step) => wanted.every((word) => text.get(step).includes(word)));
  const summary = el('span.mute');
  const {table, draw} = sortable(columns, found, (step) => stepRow(step, columns));
  const say = () => {
    const list = found();
    summary.textContent = `${list.length} of ${count(all.length, 'step')}, ${micros(sum(list, (step) => step.predicted_us))}, ${
      bytes(sum(list, (step) => step.bytes))}`;
  };
  const filter = el('input.filter', {
    type: 'search',
    placeholder: 'Filter: matmul, blk.3., memory-bound …',
    'aria-label': 'filter steps',
    oninput: () => {
      wanted = filter.value.toLowerCase().split(/\s+/).filter(Boolean);
      draw();
      say();
    }
  });
  say();
  heading('steps', 'Steps',
    'The plan as the executor runs it: which kernel, why that one, and what it should cost. Open a step to see which variants were passed over.')
    .append(el('div.card.table-card', {}, el('div.tools', {}, filter, summary), el('div.scroll', {}, table)));
}

function stack(parts) {
  const total = sum(parts, (part) => part.size) || 1;
  return el('div.stack', {},
    parts.map((part) => tip(el('i', {style: `flex: ${part.size / total} 0 0; ${part.style}`}),
                () => lines(part.name, part.text, `${(100 * part.size / total).toFixed(1)}%`))));
}

function showKernels() {
  const total = sum(report.steps, (step) => step.predicted_us) || 1;
  const rows = [...groups(report.steps, (step) => step.variant)]
                 .map(([variant, steps]) => ({
                   variant,
                   op: steps[0].op,
                   steps: steps.length,
                   us: sum(steps, (s) => s.predicted_us),
                   bytes: sum(steps, (s) => s.bytes),
                   flops: sum(steps, (s) => s.flops || 0),
                 }))
                 .sort((a, b) => b.us - a.us);
  const columns = [
    {name: 'Kernel variant', of: (r) => r.variant, cell: (r) => [dot(r.op), el('span.mono', {}, r.variant)]},
    {name: 'Steps', n: true, of: (r) => r.steps, cell: (r) => String(r.steps)},
    {name: 'Bytes', n: true, of: (r) => r.bytes, cell: (r) => bytes(r.bytes)},
    {name: 'GB/s', n: true, of: (r) => r.bytes / r.us, cell: (r) => three(r.bytes / r.us / 1e3)},
    {name: 'GFLOP/s', n: true, of: (r) => r.flops / r.us, cell: (r) => (r.flops ? three(r.flops / r.us / 1e3) : '')},
    {name: 'Predicted', n: true, of: (r) => r.us, cell: (r) => micros(r.us)},
    {name: 'Share of the step', n: true, of: (r) => r.us, cell: (r) => `${(100 * r.us / total).toFixed(1)}%`},
    {
      name: '',
      cell: (r) =>
        el('div.bar', {style: colour(kindOf(r.op))}, el('i', {style: `left: 0; width: ${(100 * r.us / rows[0].us).toFixed(2)}%`}))
    },
  ];
  const {table} = sortable(columns, () => rows,
    (row) => el('tr', {}, columns.map((one) => el('td' + (one.n ? '.n' : ''), one.name ? {} : {style: 'width: 26%'}, one.cell(row)))));
  heading(
    'kernels', 'Kernels', `${rows.length} variants take ${micros(total)} in all, as predicted; rates are what the prediction stands for.`)
    .append(stack(rows.map((r) => ({name: r.variant, size: r.us, text: micros(r.us), style: colour(kindOf(r.op))}))),
      el('div.card.table-card', {}, table));
}

const formatColours = ['linear', 'norm', 'attention', 'elementwise', 'rows', 'cache', 'other'];

function showWeights() {
  const total = sum(report.weights, (one) => one.bytes) || 1;
  const formats =
    [...groups(report.weights, (one) => one.dtype)]
      .map(([name, list]) =>
             ({name, list, bytes: sum(list, (one) => one.bytes), values: sum(list, (one) => one.dims.reduce((a, b) => a * b, 1))}))
      .sort((a, b) => b.bytes - a.bytes);
  const styles = formats.map((_, i) => `--c: var(--${formatColours[Math.min(i, formatColours.length - 1)]})`);
  const rows = formats.map((one, i) => {
    const packed = one.list.filter((weight) => weight.layout).length;
    const row = el('tr.click', {tabindex: 0}, el('td', {}, el('span.dot', {style: styles[i]}), el('b.mono', {}, one.name)),
      el('td.n', {}, String(one.list.length)), el('td.n', {}, three(one.values / 1e6) + ' M'),
      el('td.n', {}, three(8 * one.bytes / one.values)),
      el('td', {},
        packed === one.list.length ? 'packed' :
          packed                   ? `${packed} packed` :
                                     'as in the file'),
      el('td.n', {}, bytes(one.bytes)), el('td.n', {}, `${(100 * one.bytes / total).toFixed(1)}%`),
      el('td', {style: 'width: 26%'},
        el('div.bar', {style: styles[i]}, el('i', {style: `left: 0; width: ${(100 * one.bytes / formats[0].bytes).toFixed(2)}%`}))));
    expands(row, 8, () => tensorTable(one.list));
    return row;
  });
  heading('weights', 'Weights',
    `${count(report.weights.length, 'tensor')}, ${bytes(total)} in the forms that the kernels read. Open a format to see its tensors.`)
    .append(stack(formats.map((one, i) => ({name: one.name, size: one.bytes, text: bytes(one.bytes), style: styles[i]}))),
      el('div.card.table-card', {},
        el('table', {},
          el('thead', {},
            el('tr', {}, el('th', {}, 'Format'), el('th.n', {}, 'Tensors'), el('th.n', {}, 'Values'), el('th.n', {}, 'Bits a value'),
              el('th', {}, 'Form'), el('th.n', {}, 'Bytes'), el('th.n', {}, 'Share'), el('th', {}, ''))),
          el('tbody', {}, rows))));
}

function tensorTable(list) {
  const same =
    groups(list, (one) => [one.name.replace(/^blk\.\d+\./, 'blk.*.'), one.dims.join('×'), one.layout || 'as is'].join('\n'));
  return el('table', {}, el('tbody', {}, [...same].map(([key, tensors]) => {
    const [name, dims, form] = key.split('\n');
    return el('tr', {}, el('td', {}, el('span.mono', {}, name)), el('td.n', {}, tensors.length > 1 ? `× ${tensors.length}` : ''),
      el('td.n', {}, dims), el('td', {}, form), el('td.n', {}, bytes(sum(tensors, (one) => one.bytes))));
  })));
}

// The section that is being read is marked in the bar at the top.
function followScroll() {
  const links = new Map([...document.querySelectorAll('.top nav a')].map((link) => [link.getAttribute('href').slice(1), link]));
  const seen = new IntersectionObserver((entries) => {
    for (const entry of entries)
      if (entry.isIntersecting)
        for (const [id, link] of links) link.classList.toggle('here', id === entry.target.id);
  }, {rootMargin: '-30% 0px -65% 0px'});
  for (const section of document.querySelectorAll('main > section')) seen.observe(section);
}

for (const show of [showOverview, showGraph, showPasses, showMemory, showSteps, showKernels, showWeights, followScroll]) show();
