// The level and the bucket of a particle. Cells of each level are twice as wide as cells of the level below. A particle
// is on the lowest level that allows its diameter. The largest allowed diameter doubles from level to level. Twin:
// src/core/world/levels.ts.
// Needs: grid, merged_levels, MAGNITUDE_BITS, EXPONENT_BITS, coarsened, finest_at, is_finite, bucket_at, outer_bucket.
// Needs: are_adjacent.

// The cell of the particle in a slot, on that particle's own level. Stored until the next sort.
alias Cell = StoredLattice;

// Greater than any lattice coordinate.
const NOWHERE = Cell(0x7fffffff);

fn is_in_grid(cell: Cell) -> bool {
  return cell.x != NOWHERE.x;
}

// Levels count from the lowest one that is not merged. Without merging, the level is log2(diameter × inverse_base),
// rounded up, at least 0: the exponent, plus one if the mantissa is not 0. The product is exact, because `inverse_base`
// is a power of two.
fn level_of(radius: f32) -> u32 {
  let bits = bitcast<u32>(max(2.0 * radius * grid.inverse_base, 1.0));
  let level = (bits >> 23u) - 127u + select(0u, 1u, (bits & 0x7fffffu) != 0u);
  return max(level, merged_levels()) - merged_levels();
}

fn levels_in_use() -> u32 {
  return grid.levels - merged_levels();
}

fn greatest_on(level: u32) -> f32 {
  // Half the largest diameter on the level, by arithmetic on exponents of powers of two.
  return bitcast<f32>(((253u + level + merged_levels()) << 23u) - bitcast<u32>(grid.inverse_base));
}

// Returns 1 / the edge of the cells of a level.
fn inverse_edge(level: u32) -> f32 {
  return grid.inverse_cell_size * bitcast<f32>((127u - level - merged_levels()) << 23u);
}

// Returns whether the radius is a number from 0 to the greatest radius. Particles with any other radius are
// quarantined.
fn has_size(radius: f32) -> bool {
  let is_number = (bitcast<u32>(radius) & MAGNITUDE_BITS) < EXPONENT_BITS;
  return is_number && radius >= 0.0 && radius <= grid.greatest_radius;
}

fn cell_at(position: Vector, level: u32) -> Lattice {
  return coarsened(finest_at(position), 0u, level);
}

fn bucket_of(body: PackedBody, id: u32) -> u32 {
  let position = body_position(body);
  if (is_finite(position) && has_size(radius_of(body))) {
    let level = level_of(radius_of(body));
    return bucket_at(cell_at(position, level), level);
  }
  return outer_bucket(id);
}

fn cell_of(body: PackedBody, bucket: u32) -> Cell {
  if (bucket < grid.cell_count) {
    return store_lattice(cell_at(body_position(body), level_of(radius_of(body))));
  }
  return NOWHERE;
}

fn are_candidates(cell: Cell, radius: f32, other: Cell, other_radius: f32) -> bool {
  let level = level_of(radius);
  let other_level = level_of(other_radius);
  let higher = max(level, other_level);
  return are_adjacent(
    coarsened(load_lattice(cell), level, higher),
    coarsened(load_lattice(other), other_level, higher),
    higher,
  );
}

// Returns the number of buckets that may have finer entries: those of level FINER_STEPS and above.
fn finer_buckets() -> u32 {
  return grid.cell_count - grid.level_first[0][FINER_STEPS];
}

fn finer_bucket(bucket: u32) -> u32 {
  return grid.cell_count + FINER_BUCKETS + bucket - grid.level_first[0][FINER_STEPS];
}

// Returns one bit per level on which a particle of `level` has a finer entry. `occupied`: one bit per occupied level.
fn levels_with_entries(level: u32, occupied: u32) -> u32 {
  let low = level + FINER_STEPS;
  return select(0u, ((occupied & ((1u << grid.levels) - 1u)) >> low) << low, low < grid.levels);
}
