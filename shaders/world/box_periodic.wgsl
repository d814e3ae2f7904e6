// Boxes where space wraps around: a particle is in a box if one of its images is. Both corners are brought into the
// world. Then low <= high is what lies between, low > high what lies outside the two, and a box of a period or more is
// all there is. Sums only, as in world_periodic.wgsl, so that every kernel finds the same.

struct Box {
  low: Vector,
  high: Vector,
}

// Beyond what any lattice asks for.
const EVERYWHERE = 0x1p120f;

// Where a coordinate is in the period that begins with the world, and how many periods that is away.
struct Phase {
  place: f32,
  periods: i32,
}

// So far out that its place in a period is noise, a coordinate goes to the low end.
fn phase_of(coordinate: f32, low: f32, period: f32) -> Phase {
  let far = low + period;
  var phase = Phase(coordinate, 0);
  // Fewer than two periods away, which is the usual case, only the last step of the loop would change anything.
  let is_near =
    coordinate - 2.0 * period < low && (coordinate >= low || coordinate + 2.0 * period >= far);
  // A product with a power of two is exact, fused or not. At bit 0 the counter wraps to 0xffffffff, which ends the loop.
  for (var bit = select(30u, 0u, is_near); bit < 31u; bit--) {
    let many = 1i << bit;
    let way = period * f32(many);
    let lowered = phase.place - way;
    let raised = phase.place + way;
    if (lowered >= low) {
      phase = Phase(lowered, phase.periods + many);
    } else if (phase.place < low && raised < far) {
      phase = Phase(raised, phase.periods - many);
    }
  }
  if (phase.place < low || phase.place >= far) {
    phase.place = low;
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
      // In floats, since the numbers of periods may be as far apart as 32 bits cannot say.
      let periods = f32(high.periods) - f32(low.periods);
      let is_all = periods > 1.5 || (periods > 0.5 && high.place >= low.place);
      inside.low[axis] = select(low.place, -EVERYWHERE, is_all);
      inside.high[axis] = select(high.place, EVERYWHERE, is_all);
    }
  }
  return inside;
}

// Whether a place is in a box in the world. All that the grid brings in are in the world; what is not is more than a period
// outside, and in no box that goes on at the other end.
fn is_in_box(box: Box, place: Vector) -> bool {
  let above = place >= box.low;
  let below = place <= box.high;
  let in_world = (place >= grid.origin) & (place <= grid.origin + grid.period);
  return all(select(above & below, (above | below) & in_world, box.low > box.high));
}

// Of such a place outside there are no images: it is near nobody.
fn has_images(place: Vector) -> bool {
  let in_world = (place >= grid.origin) & (place <= grid.origin + grid.period);
  return all(in_world | (grid.period == Vector()));
}
