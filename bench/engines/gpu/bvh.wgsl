// A linear bounding volume hierarchy: a tree of boxes above the bodies, which are sorted by Morton code. A node only
// stores its box, since indices determine the tree. The children of node i of a level have these indices:
//   TREE_WIDTH * i to TREE_WIDTH * i + TREE_WIDTH - 1
// These are nodes of the level below or, for the lowest level, slots of bodies.
//
// One dispatch per level computes the boxes, from the lowest level up. A single dispatch for all levels, as in Karras'
// method, would read boxes that other workgroups wrote in the same dispatch. WGSL does not guarantee such reads,
// because its atomics do not order other memory accesses.

struct Tree {
  // The cell of a position is (position - origin) * scale, rounded down and limited to `greatest`.
  origin: Vector,
  scale: Vector,
  greatest: Extent,
  // The axis of each bit of a code, the highest bit first. An axis takes two bits; each word holds 15 axes.
  axes: u32,
  more_axes: u32,
  levels: u32,
  // Number of nodes, which bounds the steps of a walk.
  steps: u32,
  // First node of each level.
  first: array<vec4u, 6>,
}

// The box of a node. In 3D the fourth components are 0.
struct Node {
  low: Stored,
  high: Stored,
}

#if CODES
#else
#if WALK
#else
// The nodes of a level, and the nodes of the level below. For the lowest level, `below_first` and `below_count` are 0.
struct Level {
  first: u32,
  count: u32,
  below_first: u32,
  below_count: u32,
}

#endif
#endif

const TREE_WIDTH = 1u << TREE_SHIFT;

#if CODES
@compute @workgroup_size(WORKGROUP_SIZE)
fn write_codes(
  @builtin(workgroup_id) workgroup: vec3u,
  @builtin(num_workgroups) workgroups: vec3u,
  @builtin(local_invocation_index) thread: u32,
) {
  let id = linear_workgroup(workgroup, workgroups) * WORKGROUP_SIZE + thread;
  if (id >= grid.count) {
    return;
  }
  let scaled = max((body_position(bodies[id]) - tree.origin) * tree.scale, Vector());
  let cell = min(Extent(scaled), tree.greatest);
  // Bits per axis that the code does not contain yet.
  var left = countOneBits(tree.greatest);
  var code = 0u;
  for (var bit = 0u; bit < 30u; bit++) {
    let axis = (select(tree.more_axes, tree.axes, bit < 15u) >> (2u * (bit % 15u))) & 3u;
    left[axis] -= 1u;
    code = (code << 1u) | ((cell[axis] >> left[axis]) & 1u);
  }
  codes[id] = code;
  ids[id] = id;
}
#else
fn low_of(body: PackedBody) -> Vector {
#if VARIABLE_RADII
  return body_position(body) - radius_of(body);
#else
  return body_position(body);
#endif
}

fn high_of(body: PackedBody) -> Vector {
#if VARIABLE_RADII
  return body_position(body) + radius_of(body);
#else
  return body_position(body);
#endif
}
#endif

#if BOXES
@compute @workgroup_size(WORKGROUP_SIZE)
fn box_bodies(
  @builtin(workgroup_id) workgroup: vec3u,
  @builtin(num_workgroups) workgroups: vec3u,
  @builtin(local_invocation_index) thread: u32,
) {
  let node = linear_workgroup(workgroup, workgroups) * WORKGROUP_SIZE + thread;
  if (node >= level.count) {
    return;
  }
  let begin = node * TREE_WIDTH;
  var low = low_of(sorted[begin]);
  var high = high_of(sorted[begin]);
  for (var slot = begin + 1u; slot < min(begin + TREE_WIDTH, grid.count); slot++) {
    low = min(low, low_of(sorted[slot]));
    high = max(high, high_of(sorted[slot]));
  }
  nodes[level.first + node] = Node(store_vector(low), store_vector(high));
}

@compute @workgroup_size(WORKGROUP_SIZE)
fn box_nodes(
  @builtin(workgroup_id) workgroup: vec3u,
  @builtin(num_workgroups) workgroups: vec3u,
  @builtin(local_invocation_index) thread: u32,
) {
  let node = linear_workgroup(workgroup, workgroups) * WORKGROUP_SIZE + thread;
  if (node >= level.count) {
    return;
  }
  let begin = node * TREE_WIDTH;
  var box = nodes[level.below_first + begin];
  for (var child = begin + 1u; child < min(begin + TREE_WIDTH, level.below_count); child++) {
    let other = nodes[level.below_first + child];
    box = Node(min(box.low, other.low), max(box.high, other.high));
  }
  nodes[level.first + node] = box;
}
#endif

#if WALK
// With COUNT_TESTS, counts the tests in place of pairs.
fn test_bodies(found: ptr<function, Found>, slot: u32, body: PackedBody, begin: u32, end: u32) {
#if COUNT_TESTS
  (*found).pairs += end - begin;
#else
  let equal_reach = substep.diameter_squared;
  for (var other = begin; other < end; other++) {
    if (overlaps(body, sorted[other], equal_reach)) {
      find_pair(found, ids[slot], ids[other]);
    }
  }
#endif
}

// Returns the level and the index of the node to visit after the subtree of `node`: the next node on the same level. If
// that node is the first child of its parent, returns the parent instead, and so on upwards.
fn next_after(level: u32, node: u32) -> vec2u {
  let next = node + 1u;
  let up = min(countTrailingZeros(next) / TREE_SHIFT, tree.levels - 1u - level);
  return vec2u(level + up, next >> (up * TREE_SHIFT));
}

// Each thread compares its body with the rest of the body's leaf, then walks the nodes whose bodies have higher slots
// than that leaf. So every pair is found once, from its lower slot.
@compute @workgroup_size(WORKGROUP_SIZE)
fn walk_tree(
  @builtin(workgroup_id) workgroup: vec3u,
  @builtin(num_workgroups) workgroups: vec3u,
  @builtin(local_invocation_index) thread: u32,
) {
  let slot = linear_workgroup(workgroup, workgroups) * WORKGROUP_SIZE + thread;
  if (slot >= grid.count) {
    return;
  }
  let body = sorted[slot];
#if VARIABLE_RADII
  let low = low_of(body);
  let high = high_of(body);
#else
  // Boxes of nodes only enclose centres, so the box of the query extends two radii from the centre of the body.
  let low = low_of(body) - substep.diameter;
  let high = high_of(body) + substep.diameter;
#endif
  var found = Found();
  let leaf = slot >> TREE_SHIFT;
  test_bodies(&found, slot, body, slot + 1u, min((leaf + 1u) << TREE_SHIFT, grid.count));
  let last = grid.count - 1u;
  let steps = tree.steps;
  var position = next_after(0u, leaf);
  for (var step = 0u; step < steps; step++) {
    let level = position.x;
    let node = position.y;
    if (node > last >> (TREE_SHIFT * (level + 1u))) {
      break;
    }
    let box = nodes[tree.first[level / 4u][level % 4u] + node];
    let meets = all(load_vector(box.low) <= high) && all(low <= load_vector(box.high));
    if (meets && level > 0u) {
      position = vec2u(level - 1u, node << TREE_SHIFT);
      continue;
    }
    if (meets) {
      let begin = node << TREE_SHIFT;
      test_bodies(&found, slot, body, begin, min(begin + TREE_WIDTH, last + 1u));
    }
    position = next_after(level, node);
  }
  fold_found(found, slot);
}
#endif
