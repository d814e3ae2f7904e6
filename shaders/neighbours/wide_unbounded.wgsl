// Rows of cells of the unbounded world, for probe_wide.wgsl. A row here is what one of cells shares with a block of
// HASH_BLOCK along x: one range of buckets. Where the probe has more cells than the table has buckets, reach is
// EVERY_CELL, and all particles are one row: each bucket would be read more than once. The host decides
// (src/engine/queries/reach.ts), so that nothing overflows here.

struct Wide {
  lattice: Lattice,
  // 0: every cell.
  reach: i32,
  first_block: i32,
  blocks: u32,
  rows: u32,
}

fn wide_around(lattice: Lattice, reach: u32) -> Wide {
  if (reach == EVERY_CELL) {
    return Wide(lattice, 0, 0, 1u, 1u);
  }
  let first_block = (lattice.x - i32(reach)) >> HASH_BLOCK_SHIFT;
  let last_block = (lattice.x + i32(reach)) >> HASH_BLOCK_SHIFT;
  let blocks = u32(last_block - first_block) + 1u;
  let width = 2u * reach + 1u;
  return Wide(lattice, i32(reach), first_block, blocks, blocks * width * select(1u, width, DIMENSIONS == 3u));
}

// The row as a block: along x its number is the block's, along the other axes the cell's.
fn wide_block(wide: Wide, row: u32) -> Lattice {
  let width = 2u * u32(wide.reach) + 1u;
  let across = row / wide.blocks;
  var block = wide.lattice - Lattice(wide.reach);
  block.x = wide.first_block + i32(row % wide.blocks);
  if (DIMENSIONS == 2u) {
    block.y += i32(across);
  } else {
    block.y += i32(across % width);
    block[DIMENSIONS - 1u] += i32(across / width);
  }
  return block;
}

fn wide_span(wide: Wide, row: u32) -> Span {
  if (wide.reach == 0) {
    return Span(0u, start[grid.cell_count], 0u, 0u);
  }
  var cell = wide_block(wide, row);
  let begin = cell.x << HASH_BLOCK_SHIFT;
  let low = max(wide.lattice.x - wide.reach, begin) - begin;
  let high = min(wide.lattice.x + wide.reach, begin + i32(HASH_BLOCK) - 1) - begin;
  cell.x = begin;
  let base = block_of(cell);
  let first = start[base + u32(low)];
  return Span(first, start[base + u32(high) + 1u] - first, 0u, 0u);
}

// Buckets hold particles of other blocks too: theirs is another row's turn, or nobody's. Of this block, a bucket
// holds one cell.
fn is_in_wide(wide: Wide, row: u32, other: Cell) -> bool {
  return wide.reach == 0 || all((load_lattice(other) >> BLOCK_SHIFT) == wide_block(wide, row));
}
