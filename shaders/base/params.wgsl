// Group 0 of every kernel. Host twins: GRID_LAYOUT and SUBSTEP_LAYOUT in src/gpu/params.ts.

struct Grid {
  origin: Vector,
  inverse_cell_size: f32,
  cells: Extent,
  // Cells (buckets of the table, in the unbounded world) in all; the bucket of this number holds particles set aside, the next one particles being removed.
  cell_count: u32,
  // Particles in the buffers, set-aside ones included.
  count: u32,
  // Edge of a cell of the unbounded world, a power of two.
  cell_size: f32,
  // Length of the box along periodic axes, and its inverse; 0 along the others.
  period: Vector,
  inverse_period: Vector,
  // Empty cells at each end of an axis: 1, or 0 where it is periodic.
  ring: Extent,
  // Of particles with radii of their own (see levels.wgsl), else 0: levels, and the inverse of the largest diameter on
  // the lowest.
  levels: u32,
  inverse_base: f32,
  // Larger particles are set aside.
  greatest_radius: f32,
  // Word behind the starts at which obstacles begin.
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
  // 1 where particles are kept inside lower and upper.
  walls: u32,
  // Of a step.
  substeps: f32,
}

@group(0) @binding(0) var<uniform> grid: Grid;
@group(0) @binding(1) var<uniform> substep: Substep;

// The bucket of what has no cell: the quarantine, or (its id marked) the exit.
fn aside(id: u32) -> u32 {
  return select(grid.cell_count, grid.cell_count + 1u, (id & RETIRED_BIT) != 0u);
}

// Whether two cells are the same or touch, corners included, where nothing wraps around.
fn is_beside(cell: Lattice, other: Lattice) -> bool {
  return all(abs(other - cell) <= Lattice(1));
}

// The thread's place in a dispatch that may be folded into two dimensions.
fn linear_workgroup(workgroup: vec3u, workgroups: vec3u) -> u32 {
  return workgroup.y * workgroups.x + workgroup.x;
}
