// Declarations for the fluid's kernels. STORED is the number of floats per vector in memory. In 2D, z is 0 and there is
// one cell along z. Host: src/methods/fluid/passes/kernel.ts, frame.ts. src/methods/fluid/lattice.ts describes arrays
// over the lattice.
// Needs: MAX_DRAINS, MAX_OBSTACLES, WORKGROUP.

struct Obstacle {
  // The centre. w: the radius of a ball, or 0 for a box.
  position: vec4f,
  velocity: vec4f,
  half_extents: vec4f,
}

// A box from `low` to `high` or, if low.w is not 0, a ball around `low` of squared radius low.w.
struct Drain {
  low: vec4f,
  high: vec4f,
}

struct Frame {
  // xyz: cells of the lattice. w: the number of particles.
  cells: vec4u,
  // xyz: the difference in index between neighbouring cells along each axis. w: the index of the first cell.
  strides: vec4u,
  // x: the length of an array over the lattice. y: the length of `coupling` per axis. z: the number of obstacles. w:
  // the number of nodes, which are the cells and one more layer at the upper end of each axis.
  sizes: vec4u,
  // xyz: the difference in index between neighbouring cells of the sorted grid along each axis. w: the index of the
  // first cell inside the grid's ring.
  grid_strides: vec4u,
  // xyz: the last cell inside the ring, counted from 0. w: the number of drains.
  grid_last: vec4u,
  // xyz: the velocity that gravity adds. w: the seconds of the substep.
  gain: vec4f,
  // x: seconds of the substep / cell size. y: 1 / cell size. z: cell size. w: the speed at which a flow
  // through one face fills a cell in a substep. A very short substep counts as a longer one (correctionRate in
  // src/methods/fluid/reference/equations.ts).
  scale: vec4f,
  // x: share of FLIP. y: the share of a surplus of particles that each substep corrects. z: 1 / particles per cell. w:
  // the solver's tolerance.
  rules: vec4f,
  // xyz: gravity. w: the greatest share of the kinetic energy that a substep removes by slowing all particles before it
  // lowers particles (settlement.wgsl). 0 if the substep does not restrain energy.
  gravity: vec4f,
  drains: array<Drain, MAX_DRAINS>,
  obstacles: array<Obstacle, MAX_OBSTACLES>,
}

struct Level {
  // xyz: cells. w: the length of `coupling` per axis.
  cells: vec4u,
  strides: vec4u,
  // xyz: cells of the coarser level of the multigrid. w: in the first level, the number of levels; in the others, the
  // first level that the kernel `tail` solves.
  coarse_cells: vec4u,
  coarse_strides: vec4u,
}

struct Slot {
  @size(256) level: Level,
}

fn linear_index(group: vec3u, groups: vec3u, thread: u32) -> u32 {
  return (group.y * groups.x + group.x) * WORKGROUP + thread;
}

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

fn is_face(at: vec3u, axis: u32, cells: vec4u) -> bool {
  var end = cells.xyz;
  end[axis] += 1u;
  return all(at < end);
}

// The number of floats in a particle's account of a substep: the growth of kinetic energy, the position before the
// substep, and the deviation from the lattice's velocity. With APIC, and along axes on which the particle was stopped,
// the deviation counts as 0.
const ACCOUNT = 1u + 2u * DIMENSIONS;

fn is_finite_number(value: f32) -> bool {
  return (bitcast<u32>(value) & 0x7f800000u) != 0x7f800000u;
}
