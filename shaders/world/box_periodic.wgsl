// Boxes in a periodic world. A box contains a particle if an image of the particle is inside. Corners are wrapped. If
// low > high along an axis, the box covers the whole axis except the range from `high` to `low`. Wrapping uses only
// sums and exact products, so that all kernels get the same bits.
// Needs: grid.

struct Box {
  low: Vector,
  high: Vector,
}

// Greater than any coordinate of a world.
const EVERYWHERE = 0x1p120f;

// A coordinate wrapped into the first period, and the number of periods subtracted.
struct Phase {
  wrapped: f32,
  periods: i32,
}

// A coordinate so far out that its remainder is only rounding noise becomes the low end.
fn phase_of(coordinate: f32, low: f32, period: f32) -> Phase {
  let far = low + period;
  var phase = Phase(coordinate, 0);
  // A coordinate at most one period outside needs only the last step of the loop.
  let is_near =
    coordinate - 2.0 * period < low && (coordinate >= low || coordinate + 2.0 * period >= far);
  // Products with powers of two are exact, fused or not. After bit 0 the counter wraps around, which ends the loop.
  for (var bit = select(30u, 0u, is_near); bit < 31u; bit--) {
    let many = 1i << bit;
    let offset = period * f32(many);
    let lowered = phase.wrapped - offset;
    let raised = phase.wrapped + offset;
    if (lowered >= low) {
      phase = Phase(lowered, phase.periods + many);
    } else if (phase.wrapped < low && raised < far) {
      phase = Phase(raised, phase.periods - many);
    }
  }
  if (phase.wrapped < low || phase.wrapped >= far) {
    phase.wrapped = low;
  }
  return phase;
}

fn box_in_world(box: Box) -> Box {
  var inside = box;
  for (var axis = 0u; axis < DIMENSIONS; axis++) {
    let period = grid.period[axis];
    if (period > 0.0) {
      let low = phase_of(box.low[axis], grid.origin[axis], period);
      let high = phase_of(box.high[axis], grid.origin[axis], period);
      // The difference may not fit an i32, so it is a float.
      let periods = f32(high.periods) - f32(low.periods);
      let is_all = periods > 1.5 || (periods > 0.5 && high.wrapped >= low.wrapped);
      inside.low[axis] = select(low.wrapped, -EVERYWHERE, is_all);
      inside.high[axis] = select(high.wrapped, EVERYWHERE, is_all);
    }
  }
  return inside;
}

// Expects a box from box_in_world. A box across the end of the world does not contain far positions, which wrap_once
// leaves outside the world.
fn is_in_box(box: Box, position: Vector) -> bool {
  let above = position >= box.low;
  let below = position <= box.high;
  let in_world = (position >= grid.origin) & (position <= grid.origin + grid.period);
  return all(select(above & below, (above | below) & in_world, box.low > box.high));
}

// Returns false for a far position that wrap_once left outside the world. Such a position has no neighbours.
fn has_images(position: Vector) -> bool {
  let in_world = (position >= grid.origin) & (position <= grid.origin + grid.period);
  return all(in_world | (grid.period == Vector()));
}
