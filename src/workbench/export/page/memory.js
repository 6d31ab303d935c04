// The arena over the schedule: one rectangle per activation, as wide as its life and as high as its bytes.
const kMapWidth = 1480, kMapHeight = 380, kMapLeft = 76, kLiveHeight = 64, kRoot = 0.45;

// Byte offset -> height. "bytes" is true to scale; "readable" gives every stretch between two edges a height that grows with the root of
// its bytes, so that small values stay visible beside one large one.
function offsetScale(values, total, readable) {
  if (!readable) return (offset) => offset / Math.max(1, total);
  const edges = [...new Set([0, total, ...values.flatMap((one) => [one.offset, one.offset + one.bytes])])].sort((a, b) => a - b);
  const at = [0];
  for (let i = 1; i < edges.length; ++i) at.push(at[i - 1] + (edges[i] - edges[i - 1]) ** kRoot);
  const scale = new Map(edges.map((edge, i) => [edge, at[i] / at.at(-1)]));
  return (offset) => scale.get(offset);
}

function liveBytes(values, steps) {
  const live = new Array(steps).fill(0);
  for (const one of values)
    for (let i = one.first; i <= one.last && i < steps; ++i) live[i] += one.bytes;
  return live;
}

function layerBands(x, height) {
  const bands = [];
  let first = 0;
  report.steps.forEach((step, i) => {
    const next = report.steps[i + 1];
    if (next && next.layer === step.layer) return;
    if (step.layer >= 0) bands.push({layer: step.layer, from: x(first), to: x(i + 1)});
    first = i + 1;
  });
  const each = Math.ceil(bands.length / 32);
  return bands.flatMap(
    (band, i) => [i % 2 ? null : svg('rect.band', {x: band.from, y: 0, width: band.to - band.from, height}),
      i % each ? null : svg('text', {x: (band.from + band.to) / 2, y: height + 15, 'text-anchor': 'middle'}, String(band.layer)),
  ].filter(Boolean));
}

function offsetTicks(y, total, values, readable) {
  const wanted = readable ? [...new Set(values.flatMap((one) => [one.offset, one.offset + one.bytes]))] :
                            [0, 0.25, 0.5, 0.75, 1].map((part) => part * total);
  const ticks = [];
  let before = -Infinity;
  for (const offset of wanted.sort((a, b) => a - b)) {
    const place = kMapHeight * (1 - y(offset));
    if (Math.abs(place - before) < 22) continue;
    before = place;
    ticks.push(svg('line.grid', {x1: kMapLeft, x2: kMapWidth, y1: place, y2: place}),
      svg('text', {x: kMapLeft - 8, y: place + 4, 'text-anchor': 'end'}, bytes(Math.round(offset))));
  }
  return ticks;
}

function valueRect(one, x, y) {
  const top = y(one.offset + one.bytes), bottom = y(one.offset);
  const writer = report.steps[one.first];
  const rect = svg('rect.value', {
    x: x(one.first),
    width: Math.max(1, x(one.last + 1) - x(one.first)),
    y: kMapHeight * (1 - top),
    height: Math.max(1, kMapHeight * (top - bottom)),
    rx: 2,
    style: colour(kindOf(writer ? writer.op : ''))
  });
  return tip(rect,
    () => lines('%' + one.name, `${bytes(one.bytes)} at offset ${one.offset.toLocaleString('en')}`,
      `written by step ${one.first}, ${one.path}`, one.last === one.first ? 'read by no later step' : `last read by step ${one.last}`));
}

function livePicture(live, x, readable) {
  const most = Math.max(1, ...live);
  const y = (n) => kLiveHeight - (kLiveHeight - 6) * (n / most) ** (readable ? kRoot : 1);
  const top = live.map((n, i) => `${i ? 'L' : 'M'}${x(i).toFixed(1)},${y(n).toFixed(1)}H${x(i + 1).toFixed(1)}`).join('');
  const picture = svg('g', {transform: `translate(0, ${kMapHeight + 34})`}, svg('path.live', {d: `${top}V${kLiveHeight}H${kMapLeft}Z`}),
    svg('path.live-line', {d: top}), svg('line.grid', {x1: kMapLeft, x2: kMapWidth, y1: kLiveHeight, y2: kLiveHeight}),
    svg('text', {x: kMapLeft - 8, y: 14, 'text-anchor': 'end'}, bytes(most)),
    svg('text', {x: kMapLeft - 8, y: kLiveHeight, 'text-anchor': 'end'}, 'live'));
  const hit = svg('rect', {x: kMapLeft, y: 0, width: kMapWidth - kMapLeft, height: kLiveHeight, fill: 'transparent'});
  let at = 0;
  const follow = (event) => {
    const box = hit.getBoundingClientRect();
    at = Math.min(live.length - 1, Math.max(0, Math.floor((event.clientX - box.left) / box.width * live.length)));
    if (!tipBox.hidden) tipBox.replaceChildren(...content());
  };
  const content = () => lines(`step ${at}`, report.steps[at] ? report.steps[at].path : '', `${bytes(live[at])} live`);
  hit.addEventListener('pointerenter', follow);
  picture.append(tip(hit, content));
  hit.addEventListener('pointermove', follow);
  return picture;
}

function memoryMap(readable) {
  const {values, arena_bytes: total, steps} = report.memory;
  const x = (i) => kMapLeft + (kMapWidth - kMapLeft) * i / Math.max(1, steps);
  const y = offsetScale(values, total, readable);
  return svg('svg', {viewBox: `0 -6 ${kMapWidth + 6} ${kMapHeight + kLiveHeight + 42}`, role: 'img', 'aria-label': 'memory map'},
    layerBands(x, kMapHeight), offsetTicks(y, total, values, readable), values.map((one) => valueRect(one, x, y)),
    svg('text', {x: kMapLeft - 8, y: kMapHeight + 15, 'text-anchor': 'end'}, 'layer'), livePicture(liveBytes(values, steps), x, readable));
}

function showMemory() {
  const {values, arena_bytes: total, workspace_bytes: workspace} = report.memory;
  const unshared = sum(values, (one) => one.bytes);
  const host = el('div.card.map');
  const draw = (name) => host.replaceChildren(memoryMap(name === 'readable'));
  const largest = Math.max(0, ...values.map((one) => one.bytes));
  const start = largest > total / 2 ? 'readable' : 'to scale';
  heading('memory', 'Memory map',
    `${count(values.length, 'activation')} of ${bytes(unshared)} share an arena of ${bytes(total)}, ${
      three(unshared / Math.max(1, total))} times less; kernels share a workspace of ${bytes(workspace)}. ` +
      'Across: the schedule. Up: the offset in the arena. A rectangle is as long as its value lives and has the colour of the step that writes it.',
    legend(), choice(['readable', 'to scale'], start, draw))
    .append(host);
  draw(start);
}
