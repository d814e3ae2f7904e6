// Types and functions for 3D. dim2.wgsl has the same names for 2D, and its comments explain what is equal in both.
// Needs: substep.

const DIMENSIONS = 3u;

alias Vector = vec3f;
alias Lattice = vec3i;
alias Extent = vec3u;

const AXES = Extent(0u, 1u, 2u);

// A vector in memory: 16 bytes. The last four are spare (see spare_of).
#if EXACT
alias Stored = vec4i;
#else
alias Stored = vec4f;
#endif
alias StoredBits = vec4u;

#if EXACT
fn load_whole(stored: Stored) -> Lattice {
  return stored.xyz;
}

fn store_whole(vector: Lattice) -> Stored {
  return Stored(vector, 0);
}

fn load_vector(stored: Stored) -> Vector {
  return Vector(stored.xyz) * substep.quantum;
}
#else
fn load_vector(stored: Stored) -> Vector {
  return stored.xyz;
}

fn store_vector(vector: Vector) -> Stored {
  return Stored(vector, 0.0);
}
#endif

// Returns the cross product of v and (1, 1, 1), which is perpendicular to v.
fn turned(v: Vector) -> Vector {
  return v.yzx - v.zxy;
}

fn upper_of(four: vec4f) -> Vector {
  return four.xyz;
}

fn with_upper_nan(bits: vec4u) -> vec4u {
  return vec4u(vec3u(NOT_A_NUMBER), bits.w);
}

// The load of a particle (solve/contact_law.wgsl) is in the free last component of its velocity.
fn spare_of(four: vec4f, stored: Stored) -> f32 {
  return f32(stored.w);
}

fn with_spare(four: vec4f, spare: f32) -> vec4f {
  return four;
}

#if !EXACT
fn stored_with_spare(vector: Vector, spare: f32) -> Stored {
  return Stored(vector, spare);
}
#endif

fn with_upper(four: vec4f, vector: Vector) -> vec4f {
  return vec4f(vector, four.w);
}

#if !EXACT
fn with_vector(stored: Stored, vector: Vector) -> Stored {
  return Stored(vector, stored.w);
}
#endif

fn with_last(vector: Vector, last: f32) -> vec4f {
  return vec4f(vector, last);
}

fn flatten(cell: Lattice, cells: Extent) -> u32 {
  return (u32(cell.z) * cells.y + u32(cell.y)) * cells.x + u32(cell.x);
}

fn unflatten(index: u32, cells: Extent) -> Lattice {
  let row = index / cells.x;
  return Lattice(i32(index % cells.x), i32(row % cells.y), i32(row / cells.y));
}

// Cell coordinates in memory: 16 bytes, the last four unused.
alias StoredLattice = vec4i;

fn load_lattice(stored: StoredLattice) -> Lattice {
  return stored.xyz;
}

fn store_lattice(lattice: Lattice) -> StoredLattice {
  return StoredLattice(lattice, 0);
}

const BLOCK_SHIFT = Extent(HASH_BLOCK_SHIFT, 0u, 0u);

fn hash_lattice(block: Lattice) -> u32 {
  return (u32(block.x) * 0x8da6b343u) ^ (u32(block.y) * 0xd8163841u) ^ (u32(block.z) * 0xcb1ab31fu);
}

const ALONG_X = Lattice(1, 0, 0);

const ROWS = 9u;

fn row_offset(row: u32) -> Lattice {
  return Lattice(0, i32(row % 3u) - 1, i32(row / 3u) - 1);
}

const LAYERS = 3u;

fn layer_centre(cell: u32, layer: u32, cells: Extent) -> u32 {
  return cell + (layer - 1u) * cells.x * cells.y;
}
