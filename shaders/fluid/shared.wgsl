// Linked with every kernel of the fluid, after the constants DIMENSIONS, WORKGROUP, STORED (floats of a particle's
// vector in memory) and the declarations of its buffers. Host: src/methods/fluid/passes/kernel.ts, frame.ts.
// src/methods/fluid/lattice.ts describes the layout of entries; in 2D z is 0 everywhere.
// Needs: MAX_DRAINS, MAX_OBSTACLES, WORKGROUP.

const AIR = 0u;
const FLUID = 1u;
// Always solid; SOLID + 1 + i is a cell inside obstacle i.
const SOLID = 2u;

struct Obstacle {
  // In w the radius of a ball; 0 for a box.
  position: vec4f,
  velocity: vec4f,
  half_extents: vec4f,
}

// A box from `low` to `high`; or, if low.w is not 0, a ball around `low` with low.w as its squared radius.
struct Drain {
  low: vec4f,
  high: vec4f,
}

// Parameters of one substep.
struct Frame {
  // Cells of the lattice; in w the number of particles.
  cells: vec4u,
  // Distance in entries between neighbouring cells; in w the entry of the first cell.
  strides: vec4u,
  // Length of an array over the lattice; distance between axes in `coupling`; obstacles; cells with the upper layers.
  sizes: vec4u,
  // Strides of the sorted grid's cells; in w its first cell.
  grid_strides: vec4u,
  // The sorted grid's last cell along each axis; in w the number of drains.
  grid_last: vec4u,
  // Velocity that gravity adds; in w the seconds of the substep.
  gain: vec4f,
  // Time / cell size, 1 / cell size, cell size, the velocity that changes a cell's volume by its whole in a substep.
  scale: vec4f,
  // Share of FLIP, density correction, 1 / particles per cell, tolerance.
  rules: vec4f,
  // Acceleration; in w the share of kinetic energy that may be removed so that energy does not grow, 0 if it may grow.
  gravity: vec4f,
  drains: array<Drain, MAX_DRAINS>,
  obstacles: array<Obstacle, MAX_OBSTACLES>,
}

// A level of the multigrid, and the next coarser one.
struct Level {
  // Cells of the level; in w the distance between axes in `coupling`.
  cells: vec4u,
  // Strides of the level; in w the entry of its first cell.
  strides: vec4u,
  // Cells of the coarser level; in w, for the first level, the number of levels, and for all others the first level of
  // the tail.
  coarse_cells: vec4u,
  coarse_strides: vec4u,
}

// A level in a uniform that holds all levels.
struct Slot {
  @size(256) level: Level,
}

fn linear_index(group: vec3u, groups: vec3u, thread: u32) -> u32 {
  return (group.y * groups.x + group.x) * WORKGROUP + thread;
}

// Coordinates of a node: a cell, or an entry of the upper layers.
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

// True if a node is a cell.
fn is_cell(at: vec3u, cells: vec4u) -> bool {
  return all(at < cells.xyz);
}

// True if a node's lower side across an axis is a face.
fn is_face(at: vec3u, axis: u32, cells: vec4u) -> bool {
  var end = cells.xyz;
  end[axis] += 1u;
  return all(at < end);
}

// The greatest share of its height by which the fluid is lowered in a substep.
const MOST_LOWERING = 0.001;

// Floats of a particle's account of a substep: growth of kinetic energy, position before the move, velocity beside the
// lattice.
const ACCOUNT = 1u + 2u * DIMENSIONS;

fn is_finite_number(value: f32) -> bool {
  return (bitcast<u32>(value) & 0x7f800000u) != 0x7f800000u;
}
