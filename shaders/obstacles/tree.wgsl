// Reads a tree of boxes around obstacles of any size. src/core/obstacles/tree.ts builds the tree. Layout, in words:
// - the number of nodes
// - the index of the word at which the bodies begin
// - the nodes
// - the bodies
// Needs: obstacle_word, obstacle_words, TREE_HEADER, LEAF_BITS, obstacle_vector, minimum_image, grid, TREE_MARGIN.

struct Branch {
  centre: Vector,
  half: Vector,
  // The index of the node at which a walk continues if it does not enter this one.
  skip: u32,
  // The bodies of a leaf, [first, end). Inner nodes have none.
  first: u32,
  end: u32,
}

const BRANCH_WORDS = 2u * DIMENSIONS + 2u;

// Returns the number of nodes, but at most as many as fit the buffer, so that a corrupt tree cannot hang the device.
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

// Returns true if the box of half extents `reach` around `position`, or an image of that box, overlaps a node's box.
// The margin is many times the rounding error.
fn is_entered(branch: Branch, position: Vector, reach: Vector) -> bool {
  let apart = abs(minimum_image(position, branch.centre));
  let both = reach + branch.half;
  return !any(apart > both + (both + apart + grid.period) * TREE_MARGIN);
}

fn obstacle_vec4(word: u32) -> vec4f {
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
  return PackedBody(obstacle_vec4(word), obstacle_vec4(word + 4u));
#else
  return obstacle_vec4(obstacle_word(1u) + 4u * obstacle);
#endif
}
