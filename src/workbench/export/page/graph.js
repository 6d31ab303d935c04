// The graph: segments from top to bottom, runs of equal layers folded into one body whose layer can be stepped through.
const nodes = report.graph.nodes;
const producer = new Map();  // value name -> [node index, result number]
nodes.forEach((node, i) => node.results.forEach((name, r) => producer.set(name, [i, r])));
const isSource = (node) => node.op === 'weight' || node.op === 'constant';
const typeOf = (name) => {
  const made = producer.get(name);
  return made ? nodes[made[0]].types[made[1]] : (report.graph.inputs.find((input) => input.name === name) || {}).type;
};
const workingOf = (body) => body.filter((i) => !isSource(nodes[i]));
const stepOf = (node) => (node.step >= 0 ? report.steps[node.step] : null);
const cost = (body) => sum(body, (i) => (stepOf(nodes[i]) || {predicted_us: 0}).predicted_us);
const isState = (name) => {
  const type = typeOf(name);
  return type === 'state' || type === 'cache';
};
const localPath = (path) => path.replace(/^blk\.\d+\./, '');

// ---- One body as a drawing

// Working nodes, what flows in from outside, what flows out, and the edges between them. The batch goes everywhere and is left out.
function bodyGraph(body) {
  const inside = new Set(body);
  const working = workingOf(body);
  const made = new Set(working.flatMap((i) => nodes[i].results));
  const leaves = new Set(report.graph.outputs.filter((name) => made.has(name)));
  nodes.forEach((node, i) => {
    if (!inside.has(i)) node.operands.forEach((name) => made.has(name) && leaves.add(name));
  });
  const boxes = [], edges = [], ports = new Map();
  const port = (name, last) => {
    const id = (last ? 'out:' : 'in:') + name;
    if (!ports.has(id)) {
      ports.set(id, true);
      boxes.push({id, port: name, last, w: Math.max(96, 7 * name.length + 26), h: 24});
    }
    return id;
  };
  for (const i of working) {
    for (const name of new Set(nodes[i].operands)) {
      if (name === null || typeOf(name) === 'batch') continue;
      const from = producer.get(name);
      if (from && isSource(nodes[from[0]])) continue;
      edges.push({from: from && inside.has(from[0]) ? from[0] : port(name, false), to: i, value: name, state: isState(name)});
    }
    boxes.push(measure(i));
  }
  for (const name of leaves) edges.push({from: producer.get(name)[0], to: port(name, true), value: name, state: isState(name)});
  return {boxes, edges};
}

const sourcesOf = (node) => node.operands.filter((name) => name !== null && producer.has(name) && isSource(nodes[producer.get(name)[0]]));

function measure(i) {
  const node = nodes[i], weights = sourcesOf(node);
  const widest = Math.max(0, ...weights.map((name) => sourceLabel(name).length + shortType(typeOf(name)).length));
  return {
    id: i,
    w: Math.max(226, 8.3 * node.op.length + 94, 6.6 * widest + 44),
    h: 48 + 15 * weights.length + (weights.length ? 6 : 0),
    weights
  };
}

const sourceLabel = (name) => localPath(nodes[producer.get(name)[0]].path);

function drawBody(body, select) {
  const {boxes, edges} = bodyGraph(body);
  const size = layout(boxes, edges);
  const slowest = Math.max(1e-9, ...body.map((i) => (stepOf(nodes[i]) || {predicted_us: 0}).predicted_us));
  const pad = 6;
  const picture = svg('svg',
    {width: size.w + 2 * pad, height: size.h + 2 * pad, viewBox: `${- pad} ${- pad} ${size.w + 2 * pad} ${size.h + 2 * pad}`, role: 'img'});
  const labels = [];
  for (const edge of edges) picture.append(drawWire(edge, labels));
  const drawn = new Map();
  for (const box of boxes) {
    const one = box.port !== undefined ? drawPort(box) : drawNode(box, slowest, () => select(box.id));
    drawn.set(box.id, one);
    picture.append(one);
  }
  return {picture, drawn, edges};
}

function drawWire(edge, labels) {
  const path = wire(edge.points);
  const line = svg(edge.state ? 'path.wire.state' : 'path.wire', {d: path});
  edge.line = line;
  const group = svg('g', {}, line, svg('path.wire-hit', {d: path}));
  const [x, y] = edge.points[0], text = shortType(typeOf(edge.value));
  const taken = labels.some((one) => one.y === y && (one.value === edge.value || Math.abs(one.x - x) < 6.4 * text.length));
  if (typeof edge.from === 'number' && !edge.state && !taken) {
    labels.push({x, y, value: edge.value});
    group.append(svg('text.wire-label', {x: x + 5, y: y + 13}, text));
  }
  return tip(group, () => lines('%' + edge.value, shortType(typeOf(edge.value))));
}

function drawPort(box) {
  return tip(svg('g.port', {transform: `translate(${box.x},${box.y})`}, svg('rect', {width: box.w, height: box.h, rx: 12}),
               svg('text', {x: box.w / 2, y: 16}, '%' + box.port)),
    () => lines('%' + box.port, shortType(typeOf(box.port)), box.last ? 'leaves here' : 'comes in here'));
}

function drawNode(box, slowest, onclick) {
  const node = nodes[box.id], step = stepOf(node);
  const group =
    svg('g.node', {transform: `translate(${box.x},${box.y})`, style: colour(kindOf(node.op)), onclick, tabindex: 0, role: 'button'},
      svg('rect.box', {width: box.w, height: box.h, rx: 9}), svg('rect.wash', {width: box.w, height: box.h, rx: 9}),
      svg('path.edge', {d: `M9,0H5Q0,0 0,9V${box.h - 9}Q0,${box.h} 5,${box.h}H9Q4.5,${box.h} 4.5,${box.h - 9}V9Q4.5,0 9,0Z`}),
      svg('text.op', {x: 16, y: 20}, node.op), svg('text.path', {x: 16, y: 36}, localPath(node.path)));
  group.addEventListener('keydown', (event) => {
    if (event.key === 'Enter' || event.key === ' ') {
      event.preventDefault();
      onclick();
    }
  });
  box.weights.forEach((name, k) => group.append(svg('text.w', {x: 16, y: 58 + 15 * k}, sourceLabel(name)),
                        svg('text.wt', {x: box.w - 12, y: 58 + 15 * k}, shortType(typeOf(name)))));
  if (step) {
    const share = step.predicted_us / slowest;
    group.append(svg('text.us', {x: box.w - 12, y: 20}, micros(step.predicted_us)),
      svg('rect.heat', {x: box.w - 12 - 56 * share - 2, y: 28, width: 56 * share + 2, height: 4, rx: 2}));
  }
  return group;
}

// ---- Segments

const canvas = el('div.card.canvas');
const details = el('aside.card.details');
let shown = [];      // drawings on the page: {drawn, edges}
let selected = -1;   // node index
const reveals = [];  // how each folded run brings a node to sight

function select(i) {
  selected = i;
  for (const {drawn, edges} of shown) {
    for (const [id, group] of drawn) group.classList.toggle('on', id === i);
    for (const edge of edges) edge.line.classList.toggle('on', edge.from === i || edge.to === i);
  }
  showDetails(i);
}

function addBody(host, body) {
  const drawing = {host, ...drawBody(body, select)};
  host.append(drawing.picture);
  shown.push(drawing);
  if (body.includes(selected)) select(selected);
}

// Draws a few bodies at a time, so that the page answers while hundreds of layers unfold.
function addBodies(hosts, bodies, from, wanted) {
  for (let b = from; b < Math.min(from + 6, bodies.length); ++b) addBody(hosts[b], bodies[b]);
  if (from + 6 < bodies.length) setTimeout(() => wanted() && addBodies(hosts, bodies, from + 6, wanted));
}

function segmentCard(segment) {
  if (segment.first < 0) {
    const host = el('div.body');
    addBody(host, segment.bodies[0]);
    return el('div.segment', {}, host);
  }
  return segment.bodies.length > 1 ? foldedCard(segment) : singleCard(segment);
}

function singleCard(segment) {
  const host = el('div.body');
  addBody(host, segment.bodies[0]);
  return el('div.segment.group', {},
    el('div.head', {}, el('span.title', {}, span(segment.first, segment.last)), el('span.mute', {}, micros(cost(segment.bodies[0])))),
    host);
}

function layersOfBody(segment, b) {
  const first = segment.first + b * segment.period;
  return span(first, first + segment.period - 1);
}

// A run of equal layers: one body, of the chosen layer, or all of them.
class FoldedRun {
  constructor(segment) {
    this.bodies = segment.bodies;
    this.segment = segment;
    this.at = 0;
    this.open = false;
    this.hosts = el('div');
    this.label = el('span');
    this.strip = heatStrip(segment, (b) => this.choose(b));
    this.toggle = el('button.button', {onclick: () => this.draw(!this.open)});
    this.card = el('div.segment.group', {}, this.head(), this.strip.picture, varies(segment), this.hosts);
    this.draw(false);
  }

  head() {
    const total = sum(this.bodies, cost), all = sum(report.steps, (step) => step.predicted_us) || 1;
    const move = (by, name, sign) => el('button.button', {onclick: () => this.choose(this.at + by), 'aria-label': name}, sign);
    return el('div.head', {}, el('span.title', {}, span(this.segment.first, this.segment.last)),
      el('span.times', {}, timesText(this.segment)),
      el('span.mute', {}, `${micros(total)} predicted, ${(100 * total / all).toFixed(0)}% of the step`),
      el('span.row.push', {}, el('span.stepper', {}, move(-1, 'previous', '‹'), this.label, move(1, 'next', '›')), this.toggle));
  }

  draw(open) {
    this.open = open;
    this.toggle.textContent = open ? 'Fold layers' : `Unfold ${this.bodies.length} layers`;
    this.toggle.classList.toggle('on', open);
    canvas.classList.toggle('tall', open);
    if (!open) {
      this.choose(this.at);
      return;
    }
    const caption = (b) => el('div.caption', {}, `${layersOfBody(this.segment, b)} · ${micros(cost(this.bodies[b]))}`);
    const places = this.bodies.map((_, b) => el('div.body', {}, caption(b)));
    this.replace(places);
    addBodies(places, this.bodies, 0, () => places[0].isConnected);
  }

  // Brings a body to sight. A node that was selected in another layer is then selected in this one.
  choose(b) {
    this.at = Math.min(this.bodies.length - 1, Math.max(0, b));
    this.label.textContent = layersOfBody(this.segment, this.at);
    this.strip.choose(this.at);
    if (this.open) {
      this.hosts.children[this.at].scrollIntoView({block: 'start'});
      return;
    }
    const before = this.bodies.find((body) => body.includes(selected));
    const host = el('div.body');
    this.replace([host]);
    addBody(host, this.bodies[this.at]);
    if (before) select(workingOf(this.bodies[this.at])[workingOf(before).indexOf(selected)]);
  }

  replace(hosts) {
    shown = shown.filter((drawing) => !this.hosts.contains(drawing.host));
    this.hosts.replaceChildren(...hosts);
  }

  reveal(i) {
    const b = this.bodies.findIndex((body) => body.includes(i));
    if (b >= 0) this.choose(b);
  }
}

function foldedCard(segment) {
  const run = new FoldedRun(segment);
  reveals.push((i) => run.reveal(i));
  return run.card;
}

function timesText(segment) {
  const layers = segment.last - segment.first + 1;
  return segment.period === 1 ? `× ${layers} layers` : `× ${segment.bodies.length} · ${segment.period} layers each`;
}

// Predicted time of every body as a bar; a click shows that one.
function heatStrip(segment, pick) {
  const costs = segment.bodies.map(cost), most = Math.max(...costs, 1e-9), width = 1000 / costs.length;
  const bars = costs.map(
    (us, b) =>
      tip(svg('g', {onclick: () => pick(b)}, svg('rect.hit', {x: b * width, y: 0, width, height: 34}),
            svg('rect', {x: b * width + width * 0.1, y: 34 - 4 - 28 * us / most, width: width * 0.8, height: 28 * us / most + 2, rx: 1.5})),
        () => lines(layersOfBody(segment, b), micros(us) + ' predicted')));
  return {
    picture: svg('svg.strip', {viewBox: '0 0 1000 34', preserveAspectRatio: 'none'}, bars),
    choose: (b) => bars.forEach((bar, k) => bar.classList.toggle('on', k === b)),
  };
}

// Attributes and weight formats in which equal layers still differ, with how many have which.
function varies(segment) {
  const bodies = segment.bodies.map(workingOf);
  const rows = [];
  bodies[0].forEach((_, place) => {
    const seen = new Map();
    for (const body of bodies) {
      const node = nodes[body[place]];
      const facts = Object.entries(node.attrs).filter(([name]) => name !== 'layer').map(([name, value]) => [name, attrText(value)]);
      for (const name of sourcesOf(node)) facts.push([sourceLabel(name), shortType(typeOf(name))]);
      for (const [name, value] of facts) {
        const key = localPath(node.path) + ' · ' + name;
        if (!seen.has(key)) seen.set(key, new Map());
        seen.get(key).set(value, (seen.get(key).get(value) || 0) + 1);
      }
    }
    for (const [key, values] of seen) {
      const absent = segment.bodies.length - sum([...values.values()], (n) => n);
      if (absent) values.set('none', absent);
      if (values.size < 2) continue;
      const list = [...values].slice(0, 4).map(([value, n]) => `${value} in ${n}`).join(', ');
      rows.push(el('div', {}, el('b', {}, key), '  ', list + (values.size > 4 ? ', …' : '')));
    }
  });
  return rows.length ? el('div.varies', {}, el('span.mute', {}, 'Where these layers differ'), rows) : null;
}

// ---- Details

function pairs(entries, style) {
  return el('dl.kv' + (style || ''), {},
    entries.filter(([, value]) => value !== '' && value !== undefined && value !== null).flatMap(([name,
      value]) => [el('dt', {}, name), el('dd', {}, value)]));
}

// The variants that were passed over; those with one reason share a line.
function refusedList(step) {
  if (!step.refused.length) return [];
  const lineOf = ([why, list]) => {
    if (list.length === 1) return el('li', {}, el('code', {}, list[0].variant), ' ', why);
    const names = el('div.names', {}, list.map((one) => one.variant).join(', '));
    return el('li', {}, el('details', {}, el('summary', {}, `${list.length} variants: ${why}`), names));
  };
  return [el('h4', {}, 'Not chosen'), el('ul.refused', {}, [...groups(step.refused, (one) => one.why)].map(lineOf))];
}

function showDetails(i) {
  const node = nodes[i], step = stepOf(node);
  const value = (name) => el('span.mono', {}, name === null ? 'none' : `%${name}`);
  const operands = node.operands.filter((name) => name !== null).map((name) => {
    const from = producer.get(name), label = value(name);
    if (from && !isSource(nodes[from[0]])) {
      label.classList.add('jump');
      label.addEventListener('click', () => reveal(from[0]));
    }
    return [label, shortType(typeOf(name))];
  });
  details.replaceChildren(...[el('h3', {}, dot(node.op), node.op),
    el('div.sub', {}, node.path),
    step &&
      el('div.big', {}, el('div', {}, micros(step.predicted_us), el('small', {}, 'predicted')),
        el('div', {}, bytes(step.bytes), el('small', {}, 'read and written')),
        step.flops ? el('div', {}, operations(step.flops), el('small', {}, 'operations')) : null),
    step && el('h4', {}, 'Kernel'),
    step && el('div.mono', {}, step.variant),
    step && el('div.lead', {style: 'margin:4px 0 0;font-size:13px'}, step.reason),
    ...(step ? refusedList(step) : []),
    Object.keys(node.attrs).length ? el('h4', {}, 'Attributes') : null,
    pairs(Object.entries(node.attrs).map(([name, one]) => [name, attrText(one)]), '.mono'),
    el('h4', {}, 'Reads'),
    el('dl.kv', {}, operands.flatMap(([name, type]) => [el('dt', {}, name), el('dd.mono', {}, type)])),
    el('h4', {}, 'Makes'),
    el('dl.kv', {}, node.results.flatMap((name, r) => [el('dt', {}, value(name)), el('dd.mono', {}, shortType(node.types[r]))])),
    el('h4', {}, 'Where it comes from'),
    pairs(
      [['made by', node.pass || 'the model builder'], ['replaces', node.parents.join(', ')], ['plan step', step ? String(node.step) : '']]),
  ].filter(Boolean));
}

// Shows a node wherever it is: in a folded run, its layer is chosen first.
function reveal(i) {
  for (const show of reveals) show(i);
  select(i);
}

function showGraph() {
  heading('graph', 'Graph',
    `What runs in ${
      report
        .mode}, after all passes. Equal layers are drawn once; bars compare predicted times within a layer. The batch, which most nodes read, is not drawn.`,
    legend())
    .append(el('div.graph', {}, canvas, details));
  report.graph.segments.forEach((segment, s) => canvas.append(...(s ? [el('div.link', {}, el('i'))] : []), segmentCard(segment)));
  const costly = nodes.map((node, i) => i).filter((i) => stepOf(nodes[i]));
  const inLayers = costly.filter((i) => nodes[i].layer >= 0);
  const first = (inLayers.length ?
      inLayers :
      costly).reduce((best, i) => (best < 0 || stepOf(nodes[i]).predicted_us > stepOf(nodes[best]).predicted_us ? i : best), -1);
  if (first >= 0) select(first);
}
