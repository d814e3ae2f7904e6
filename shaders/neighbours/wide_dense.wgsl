// Rows of cells of the bounded and the periodic world, for probe_wide.wgsl. How many cells a radius spans:
// cellsSpanned in src/core/world/world.ts.

// Cells along an axis, ascending: one stretch of them, or two where the axis wraps around.
struct WideAxis {
  first: u32,
  first_length: u32,
  second: u32,
  length: u32,
}

struct Wide {
  x: WideAxis,
  y: WideAxis,
  z: WideAxis,
  rows: u32,
}

// The cells up to `reach` on from one of `count`, none of them twice.
fn wide_axis(cell: u32, reach: u32, count: u32, ring: u32) -> WideAxis {
  if (ring > 0u) {
    // The ring is empty, and nothing is beyond it.
    let low = max(cell, reach + 1u) - reach;
    let high = min(cell + reach, count - 2u);
    return WideAxis(low, high - low + 1u, 0u, high - low + 1u);
  }
  // Around both ways it would come to the same cells.
  if (2u * reach + 1u >= count) {
    return WideAxis(0u, count, 0u, count);
  }
  let low = cell + select(0u, count, cell < reach) - reach;
  let high = cell + reach - select(0u, count, cell + reach >= count);
  if (low <= high) {
    return WideAxis(low, high - low + 1u, 0u, high - low + 1u);
  }
  return WideAxis(0u, high + 1u, low, high + 1u + count - low);
}

fn wide_cell(axis: WideAxis, index: u32) -> u32 {
  return select(axis.second + (index - axis.first_length), axis.first + index, index < axis.first_length);
}

fn wide_around(lattice: Lattice, reach: u32) -> Wide {
  var wide = Wide();
  wide.x = wide_axis(u32(lattice.x), reach, grid.cells.x, grid.ring.x);
  wide.y = wide_axis(u32(lattice.y), reach, grid.cells.y, grid.ring.y);
  wide.rows = wide.y.length;
  if (DIMENSIONS == 3u) {
    let last = DIMENSIONS - 1u;
    wide.z = wide_axis(u32(lattice[last]), reach, grid.cells[last], grid.ring[last]);
    wide.rows *= wide.z.length;
  }
  return wide;
}

fn wide_span(wide: Wide, row: u32) -> Span {
  var index = wide_cell(wide.y, row % wide.y.length);
  if (DIMENSIONS == 3u) {
    index += wide_cell(wide.z, row / wide.y.length) * grid.cells.y;
  }
  let base = index * grid.cells.x;
  let first = start[base + wide.x.first];
  var span = Span(first, start[base + wide.x.first + wide.x.first_length] - first, 0u, 0u);
  if (wide.x.length > wide.x.first_length) {
    span.second = start[base + wide.x.second];
    span.second_length =
      start[base + wide.x.second + wide.x.length - wide.x.first_length] - span.second;
  }
  return span;
}

fn is_in_wide(wide: Wide, row: u32, other: Cell) -> bool {
  return true;
}
