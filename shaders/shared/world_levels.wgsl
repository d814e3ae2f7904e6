// A world of particles that each have a radius of their own: cells on levels, each twice as wide as those of the level
// below, filed under a hash of level and place in one table of `grid.cell_count` buckets, a power of two. A particle
// is on the lowest level whose cells are as wide as it. Needs space_straight or (with WRAPS) space_periodic.
// Twin: src/core/levels.ts.
// Blocks of HASH_BLOCK cells along x stay together in the table, as in world_unbounded.wgsl.
// Behind its buckets, and the two for what is set aside, `start` has as many again: those of the guests of cells, who
// are on lower levels (see grid/guests.wgsl).

// What is kept of the cell of a slot until the next sort: its place on the particle's own level.
alias Cell = StoredLattice;

// No lattice coordinate is as great as this.
const NOWHERE = Cell(0x7fffffff);

// Cells of the lowest level farther out are one with the last.
const FARTHEST = 0x1p30f;

fn is_in_grid(cell: Cell) -> bool {
  return cell.x != NOWHERE.x;
}

// Products with powers of two round nothing, so bits tell the level: the exponent, rounded up.
fn level_of(radius: f32) -> u32 {
  let bits = bitcast<u32>(max(2.0 * radius * grid.inverse_base, 1.0));
  return (bits >> 23u) - 127u + select(0u, 1u, (bits & 0x7fffffu) != 0u);
}

// 2 to the power of a level, and of minus a level.
fn width(level: u32) -> f32 {
  return bitcast<f32>((127u + level) << 23u);
}

fn inverse_width(level: u32) -> f32 {
  return bitcast<f32>((127u - level) << 23u);
}

// Neither a NaN nor too large for the grid: what is, is set aside.
fn has_size(radius: f32) -> bool {
  let is_number = (bitcast<u32>(radius) & MAGNITUDE_BITS) < EXPONENT_BITS;
  return is_number && radius >= 0.0 && radius <= grid.greatest_radius;
}

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
#else
fn finest_at(position: Vector) -> Lattice {
  let farthest = Vector(FARTHEST * grid.cell_size);
  return Lattice(floor(snap(clamp(snap(position), -farthest, farthest) * grid.inverse_cell_size)));
}

fn coarsened(lattice: Lattice, level: u32, coarser: u32) -> Lattice {
  return lattice >> Extent(coarser - level);
}

fn brought_in(lattice: Lattice, level: u32) -> Lattice {
  return lattice;
}
#endif

fn cell_at(position: Vector, level: u32) -> Lattice {
  return coarsened(finest_at(position), 0u, level);
}

fn mixed(value: u32) -> u32 {
  var hash = (value ^ (value >> 15u)) * 0x2c1b3c6du;
  hash = (hash ^ (hash >> 12u)) * 0x297a2d39u;
  return hash ^ (hash >> 15u);
}

// First bucket of the block that holds a cell.
fn block_of(lattice: Lattice, level: u32) -> u32 {
  let hash = mixed(hash_lattice(lattice >> BLOCK_SHIFT) ^ (level * 0x9e3779b9u));
  return (hash * HASH_BLOCK) & (grid.cell_count - 1u);
}

fn bucket_at(lattice: Lattice, level: u32) -> u32 {
  return block_of(lattice, level) + (u32(lattice.x) & (HASH_BLOCK - 1u));
}

fn bucket_of(body: Body, id: u32) -> u32 {
  let position = place_of(body);
  if (is_finite(position) && has_size(radius_of(body))) {
    let level = level_of(radius_of(body));
    return bucket_at(cell_at(position, level), level);
  }
  return aside(id);
}

fn cell_of(body: Body, bucket: u32) -> Cell {
  if (bucket < grid.cell_count) {
    return store_lattice(cell_at(place_of(body), level_of(radius_of(body))));
  }
  return NOWHERE;
}

// The bucket of the guests of the cells of a bucket.
fn guest_bucket(bucket: u32) -> u32 {
  return grid.cell_count + GUEST_BUCKETS + bucket;
}
