// The part of levels/probe.wgsl for hashed cells. Several cells may share a bucket, so the loop compares cells.
// Needs: grid, bucket_at, start, level_of, coarsened, cell_of_slot, Gathered, Particle, position_in, overlaps.
// Needs: minimum_image, visit, neighbour_of, has_finer, greatest_on, FINER_STEPS, finer_bucket, finer.

#if HEAVY
const LANES = HEAVY_WORKGROUP_SIZE;
#else
const LANES = 1u;
#endif

struct Block {
  low: Lattice,
  high: Lattice,
}

// A row of cells on one level. It has two ranges if it crosses from one hash block to the next.
struct Row {
  low: Lattice,
  high: Lattice,
  first: u32,
  first_length: u32,
  second: u32,
  second_length: u32,
}

fn adjacent_cells(middle: Lattice) -> Block {
  return Block(middle - Lattice(1), middle + Lattice(1));
}

// See reached_cells in levels/probe_dense.wgsl.
fn reached_cells(position: Vector, reach: f32, middle: Lattice, level: u32) -> Block {
#if WHOLE_BLOCKS
  return adjacent_cells(middle);
#else
  let scale = grid.inverse_cell_size * bitcast<f32>((127u - level) << 23u);
  let margin = (abs(position) + Vector(reach)) * 0x1p-18f;
  let low = clamp((position - Vector(reach) - margin) * scale, Vector(-0x1p30f), Vector(0x1p30f));
  let high = clamp((position + Vector(reach) + margin) * scale, Vector(-0x1p30f), Vector(0x1p30f));
  return Block(
    clamp(Lattice(floor(low)), middle - Lattice(1), middle),
    clamp(Lattice(floor(high)), middle, middle + Lattice(1)),
  );
#endif
}

fn rows_of(block: Block) -> u32 {
  let rows = u32(block.high.y - block.low.y) + 1u;
  if (DIMENSIONS == 2u) {
    return rows;
  }
  return rows * (u32(block.high[DIMENSIONS - 1u] - block.low[DIMENSIONS - 1u]) + 1u);
}

fn row_of(block: Block, index: u32, level: u32, offset: u32) -> Row {
  var low = block.low;
  if (DIMENSIONS == 2u) {
    low.y += i32(index);
  } else {
    let rows = u32(block.high.y - block.low.y) + 1u;
    low.y += i32(index % rows);
    low[DIMENSIONS - 1u] += i32(index / rows);
  }
  var high = low;
  high.x = block.high.x;
  let bucket = offset + bucket_at(low, level);
  let end = min(high.x, low.x | i32(HASH_BLOCK - 1u));
  let first = start[bucket];
  var row = Row(low, high, first, start[bucket + u32(end - low.x) + 1u] - first, 0u, 0u);
  if (end < high.x) {
    var next = low;
    next.x = end + 1;
    let other = offset + bucket_at(next, level);
    row.second = start[other];
    row.second_length = start[other + u32(high.x - end)] - row.second;
  }
  return row;
}

fn length_of(row: Row) -> u32 {
  return row.first_length + row.second_length;
}

fn slot_in(row: Row, index: u32) -> u32 {
  return select(row.second + (index - row.first_length), row.first + index, index < row.first_length);
}

// Returns true if a particle found in a row's buckets is in the row's cells. With `are_finer`, the particle may be on a
// lower level.
fn is_in(row: Row, level: u32, other: u32, radius: f32, are_finer: bool) -> bool {
  let lower = level_of(radius);
  if (!are_finer && lower != level) {
    return false;
  }
  let cell = coarsened(load_lattice(cell_of_slot[other]), lower, level);
  return all((cell >= row.low) & (cell <= row.high));
}

fn visit_overlap(
  gathered: ptr<function, Gathered>,
  particle: Particle,
  except: u32,
  reach_squared: f32,
  other: u32,
  row: Row,
  level: u32,
  are_finer: bool,
) {
  let body = position_in[other];
  let radius = radius_of(body);
#if BOXES
  let apart = Vector();
  let distance_squared = 0.0;
  let is_overlap = overlaps(gathered, particle, other);
#else
  let apart = minimum_image(particle.position, body_position(body));
  let distance_squared = dot(apart, apart);
  let reach = particle.radius + radius;
  let is_overlap = distance_squared < reach * reach * reach_squared;
#endif
  if (is_overlap && other != except && is_in(row, level, other, radius, are_finer)) {
    visit(gathered, particle, neighbour_of(other, apart, distance_squared, body));
  }
}

fn visit_candidates(
  gathered: ptr<function, Gathered>,
  particle: Particle,
  except: u32,
  reach_squared: f32,
  lattice: Lattice,
  level: u32,
  occupied: u32,
  lane: u32,
) {
  let base = FINER_HEADER - grid.count;
  let levels = ((occupied & ((1u << grid.levels) - 1u)) >> level) << level;
  var left = levels | select(0u, 1u << grid.levels, has_finer(level, occupied));
  var index = 0u;
  while (left != 0u) {
    let next_level = firstTrailingBit(left);
    let are_finer = next_level == grid.levels;
    let other_level = select(next_level, level, are_finer);
    let greatest = greatest_on(select(next_level, level - FINER_STEPS, are_finer));
    let reach = particle.radius + min(greatest, grid.greatest_radius);
    let middle = coarsened(lattice, level, other_level);
    let block = reached_cells(particle.position, reach, middle, other_level);
    let row = row_of(block, index, other_level, select(0u, finer_bucket(0u), are_finer));
    // Bounded, so that a corrupt grid cannot hang the device.
    let end = min(length_of(row), select(grid.count, grid.count * grid.levels, are_finer));
    for (var next = lane; next < end; next += LANES) {
      var other = slot_in(row, next);
      var is_here = true;
      if (are_finer) {
        let entry = finer[base + other];
        is_here = (entry & ((1u << FINER_LEVEL_BITS) - 1u)) == level;
        other = entry >> FINER_LEVEL_BITS;
      }
      if (is_here) {
        visit_overlap(gathered, particle, except, reach_squared, other, row, other_level, are_finer);
      }
    }
    index++;
    if (index >= rows_of(block)) {
      index = 0u;
      left &= left - 1u;
    }
  }
}

fn count_around(lattice: Lattice, level: u32) -> u32 {
  var found = count_on(lattice, level, true);
  for (var higher = level; higher < grid.levels; higher++) {
    found += count_on(coarsened(lattice, level, higher), higher, false);
  }
  return found;
}

fn count_on(middle: Lattice, level: u32, are_finer: bool) -> u32 {
  let base = FINER_HEADER - grid.count;
  let block = adjacent_cells(middle);
  var found = 0u;
  for (var index = 0u; index < rows_of(block); index++) {
    let row = row_of(block, index, level, select(0u, finer_bucket(0u), are_finer));
    let end = min(length_of(row), grid.count * grid.levels);
    for (var next = 0u; next < end; next++) {
      var other = slot_in(row, next);
      var is_here = true;
      if (are_finer) {
        let entry = finer[base + other];
        is_here = (entry & ((1u << FINER_LEVEL_BITS) - 1u)) == level;
        other = entry >> FINER_LEVEL_BITS;
      }
      let radius = radius_of(position_in[other]);
      found += select(0u, 1u, is_here && is_in(row, level, other, radius, are_finer));
    }
  }
  return found;
}

#if CROWDS
fn has_long_row(lattice: Lattice, level: u32) -> bool {
  var long = false;
  for (var higher = level; higher < grid.levels; higher++) {
    long = long || is_long(coarsened(lattice, level, higher), higher, 0u);
  }
  return long;
}

fn has_long_list(lattice: Lattice, level: u32) -> bool {
  return is_long(lattice, level, finer_bucket(0u));
}

fn is_long(middle: Lattice, level: u32, offset: u32) -> bool {
  let block = adjacent_cells(middle);
  var long = false;
  for (var index = 0u; index < rows_of(block); index++) {
    long = long || length_of(row_of(block, index, level, offset)) > HEAVY_ROW;
  }
  return long;
}
#endif
