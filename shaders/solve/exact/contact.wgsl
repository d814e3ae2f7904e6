// The geometry of a contact in an exact simulation. Twin: meetExactly in src/cpu/solver/exact/contact.ts.
// Needs: position_in, substep, grid, is_within, id_in, ONE, short_length, quotient.

// Centres nearer than this are measured on a finer scale, so that rounding does not turn the normal.
const FEW_QUANTA = 1024i;

struct ExactContact {
  // From the other particle to this one, as fractions of ONE.
  normal: Lattice,
  // In quanta; at most 0 without a contact.
  overlap: i32,
}

fn quanta_at(slot: u32) -> Lattice {
  return load_whole(position_in[slot]);
}

fn exact_diameter() -> i32 {
  return i32(1u << substep.quanta_bits);
}

fn nearest_image(difference: i32, axis: u32) -> i32 {
  let period = select(0i, i32(substep.extent[axis]), grid.period[axis] > 0.0);
  if (period > 0i && 2i * difference > period) {
    return difference - period;
  }
  return select(difference, difference + period, period > 0i && 2i * difference < -period);
}

// Slots of coincident particles ascend with their ids.
fn exact_contact(own: Lattice, slot: u32, other: u32) -> ExactContact {
  var apart = own - quanta_at(other);
#if WRAPS
  for (var axis = 0u; axis < DIMENSIONS; axis++) {
    apart[axis] = nearest_image(apart[axis], axis);
  }
#endif
  let diameter = exact_diameter();
  if (!is_within(apart, diameter)) {
    return ExactContact(Lattice(), 0i);
  }
  if (all(apart == Lattice())) {
    let axis = (id_in[slot] + id_in[other]) % DIMENSIONS;
    let along = select(Lattice(), Lattice(ONE), AXES == Extent(axis));
    return ExactContact(select(along, -along, id_in[slot] < id_in[other]), diameter);
  }
  let zoom = select(1i, FEW_QUANTA, is_within(apart, FEW_QUANTA));
  apart *= zoom;
  let distance = short_length(apart);
  let overlap = diameter - distance / zoom;
  var normal = Lattice();
  for (var axis = 0u; axis < DIMENSIONS; axis++) {
    var rest = 0i;
    var part = quotient(abs(apart[axis]), distance, &rest);
    let twice = 2i * rest;
    part += select(0i, 1i, twice > distance || (twice == distance && (part & 1i) == 1i));
    normal[axis] = select(part, -part, apart[axis] < 0i);
  }
  return ExactContact(normal, overlap);
}
