// Two dimensions. Every kernel uses these names and is linked with this file or dim3.wgsl.

const DIMENSIONS = 2u;

alias Vector = vec2f;
alias Lattice = vec2i;
alias Extent = vec2u;

const AXES = Extent(0u, 1u);

// A particle's vector in memory: 8 bytes.
alias Stored = vec2f;
alias StoredBits = vec2u;

fn load_vector(stored: Stored) -> Vector {
  return stored;
}

fn store_vector(vector: Vector) -> Stored {
  return vector;
}

// The vector in the first of four floats.
fn upper_of(four: vec4f) -> Vector {
  return four.xy;
}

fn with_last(vector: Vector, last: f32) -> vec4f {
  return vec4f(vector, 0.0, last);
}

// The index of a cell, x fastest: cells of a row are adjacent in memory.
fn flatten(cell: Lattice, cells: Extent) -> u32 {
  return u32(cell.y) * cells.x + u32(cell.x);
}

fn unflatten(index: u32, cells: Extent) -> Lattice {
  return Lattice(i32(index % cells.x), i32(index / cells.x));
}

// The coordinates of a cell in memory: 8 bytes.
alias StoredLattice = vec2i;

fn load_lattice(stored: StoredLattice) -> Lattice {
  return stored;
}

fn store_lattice(lattice: Lattice) -> StoredLattice {
  return lattice;
}

// For the hashed grid: the shift from a cell to its block, and the block's hash before mixing.
const BLOCK_SHIFT = Extent(HASH_BLOCK_SHIFT, 0u);

fn hash_lattice(block: Lattice) -> u32 {
  return (u32(block.x) * 0x8da6b343u) ^ (u32(block.y) * 0xd8163841u);
}

const ALONG_X = Lattice(1, 0);

// Rows of three cells around a cell, and the offset of each row from the middle one.
const ROWS = 3u;

fn row_offset(row: u32) -> Lattice {
  return Lattice(0, i32(row) - 1);
}

// The cells around a cell, itself included, and the offset of each.
const AROUND = 9u;

fn offset_of(index: u32) -> Lattice {
  return Lattice(i32(index % 3u) - 1, i32(index / 3u) - 1);
}

// Layers of three rows that a probe reads, and the index of the middle cell of each.
const LAYERS = 1u;

fn layer_centre(cell: u32, layer: u32, cells: Extent) -> u32 {
  return cell;
}
