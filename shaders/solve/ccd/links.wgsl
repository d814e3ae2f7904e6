// Layout of `links`, in words:
// - per bucket: the first particle
// - per list of paths: the first node
// - per particle: the next particle
// - per node: the next node, then one word for the first and last tick of a piece (path_links.wgsl)
// A link holds a slot plus one or a node plus one; 0 ends a list. The words of buckets and lists must be zero between
// substeps. They come first, so their position does not depend on the number of particles.
// Needs: grid, lists_of_cells.

fn word_of_list(list: u32) -> u32 {
  return grid.cell_count + list;
}

fn word_of_next(slot: u32) -> u32 {
  return word_of_list(lists_of_cells()) + slot;
}

fn word_of_node(node: u32) -> u32 {
  return word_of_next(grid.count) + 2u * node;
}
