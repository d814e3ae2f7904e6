// Smooths a square tile of cells in workgroup memory, in 2D. The tile overlaps its neighbours: each pass over a colour
// makes one more ring of cells at the tile's border wrong, but after the last pass the inner part is still right. So
// all passes fit into one dispatch. A value outside the lattice, or without an equation, is 0. Linked with
// descend.wgsl and ascend.wgsl.
// Needs: TILE_VALUES, Level, coupling, WORKGROUP, diagonal, right_of.

var<workgroup> tile: array<f32, TILE_VALUES>;
var<workgroup> is_occupied: atomic<u32>;

var<private> level: Level;
// The cell of the tile's first value, the number of values per row, and the index of the first value in `tile`.
var<private> corner: vec2i;
var<private> side: u32;
var<private> first_value: u32;

struct Spot {
  // Index in arrays over the lattice. Outside the lattice it is 0, an entry without an equation.
  entry: u32,
  // Index in `tile`.
  value: u32,
}

fn cell_of(x: u32, y: u32) -> vec2u {
  return vec2u(corner) + vec2u(x, y);
}

fn spot_at(x: u32, y: u32) -> Spot {
  // Coordinates below 0 become large numbers.
  let at = cell_of(x, y);
  let entry = level.strides.w + at.x + at.y * level.strides.y;
  return Spot(select(0u, entry, all(at < level.cells.xy)), first_value + y * side + x);
}

// Returns index / width. Both are small, so the quotient of floats is exact enough, and faster on software adapters.
fn row_of(index: u32, width: u32) -> u32 {
  return u32((f32(index) + 0.5) / f32(width));
}

fn is_red(at: vec2u) -> bool {
  return ((at.x + at.y) & 1u) == 0u;
}

// Returns the sum, over the neighbours, of coupling times value. Sums in the order of neighbour_sum.wgsl.
fn sum_around(spot: Spot) -> f32 {
  let up = level.cells.w + spot.entry;
  var sum = coupling[spot.entry] * tile[spot.value - 1u] + coupling[spot.entry + 1u] * tile[spot.value + 1u];
  sum += coupling[up] * tile[spot.value - side] + coupling[up + level.strides.y] * tile[spot.value + side];
  return sum;
}

// Sets is_occupied to 1 if the tile has an equation. Set it to 0 first, and call count_of only after a barrier.
fn find_equations(thread: u32) {
  var found = 0.0;
  for (var index = thread; index < side * side; index += WORKGROUP) {
    let y = row_of(index, side);
    found = max(found, diagonal[spot_at(index - y * side, y).entry]);
  }
  for (; found > 0.0; found = 0.0) {
    atomicStore(&is_occupied, 1u);
  }
}

// Returns `count`, or 0 if the tile has no equation. Loops without rounds cost nothing on software adapters, but
// branches do.
fn count_of(count: u32) -> u32 {
  return select(0u, count, atomicLoad(&is_occupied) != 0u);
}

// Smooths the cells of one colour, except those nearer than `margin` to the tile's border.
fn smooth_tile(colour: u32, margin: u32, thread: u32) {
  let rows = side - 2u * margin;
  let half = rows / 2u;
  let shift = u32(corner.x + corner.y) + margin + colour;
  let count = count_of(half * rows);
  for (var index = thread; index < count; index += WORKGROUP) {
    let row = row_of(index, half);
    let y = margin + row;
    let spot = spot_at(margin + 2u * (index - row * half) + ((y + shift) & 1u), y);
    let weight = diagonal[spot.entry];
    if (weight > 0.0) {
      tile[spot.value] = (right_of(spot) + sum_around(spot)) / weight;
    }
  }
}
