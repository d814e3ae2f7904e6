// What every kernel of the liquid is linked with, after the constants DIMENSIONS, WORKGROUP, STORED (floats of a particle's
// vector in memory) and the declarations of its buffers. Host: src/methods/fluid/passes/kernel.ts, frame.ts. For how entries are laid
// out see src/methods/fluid/lattice.ts; in the plane z is 0 everywhere.

const AIR = 0u;
const FLUID = 1u;
// For good; SOLID + 1 + i is the obstacle i.
const SOLID = 2u;

struct Obstacle {
  // In w the radius of a ball; 0 of a box.
  position: vec4f,
  velocity: vec4f,
  half_extents: vec4f,
}

// What it takes away: a box from `low` to `high`, or with a square of a radius in low.w a ball around `low`.
struct Drain {
  low: vec4f,
  high: vec4f,
}

// Of one substep.
struct Frame {
  // In w particles.
  cells: vec4u,
  // Entries from a cell to the next; in w the entry of the first cell.
  strides: vec4u,
  // Entries of an array over the lattice; of `coupling` from one axis to the next; obstacles; all cells and those above.
  sizes: vec4u,
  // Of the sorted grid: cells from one to the next, in w the first.
  grid_strides: vec4u,
  // Its last cell along each axis; in w drains.
  grid_last: vec4u,
  // Velocity that gravity adds; in w the time.
  gain: vec4f,
  // Time / cell size, 1 / cell size, cell size, velocity by which a cell's volume changes by all of it.
  scale: vec4f,
  // Share of FLIP, density correction, 1 / particles a cell, tolerance.
  rules: vec4f,
  // Acceleration; in w the share of kinetic energy that may be given up so that energy does not grow, 0 where it may grow.
  gravity: vec4f,
  drains: array<Drain, MAX_DRAINS>,
  obstacles: array<Obstacle, MAX_OBSTACLES>,
}

// Of a multigrid, with the one below it.
struct Level {
  // In w entries of `coupling` from one axis to the next.
  cells: vec4u,
  // In w the entry of the first cell.
  strides: vec4u,
  // In w, of the first level how many there are, of the second the first of few cells.
  coarse_cells: vec4u,
  coarse_strides: vec4u,
}

// A level where all of them are in one uniform.
struct Slot {
  @size(256) level: Level,
}

fn linear_index(group: vec3u, groups: vec3u, thread: u32) -> u32 {
  return (group.y * groups.x + group.x) * WORKGROUP + thread;
}

// Coordinates of a node, of which there are as many as cells and those above them.
fn node_at(index: u32, strides: vec4u) -> vec3u {
  let in_layer = index % strides.z;
  return vec3u(in_layer % strides.y, in_layer / strides.y, index / strides.z);
}

// Coordinates of a cell.
fn cell_at(index: u32, cells: vec4u) -> vec3u {
  let row = index / cells.x;
  return vec3u(index % cells.x, row % cells.y, row / cells.y);
}

fn entry_at(at: vec3u, strides: vec4u) -> u32 {
  return strides.w + at.x + at.y * strides.y + at.z * strides.z;
}

// Whether a node is a cell.
fn is_cell(at: vec3u, cells: vec4u) -> bool {
  return all(at < cells.xyz);
}

// Whether its lower face across an axis is a face.
fn is_face(at: vec3u, axis: u32, cells: vec4u) -> bool {
  var end = cells.xyz;
  end[axis] += 1u;
  return all(at < end);
}

// Share of its height that the liquid is lowered by in a substep at most.
const MOST_LOWERING = 0.001;

// Floats of a particle's account in a substep: what its kinetic energy grew by, then a place, then a velocity.
const ACCOUNT = 1u + 2u * DIMENSIONS;

fn is_finite_number(value: f32) -> bool {
  return (bitcast<u32>(value) & 0x7f800000u) != 0x7f800000u;
}
