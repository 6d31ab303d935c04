// Layered drawing of a small acyclic graph, from top to bottom: ranks by longest path, order by barycentres, columns by least squares.
// layout([{id, w, h, last}], [{from, to, ...}]) sets x, y (top left) of the nodes and `points` of the edges; returns {w, h}.
// Nodes with `last` stand below all others. Edges that pass a rank go through a place of their own there.
const kRankGap = 44, kColumnGap = 26, kLaneWidth = 14;

function layout(nodes, edges) {
  const places = new Map(nodes.map((node) => [node.id, {node, w: node.w, h: node.h, up: [], down: [], rank: 0}]));
  const usable = edges.filter((edge) => places.has(edge.from) && places.has(edge.to));
  rankPlaces(places, usable);
  const ranks = laneRanks(places, usable);
  for (let sweep = 0; sweep < 12; ++sweep) orderRanks(ranks, sweep % 2 ? 'down' : 'up');
  alignRanks(ranks);
  for (const edge of [...usable, ...usable]) straighten(edge, ranks);
  return finish(ranks, usable);
}

function rankPlaces(places, edges) {
  for (let changed = true, guard = 0; changed && guard <= places.size; ++guard) {
    changed = false;
    for (const {from, to} of edges) {
      const wanted = places.get(from).rank + 1;
      if (places.get(to).rank < wanted) {
        places.get(to).rank = wanted;
        changed = true;
      }
    }
  }
  // What feeds others stands right above its first user; what leaves the body stands at the bottom.
  for (const [id, place] of places) {
    const users = edges.filter((edge) => edge.from === id).map((edge) => places.get(edge.to).rank);
    if (users.length && !edges.some((edge) => edge.to === id)) place.rank = Math.min(...users) - 1;
  }
  const bottom = Math.max(0, ...[...places.values()].map((place) => place.rank + (place.node.last ? 0 : 1)));
  for (const place of places.values())
    if (place.node.last) place.rank = bottom;
}

function laneRanks(places, edges) {
  const ranks = [];
  const put = (place) => {
    (ranks[place.rank] = ranks[place.rank] || []).push(place);
  };
  for (const place of places.values()) put(place);
  for (const edge of edges) {
    let above = places.get(edge.from);
    edge.lanes = [];
    for (let rank = above.rank + 1; rank < places.get(edge.to).rank; ++rank) {
      const lane = {lane: true, w: kLaneWidth, h: 0, up: [], down: [], rank};
      connect(above, lane);
      edge.lanes.push(lane);
      put(lane);
      above = lane;
    }
    connect(above, places.get(edge.to));
    edge.ends = [places.get(edge.from), places.get(edge.to)];
  }
  return ranks.filter(Boolean);
}

function connect(above, below) {
  above.down.push(below);
  below.up.push(above);
}

function orderRanks(ranks, side) {
  for (const rank of side === 'up' ? ranks : [...ranks].reverse()) {
    rank.forEach((place, i) => {
      const near = place[side];
      place.wish = near.length ? sum(near, (one) => one.order) / near.length : i;
    });
    rank.sort((a, b) => a.wish - b.wish);
    rank.forEach((place, i) => {
      place.order = i - (rank.length - 1) / 2;
    });
  }
}

// Each rank takes, in turn, the columns nearest to its neighbours' that keep order and gaps.
function alignRanks(ranks) {
  for (const rank of ranks) settle(rank, rank.map(() => 0));
  for (let sweep = 0; sweep < 40; ++sweep) {
    const side = sweep % 2 ? 'down' : 'up';
    for (const rank of side === 'up' ? ranks : [...ranks].reverse())
      settle(rank, rank.map((place) => {
        const near = sweep < 32 ? place[side] : [...place.up, ...place.down];
        const heavy = (one) => (one.lane && place.lane ? 8 : one.lane || place.lane ? 1 : 3);
        return near.length ? sum(near, (one) => one.x * heavy(one)) / sum(near, heavy) : place.x;
      }));
  }
}

// Least squares under order and gaps: neighbours that want to overlap share the mean of their wishes. Lanes insist on theirs.
function settle(rank, wishes) {
  let offset = 0;
  const blocks = [];
  rank.forEach((place, i) => {
    if (i) offset += (rank[i - 1].w + place.w) / 2 + kColumnGap;
    place.offset = offset;
    const weight = place.lane ? 6 : 1;
    let block = {total: weight * (wishes[i] - offset), count: weight, places: [place]};
    while (blocks.length && blocks.at(-1).total / blocks.at(-1).count > block.total / block.count) {
      const before = blocks.pop();
      block = {total: before.total + block.total, count: before.count + block.count, places: [...before.places, ...block.places]};
    }
    blocks.push(block);
  });
  for (const block of blocks)
    for (const place of block.places) place.x = block.total / block.count + place.offset;
}

// Gives the lanes of an edge one column where the neighbours leave room for it, as near to the edge's ends as they allow.
function straighten(edge, ranks) {
  if (!edge.lanes.length) return;
  let low = -Infinity, high = Infinity;
  for (const lane of edge.lanes) {
    const rank = ranks.find((one) => one.includes(lane)), at = rank.indexOf(lane);
    const apart = (other) => (other.w + lane.w) / 2 + kColumnGap;
    if (at) low = Math.max(low, rank[at - 1].x + apart(rank[at - 1]));
    if (at + 1 < rank.length) high = Math.min(high, rank[at + 1].x - apart(rank[at + 1]));
  }
  const wish = (edge.ends[0].x + edge.ends[1].x) / 2;
  if (low <= high)
    for (const lane of edge.lanes) lane.x = Math.min(high, Math.max(low, wish));
  // What hangs on the edge alone may follow it.
  for (const end of edge.ends) {
    const rank = ranks.find((one) => one.includes(end));
    if (end.node.port !== undefined && end.up.length + end.down.length === 1 && rank.at(-1) === end &&
      (rank.length < 2 || edge.lanes[0].x > rank.at(-2).x + (rank.at(-2).w + end.w) / 2 + kColumnGap))
      end.x = edge.lanes[0].x;
  }
}

function finish(ranks, edges) {
  const all = ranks.flat();
  const left = Math.min(...all.map((place) => place.x - place.w / 2));
  const right = Math.max(...all.map((place) => place.x + place.w / 2));
  let y = 0;
  for (const rank of ranks) {
    const height = Math.max(...rank.map((place) => place.h));
    for (const place of rank) Object.assign(place, {left: place.x - left, top: y, bottom: y + (place.lane ? height : place.h)});
    y += height + kRankGap;
  }
  for (const place of all)
    if (place.node) Object.assign(place.node, {x: place.left - place.w / 2, y: place.top});
  for (const edge of edges) edge.points = points(edge);
  return {w: right - left, h: y - kRankGap};
}

// Ends are spread along a node's side in the order of where they lead to.
function points(edge) {
  const [from, to] = edge.ends;
  const spread = (place, towards, other) => {
    const all = place[towards], at = all.indexOf(other);
    if (all.length < 2) return place.left;
    const sorted = [...all].sort((a, b) => a.x - b.x);
    return place.left + ((sorted.indexOf(all[at]) + 0.5) / all.length - 0.5) * place.w * 0.62;
  };
  const list = [[spread(from, 'down', edge.lanes[0] || to), from.bottom]];
  for (const lane of edge.lanes) list.push([lane.left, lane.top], [lane.left, lane.bottom]);
  list.push([spread(to, 'up', edge.lanes.at(-1) || from), to.top]);
  return list;
}

// A line through the points that leaves and enters every one of them vertically.
function wire(list) {
  let path = `M${list[0][0].toFixed(1)},${list[0][1].toFixed(1)}`;
  for (let i = 1; i < list.length; ++i) {
    const [x0, y0] = list[i - 1], [x, y] = list[i];
    if (Math.abs(x - x0) < 0.5) {
      path += `L${x.toFixed(1)},${y.toFixed(1)}`;
      continue;
    }
    const middle = ((y0 + y) / 2).toFixed(1);
    path += `C${x0.toFixed(1)},${middle} ${x.toFixed(1)},${middle} ${x.toFixed(1)},${y.toFixed(1)}`;
  }
  return path;
}
