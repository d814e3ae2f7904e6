// Group 0 of every kernel. Host twins: GRID_LAYOUT and SUBSTEP_LAYOUT in src/gpu/params.ts.

struct Grid {
  origin: Vector,
  inverse_cell_size: f32,
  cells: Extent,
  // The number of cells, or of buckets in an unbounded world. The bucket with this number holds particles that are set
  // aside, the next one particles that are being removed.
  cell_count: u32,
  // Particles in the buffers, including those that are set aside.
  count: u32,
  // Edge of a cell; a power of two in an unbounded world.
  cell_size: f32,
  // Length of the box along periodic axes, and its inverse; 0 along the others.
  period: Vector,
  inverse_period: Vector,
  // Empty cells at each end of an axis: 1, or 0 if the axis is periodic.
  ring: Extent,
  // With variable radii (see levels/levels.wgsl): the number of levels, and the inverse of the largest diameter on the
  // lowest level. Otherwise 0.
  levels: u32,
  inverse_base: f32,
  // Larger particles are set aside.
  greatest_radius: f32,
  // The word of `start` at which obstacles begin.
  first_obstacle: u32,
  // First bucket of each level of a box.
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
  // 1 if walls keep particles between lower and upper.
  walls: u32,
  // The number of substeps per step.
  substeps: f32,
}

@group(0) @binding(0) var<uniform> grid: Grid;
@group(0) @binding(1) var<uniform> substep: Substep;

// The bucket of a particle without a cell: the quarantine, or the bucket of removed particles if its id is marked.
fn aside(id: u32) -> u32 {
  return select(grid.cell_count, grid.cell_count + 1u, (id & RETIRED_BIT) != 0u);
}

// True if two cells are the same or touch, corners included, without regard to periodic axes.
fn is_beside(cell: Lattice, other: Lattice) -> bool {
  return all(abs(other - cell) <= Lattice(1));
}

// The index of a workgroup in a dispatch that may be folded into two dimensions.
fn linear_workgroup(workgroup: vec3u, workgroups: vec3u) -> u32 {
  return workgroup.y * workgroups.x + workgroup.x;
}
