// Obstacles that have sizes of their own, in a tree of boxes around boxes: src/core/obstacles/tree.ts, whose words these are:
// how many nodes, and where the bodies begin; the nodes; the bodies, in the order of the tree, as body.wgsl has them. After
// obstacles.wgsl; needs a space. A walk goes from node to node by one word, so it keeps no stack.

struct Branch {
  centre: Vector,
  half: Vector,
  // The node to go on with where this one is not entered.
  skip: u32,
  // Bodies from `first` up to, but not, `end`: none of inner nodes.
  first: u32,
  end: u32,
}

const BRANCH_WORDS = 2u * DIMENSIONS + 2u;

// Never more than there is room for, so that not even a broken tree holds up the device.
fn branch_count() -> u32 {
  return min(obstacle_word(0u), obstacle_words() / BRANCH_WORDS);
}

fn branch_at(node: u32) -> Branch {
  let word = TREE_HEADER + node * BRANCH_WORDS;
  let leaf = obstacle_word(word + 2u * DIMENSIONS + 1u);
  let first = leaf >> LEAF_BITS;
  return Branch(
    obstacle_vector(word),
    obstacle_vector(word + DIMENSIONS),
    max(obstacle_word(word + 2u * DIMENSIONS), node + 1u),
    first,
    first + (leaf & ((1u << LEAF_BITS) - 1u)),
  );
}

// Whether a box around a place, that reaches so far along each axis, overlaps that of a node, in a world that wraps around
// any of its images. The margin is many times what rounding can be off by.
fn is_entered(branch: Branch, place: Vector, reach: Vector) -> bool {
  let apart = abs(minimum_image(place, branch.centre));
  let both = reach + branch.half;
  return !any(apart > both + (both + apart + grid.period) * 0x1p-18f);
}

fn obstacle_place(word: u32) -> vec4f {
  return bitcast<vec4f>(vec4u(
    obstacle_word(word),
    obstacle_word(word + 1u),
    obstacle_word(word + 2u),
    obstacle_word(word + 3u),
  ));
}

fn obstacle_body(obstacle: u32) -> PackedBody {
#if HAS_BOXES
  let word = obstacle_word(1u) + 8u * obstacle;
  return PackedBody(obstacle_place(word), obstacle_place(word + 4u));
#else
  return obstacle_place(obstacle_word(1u) + 4u * obstacle);
#endif
}
