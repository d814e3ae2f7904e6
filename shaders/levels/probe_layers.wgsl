// The loops of levels/probe.wgsl, in layers of three rows. With WRAPS, rows beyond an end of the world continue at the
// other end. A row that crosses the end along x counts as two, because it is two ranges of slots.
//
// Candidates need no test of their cell: the cells around a particle never share a bucket, so each candidate comes
// once. Particles of farther cells in the same buckets are out of reach.
// Needs: Table, coarsened, cells_at, grid, inverse_edge, table_of, index_of, slots_in, first_slot, wrap_cell.
// Needs: bucket_at, start, wrap_slot, Gathered, Particle, position_in, overlaps, minimum_image, visit, neighbour_of.
// Needs: has_finer, within_cells, greatest_on, finer_bucket, levels_in_use.

#if HEAVY
const LANES = HEAVY_WORKGROUP_SIZE;
#else
const LANES = 1u;
#endif

// The first and last cell of a block. Along periodic axes, coordinates continue beyond the ends; no cell comes twice.
struct Block {
  low: Lattice,
  high: Lattice,
}

// Up to three rows, each a range of slots or of finer entries.
struct Layer {
  first: u32,
  second: u32,
  third: u32,
  // The end of each row, as an index in the layer.
  first_end: u32,
  second_end: u32,
  third_end: u32,
#if HASHED
  table: Table,
#endif
}

// On the higher of `own_level` and `level`, three cells along each axis around the particle's cell form a block.
// Returns the cells of `level` inside it.
fn candidate_cells(lattice: Lattice, own_level: u32, level: u32) -> Block {
  let higher = max(own_level, level);
  let middle = coarsened(lattice, own_level, higher);
  let finer = Extent(higher - level);
  let before = middle - Lattice(1);
  let after = middle + Lattice(2);
#if HASHED
  return Block(before << finer, (after << finer) - Lattice(1));
#else
  let cells = Lattice(cells_at(level));
#if WRAPS
  // The last cell of the higher level may contain more cells of `level` than the others.
  let higher_cells = Lattice(cells_at(higher));
  let beyond = after - higher_cells;
  let low = select(before << finer, ((before + higher_cells) << finer) - cells, before < Lattice());
  let end = select(after << finer, cells + (beyond << finer), beyond >= Lattice());
  let wraps = grid.period > Vector();
  return Block(
    select(max(low, Lattice()), low, wraps),
    select(min(end, cells), end, wraps) - Lattice(1),
  );
#else
  return Block(max(before << finer, Lattice()), min(after << finer, cells) - Lattice(1));
#endif
#endif
}

// Returns the part of a block that may hold particles closer than `reach`. With WHOLE_BLOCKS, returns the whole block,
// because pairs may be farther apart than the sum of radii. The margin is many times the rounding error. The outermost
// cells also hold the particles outside the world, so clamping misses none.
fn reached_cells(from_origin: Vector, reach: f32, candidates: Block, level: u32) -> Block {
#if WHOLE_BLOCKS
  return candidates;
#else
  let scale = inverse_edge(level);
  let margin = (abs(from_origin) + grid.period + Vector(reach)) * 0x1p-18f;
  let low = clamp((from_origin - Vector(reach) - margin) * scale, Vector(-0x1p30f), Vector(0x1p30f));
  let high = clamp((from_origin + Vector(reach) + margin) * scale, Vector(-0x1p30f), Vector(0x1p30f));
  let reached = Block(
    clamp(Lattice(floor(low)), candidates.low, candidates.high),
    clamp(Lattice(floor(high)), candidates.low, candidates.high),
  );
#if WRAPS
  // The last cell also covers the rest of the period, where the product gives higher numbers.
  return Block(min(reached.low, Lattice(cells_at(level)) - Lattice(1)), max(reached.high, Lattice()));
#else
  return reached;
#endif
#endif
}

fn layers_along_y(block: Block) -> u32 {
  return u32(block.high.y - block.low.y) / 3u + 1u;
}

// Returns the number of layers in a block. A row that crosses an end of the x axis counts once here; layers_of doubles
// the number.
fn layers_across(block: Block) -> u32 {
  let along_y = layers_along_y(block);
  if (DIMENSIONS == 2u) {
    return along_y;
  }
  return along_y * u32(block.high[DIMENSIONS - 1u] - block.low[DIMENSIONS - 1u] + 1);
}

#if WRAPS
fn layers_of(block: Block, level: u32) -> u32 {
  let crosses_end = block.low.x < 0 || block.high.x >= i32(cells_at(level).x);
  return layers_across(block) * select(1u, 2u, crosses_end);
}
#else
fn layers_of(block: Block, level: u32) -> u32 {
  return layers_across(block);
}
#endif

// `offset` is added to buckets, to read finer entries.
fn layer_of(block: Block, index: u32, level: u32, offset: u32) -> Layer {
  var corner = block.low;
  var last = block.high.x;
  var layer = index;
#if WRAPS
  let cells = cells_at(level);
  // The first half of the layers holds the parts of rows inside the world, the second half the parts beyond an end.
  let across = layers_across(block);
  let along_x = i32(cells.x);
  let is_beyond = index >= across;
  let is_low = block.low.x < 0;
  corner.x = select(max(block.low.x, 0), select(0, block.low.x + along_x, is_low), is_beyond);
  last = select(min(last, along_x - 1), select(last - along_x, along_x - 1, is_low), is_beyond);
  layer -= select(0u, across, is_beyond);
#endif
  if (DIMENSIONS == 2u) {
    corner.y += i32(3u * layer);
  } else {
    let along_y = layers_along_y(block);
    corner.y += i32(3u * (layer % along_y));
    corner[DIMENSIONS - 1u] += i32(layer / along_y);
  }
  let rows = block.high.y - corner.y + 1;
  let length = u32(last - corner.x) + 1u;
  // If the layer has fewer than three rows, the missing ones repeat the start of the last one, with length 0.
#if HASHED
  let table = table_of(level, offset);
  let below = index_of(corner);
  let centre = below + select(0u, ROW_STEP, rows > 1);
  let above = centre + select(0u, ROW_STEP, rows > 2);
  let first_end = slots_in(table, below, length);
  let second_end = first_end + select(0u, slots_in(table, centre, length), rows > 1);
  let third_end = second_end + select(0u, slots_in(table, above, length), rows > 2);
  let second = first_slot(table, centre);
  let third = first_slot(table, above);
  return Layer(first_slot(table, below), second, third, first_end, second_end, third_end, table);
#else
#if WRAPS
  corner = wrap_cell(corner, level);
  let back = cells.x * cells.y;
  let below = offset + bucket_at(corner, level);
  let centre = below + select(0u, cells.x - select(0u, back, corner.y + 1 == i32(cells.y)), rows > 1);
  let above = centre + select(0u, cells.x - select(0u, back, corner.y + 2 == i32(cells.y)), rows > 2);
#else
  let cells = cells_at(level);
  let below = offset + bucket_at(corner, level);
  let centre = below + select(0u, cells.x, rows > 1);
  let above = centre + select(0u, cells.x, rows > 2);
#endif
  let first = start[below];
  let second = start[centre];
  let third = start[above];
  let first_end = start[below + length] - first;
  let second_end = first_end + select(0u, start[centre + length] - second, rows > 1);
  let third_end = second_end + select(0u, start[above + length] - third, rows > 2);
  return Layer(first, second, third, first_end, second_end, third_end);
#endif
}

fn slot_in(layer: Layer, index: u32) -> u32 {
  var other = layer.first + index;
  if (index >= layer.first_end) {
    other = layer.second + (index - layer.first_end);
  }
  if (index >= layer.second_end) {
    other = layer.third + (index - layer.second_end);
  }
#if HASHED
  other = wrap_slot(layer.table, other);
#endif
  return other;
}

fn visit_overlap(gathered: ptr<function, Gathered>, particle: Particle, except: u32, reach_squared: f32, other: u32) {
  let body = position_in[other];
#if BOXES
  let apart = Vector();
  let distance_squared = 0.0;
  let is_overlap = overlaps(gathered, particle, other);
#else
  let apart = minimum_image(particle.position, body_position(body));
  let distance_squared = dot(apart, apart);
  let reach = particle.radius + radius_of(body);
  let is_overlap = distance_squared < reach * reach * reach_squared;
#endif
  if (is_overlap && other != except) {
    visit(gathered, particle, neighbour_of(other, apart, distance_squared, body));
  }
}

// Returns the lowest level whose rows are searched. Particles on lower levels are finer entries.
fn lowest_level(level: u32) -> u32 {
  return max(level, 1u) - 1u;
}

// Returns a bit per search: one per occupied level, from the level below `level` upwards, then one for finer entries.
fn searches_of(level: u32, occupied: u32) -> u32 {
  let lowest = lowest_level(level);
  let levels = ((occupied & ((1u << grid.levels) - 1u)) >> lowest) << lowest;
  return levels | select(0u, 1u << grid.levels, has_finer(level, occupied));
}

// One loop covers the layers of all levels, so threads in lockstep need not wait for each other after each level.
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
#if HASHED
  let from_origin = within_cells(particle.position);
#else
  let from_origin = particle.position - grid.origin;
#endif
  var left = searches_of(level, occupied);
  var index = 0u;
  while (left != 0u) {
    let next_level = firstTrailingBit(left);
    let are_finer = next_level == grid.levels;
    let other_level = select(next_level, level, are_finer);
    let greatest = greatest_on(select(next_level, level - FINER_STEPS, are_finer));
    let reach = particle.radius + min(greatest, grid.greatest_radius);
    let block = reached_cells(from_origin, reach, candidate_cells(lattice, level, other_level), other_level);
    let layer = layer_of(block, index, other_level, select(0u, finer_bucket(0u), are_finer));
    // Bounded, so that a corrupt grid cannot hang the device.
    let end = min(layer.third_end, select(grid.count, grid.count * grid.levels, are_finer));
    for (var next = lane; next < end; next += LANES) {
      var other = slot_in(layer, next);
#if HAS_FINER
      if (are_finer) {
        other = finer[base + other];
      }
#endif
      visit_overlap(gathered, particle, except, reach_squared, other);
    }
    index++;
    if (index >= layers_of(block, other_level)) {
      index = 0u;
      left &= left - 1u;
    }
  }
}

// Counts the particle and all others in its candidate cells, also in those that visit_candidates skips as out of reach.
fn count_around(lattice: Lattice, level: u32) -> u32 {
  var found = 0u;
  for (var other_level = lowest_level(level); other_level < levels_in_use(); other_level++) {
    let block = candidate_cells(lattice, level, other_level);
    for (var index = 0u; index < layers_of(block, other_level); index++) {
      found += layer_of(block, index, other_level, 0u).third_end;
    }
  }
  if (level >= FINER_STEPS) {
    let block = candidate_cells(lattice, level, level);
    for (var index = 0u; index < layers_of(block, level); index++) {
      found += layer_of(block, index, level, finer_bucket(0u)).third_end;
    }
  }
  return found;
}

#if CROWDS
fn has_long_row(lattice: Lattice, level: u32) -> bool {
  var long = false;
  for (var other_level = lowest_level(level); other_level < levels_in_use(); other_level++) {
    let block = candidate_cells(lattice, level, other_level);
    for (var index = 0u; index < layers_of(block, other_level); index++) {
      long = long || layer_of(block, index, other_level, 0u).third_end > 3u * HEAVY_ROW;
    }
  }
  return long;
}

fn has_long_list(lattice: Lattice, level: u32) -> bool {
  var long = false;
  let block = candidate_cells(lattice, level, level);
  for (var index = 0u; index < layers_of(block, level); index++) {
    long = long || layer_of(block, index, level, finer_bucket(0u)).third_end > 3u * HEAVY_ROW;
  }
  return long;
}
#endif
