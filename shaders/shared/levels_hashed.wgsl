// Levels of cells anywhere, filed under a hash of level and place in one table of `grid.cell_count` buckets, a power of
// two: for worlds without an end, or (with WRAPS) whose ends touch. Needs space_straight or space_periodic; before
// levels.wgsl. Blocks of HASH_BLOCK cells along x stay together in the table, as in world_unbounded.wgsl. The other
// kind is in levels_dense.wgsl.

// How many levels a guest is below its hosts, at least.
const GUEST_STEPS = 1u;

// Cells of the lowest level farther out are one with the last.
const FARTHEST = 0x1p30f;

#if WRAPS
// Cells along each axis of a level; 0 along axes that do not wrap around.
fn cells_at(level: u32) -> Extent {
  return grid.cells >> Extent(level);
}

fn finest_at(position: Vector) -> Lattice {
  let scaled = floor(snap(snap(wrapped(position) - grid.origin) * grid.inverse_cell_size));
  let wraps = grid.cells > Extent();
  let low = select(Vector(-FARTHEST), Vector(), wraps);
  let high = select(Vector(FARTHEST), Vector(grid.cells) - Vector(1.0), wraps);
  return Lattice(clamp(scaled, low, high));
}

// The last cell along an axis takes in what is left of the period.
fn coarsened(lattice: Lattice, level: u32, coarser: u32) -> Lattice {
  let shifted = lattice >> Extent(coarser - level);
  let last = Lattice(cells_at(coarser)) - Lattice(1);
  return select(shifted, min(shifted, last), grid.cells > Extent());
}

// A cell beside another, brought in across an end.
fn brought_in(lattice: Lattice, level: u32) -> Lattice {
  let cells = Lattice(cells_at(level));
  let raised = select(lattice, lattice + cells, lattice < Lattice());
  let moved = select(raised, raised - cells, raised >= cells);
  return select(lattice, moved, grid.cells > Extent());
}

// Whether two cells of a level are the same or touch.
fn are_adjacent(cell: Lattice, other: Lattice, level: u32) -> bool {
  let away = abs(other - cell);
  let is_around = (grid.cells > Extent()) & (away == Lattice(cells_at(level)) - Lattice(1));
  return all((away <= Lattice(1)) | is_around);
}
#else
fn finest_at(position: Vector) -> Lattice {
  let farthest = Vector(FARTHEST * grid.cell_size);
  return Lattice(floor(snap(clamp(snap(position), -farthest, farthest) * grid.inverse_cell_size)));
}

fn coarsened(lattice: Lattice, level: u32, coarser: u32) -> Lattice {
  return lattice >> Extent(coarser - level);
}

fn are_adjacent(cell: Lattice, other: Lattice, level: u32) -> bool {
  return is_beside(cell, other);
}
#endif

// First bucket of the block that holds a cell.
fn block_of(lattice: Lattice, level: u32) -> u32 {
  let hash = hash_lattice(lattice >> BLOCK_SHIFT) ^ (level * 0x9e3779b9u);
  return (mix_bits(hash) * HASH_BLOCK) & (grid.cell_count - 1u);
}

fn bucket_at(lattice: Lattice, level: u32) -> u32 {
  return block_of(lattice, level) + (u32(lattice.x) & (HASH_BLOCK - 1u));
}

// Buckets that have guests: all, since each may be of any level.
fn guest_buckets() -> u32 {
  return grid.cell_count;
}

// The bucket of the guests of the cells of a bucket.
fn guest_bucket(bucket: u32) -> u32 {
  return grid.cell_count + GUEST_BUCKETS + bucket;
}
