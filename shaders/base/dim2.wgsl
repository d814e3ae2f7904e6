// Types and functions for 2D. The linker adds this file or dim3.wgsl, except to shaders that it links with `bare`.
// Needs: substep.

const DIMENSIONS = 2u;

alias Vector = vec2f;
alias Lattice = vec2i;
alias Extent = vec2u;

const AXES = Extent(0u, 1u);

// A vector in memory: 8 bytes. In exact simulations, a vector of whole numbers of quanta.
#if EXACT
alias Stored = vec2i;
#else
alias Stored = vec2f;
#endif
alias StoredBits = vec2u;

#if EXACT
fn load_whole(stored: Stored) -> Lattice {
  return stored;
}

fn store_whole(vector: Lattice) -> Stored {
  return vector;
}

fn load_vector(stored: Stored) -> Vector {
  return Vector(stored) * substep.quantum;
}
#else
fn load_vector(stored: Stored) -> Vector {
  return stored;
}

fn store_vector(vector: Vector) -> Stored {
  return vector;
}
#endif

// Returns a vector of the same length, perpendicular to v.
fn turned(v: Vector) -> Vector {
  return Vector(v.y, -v.x);
}

fn upper_of(four: vec4f) -> Vector {
  return four.xy;
}

fn with_upper_nan(bits: vec4u) -> vec4u {
  return vec4u(vec2u(NOT_A_NUMBER), bits.zw);
}

// The load of a particle (solve/contact_law.wgsl) is in the free third component of its body.
fn spare_of(four: vec4f, stored: Stored) -> f32 {
  return four.z;
}

fn with_spare(four: vec4f, spare: f32) -> vec4f {
  return vec4f(four.xy, spare, four.w);
}

#if !EXACT
fn stored_with_spare(vector: Vector, spare: f32) -> Stored {
  return vector;
}
#endif

fn with_upper(four: vec4f, vector: Vector) -> vec4f {
  return vec4f(vector, four.zw);
}

#if !EXACT
fn with_vector(stored: Stored, vector: Vector) -> Stored {
  return vector;
}
#endif

fn with_last(vector: Vector, last: f32) -> vec4f {
  return vec4f(vector, 0.0, last);
}

// x varies fastest, so the cells of a row are adjacent in memory.
fn flatten(cell: Lattice, cells: Extent) -> u32 {
  return u32(cell.y) * cells.x + u32(cell.x);
}

fn unflatten(index: u32, cells: Extent) -> Lattice {
  return Lattice(i32(index % cells.x), i32(index / cells.x));
}

alias StoredLattice = vec2i;

fn load_lattice(stored: StoredLattice) -> Lattice {
  return stored;
}

fn store_lattice(lattice: Lattice) -> StoredLattice {
  return lattice;
}

// The hash block of a cell is lattice >> BLOCK_SHIFT.
const BLOCK_SHIFT = Extent(HASH_BLOCK_SHIFT, 0u);

// Returns a weak hash, which the caller passes to mix_bits.
fn hash_lattice(block: Lattice) -> u32 {
  return (u32(block.x) * 0x8da6b343u) ^ (u32(block.y) * 0xd8163841u);
}

const ALONG_X = Lattice(1, 0);

// The number of rows of three cells around a cell.
const ROWS = 3u;

fn row_offset(row: u32) -> Lattice {
  return Lattice(0, i32(row) - 1);
}

// A probe reads the rows in layers of three.
const LAYERS = 1u;

fn layer_centre(cell: u32, layer: u32, cells: Extent) -> u32 {
  return cell;
}
