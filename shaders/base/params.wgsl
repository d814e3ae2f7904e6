// The parameters in bind group 0. Host twins: GRID_FIELDS and SUBSTEP_FIELDS in src/gpu/params.ts.

struct Grid {
  origin: Vector,
  inverse_cell_size: f32,
  cells: Extent,
  // The number of cells, or of buckets in an unbounded world. Two buckets follow: the quarantine, then removed
  // particles.
  cell_count: u32,
  // The number of particles, including the quarantine.
  count: u32,
  // The edge of a cell; a power of two in an unbounded world.
  cell_size: f32,
  // The period of each axis and its inverse; 0 along axes that are not periodic.
  period: Vector,
  inverse_period: Vector,
  // The number of empty cells at each end of an axis: 0 if the axis is periodic, otherwise 1. Meaningless in unbounded
  // worlds and worlds with levels, which have no such cells.
  ring: Extent,
  // `levels` and `inverse_base` are 0 without variable radii. `inverse_base` is 1 / the largest diameter on the lowest
  // level.
  levels: u32,
  inverse_base: f32,
  // Larger particles go into the quarantine.
  greatest_radius: f32,
  // The word of `start` at which obstacles begin.
  first_obstacle: u32,
  // The word of `start` that holds the number of merged levels. Only unbounded worlds with levels use it.
  merged_word: u32,
  // The first bucket of each level.
  level_first: array<vec4u, 6>,
}

struct Substep {
  gravity: Vector,
  dt: f32,
  lower: Vector,
  inverse_dt: f32,
  upper: Vector,
  diameter: f32,
  diameter_squared: f32,
  restitution: f32,
  friction: f32,
  half_relaxation: f32,
  grip_share: f32,
  rest_speed: f32,
  push_speed: f32,
  parting: f32,
  kick_speed: f32,
  calm_speed: f32,
  deep_rate: f32,
  strain_rate: f32,
  // 1 if walls keep particles between `lower` and `upper`.
  walls: u32,
  substeps: f32,
  // The rest is for exact simulations. `quantum` is a length in the world's units. Other lengths are in quanta,
  // velocities in quanta per second. packFactor in src/core/exact/integers.ts packs factors.
  quantum: f32,
  // The size of the world along each axis, which is also the period of axes that wrap.
  extent: Extent,
  // A diameter has 2^quanta_bits quanta.
  quanta_bits: u32,
  // The velocities that gravity adds: `gained` in this substep, `gain` in each substep on average.
  gained: Extent,
  dither: u32,
  gain: Extent,
  exact_dt: u32,
  exact_relaxation: u32,
  push_rate: u32,
  wall_rate: u32,
  exact_friction: u32,
  exact_grip: u32,
  rebound: u32,
  half_rebound: u32,
  damping: u32,
  most_overlap: u32,
  most_depth: u32,
  exact_rest_speed: u32,
  exact_push_speed: u32,
  exact_kick_speed: u32,
  exact_calm_speed: u32,
}

@group(0) @binding(0) var<uniform> grid: Grid;
@group(0) @binding(1) var<uniform> substep: Substep;

// Returns the bucket of a particle that is in no cell: the bucket of removed particles if the id has RETIRED_BIT,
// otherwise the quarantine.
fn outer_bucket(id: u32) -> u32 {
  return select(grid.cell_count, grid.cell_count + 1u, (id & RETIRED_BIT) != 0u);
}

// Returns true if the cells are the same or adjacent. Ignores periods.
fn is_beside(cell: Lattice, other: Lattice) -> bool {
  return all(abs(other - cell) <= Lattice(1));
}

// Returns the number of a workgroup. Large dispatches are folded into two dimensions.
fn linear_workgroup(workgroup: vec3u, workgroups: vec3u) -> u32 {
  return workgroup.y * workgroups.x + workgroup.x;
}
