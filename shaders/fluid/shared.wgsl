// Declarations for all kernels of the fluid. STORED is the number of floats of a particle's vector in memory. In 2D
// every z coordinate is 0, and there is one cell along z. Host: src/methods/fluid/passes/kernel.ts, frame.ts. The
// layout of entries: src/methods/fluid/lattice.ts.
// Needs: MAX_DRAINS, MAX_OBSTACLES, WORKGROUP.

struct Obstacle {
  // The centre; w is the radius of a ball, or 0 for a box.
  position: vec4f,
  velocity: vec4f,
  half_extents: vec4f,
}

// If low.w is 0, a box from `low` to `high`. Otherwise a ball around `low` with the squared radius low.w.
struct Drain {
  low: vec4f,
  high: vec4f,
}

// The parameters of one substep.
struct Frame {
  // xyz: cells of the lattice along each axis.
  // w: the number of particles.
  cells: vec4u,
  // xyz: distances in entries between neighbouring cells.
  // w: the entry of the first cell.
  strides: vec4u,
  // x: entries of an array over the lattice.
  // y: entries of `coupling` per axis.
  // z: number of obstacles.
  // w: number of nodes. Nodes are the cells and the upper layers: one more layer of entries at the upper end of each
  // axis.
  sizes: vec4u,
  // Strides of the cells of the sorted grid; w: the first cell inside its ring.
  grid_strides: vec4u,
  // The last cell inside the ring along each axis, counted from 0; w: the number of drains.
  grid_last: vec4u,
  // The velocity that gravity adds; w: the seconds of the substep.
  gain: vec4f,
  // x: seconds of the substep / cell size.
  // y: 1 / cell size.
  // z: cell size.
  // w: the speed at which a flow through one face of a cell fills the cell in a substep. For this speed, very short
  // substeps count as longer (see correctionRate in src/methods/fluid/reference/equations.ts).
  scale: vec4f,
  // x: share of FLIP.
  // y: the share of a surplus of particles that a substep corrects.
  // z: 1 / particles per cell.
  // w: tolerance of the pressure solver.
  rules: vec4f,
  // xyz: the acceleration.
  // w: the share of the kinetic energy that a substep may take by slowing all particles alike, before it lowers them.
  // See settlement.wgsl. 0 switches slowing and lowering off.
  gravity: vec4f,
  drains: array<Drain, MAX_DRAINS>,
  obstacles: array<Obstacle, MAX_OBSTACLES>,
}

// A level of the multigrid and the next coarser level.
struct Level {
  // Cells of the level along each axis; w: entries of `coupling` per axis.
  cells: vec4u,
  // Strides of the level; w: the entry of its first cell.
  strides: vec4u,
  // xyz: cells of the coarser level along each axis.
  // w: for the first level, the number of levels; for all others, the first level of the tail (see pressure/tail.wgsl).
  coarse_cells: vec4u,
  coarse_strides: vec4u,
}

// An element of a uniform that holds all levels.
struct Slot {
  @size(256) level: Level,
}

fn linear_index(group: vec3u, groups: vec3u, thread: u32) -> u32 {
  return (group.y * groups.x + group.x) * WORKGROUP + thread;
}

// Returns the coordinates of a node (see `sizes` in Frame).
fn node_at(index: u32, strides: vec4u) -> vec3u {
  let in_layer = index % strides.z;
  return vec3u(in_layer % strides.y, in_layer / strides.y, index / strides.z);
}

fn cell_at(index: u32, cells: vec4u) -> vec3u {
  let row = index / cells.x;
  return vec3u(index % cells.x, row % cells.y, row / cells.y);
}

fn entry_at(at: vec3u, strides: vec4u) -> u32 {
  return strides.w + at.x + at.y * strides.y + at.z * strides.z;
}

fn is_cell(at: vec3u, cells: vec4u) -> bool {
  return all(at < cells.xyz);
}

// True if a node has a face at its lower end along an axis.
fn is_face(at: vec3u, axis: u32, cells: vec4u) -> bool {
  var end = cells.xyz;
  end[axis] += 1u;
  return all(at < end);
}

// The number of floats in a particle's account of a substep. The account holds, in this order:
// - the growth of kinetic energy
// - the position before the move
// - the deviation of the particle's velocity from the lattice's
const ACCOUNT = 1u + 2u * DIMENSIONS;

fn is_finite_number(value: f32) -> bool {
  return (bitcast<u32>(value) & 0x7f800000u) != 0x7f800000u;
}
