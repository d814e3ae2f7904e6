// The layout of `links`: the first particle of each bucket, the first node of each list of paths, the next particle
// after each particle, and two words per node: the next node, and the ticks of a piece of a path (see path_links.wgsl).
// Entries are slots or nodes plus one; 0 ends a list. The words of buckets and lists must stay zero between substeps.
// They come first, so that their position does not depend on the number of particles.
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
