// The geometry of a contact in an exact simulation. Twin: meetExactly in src/cpu/solver/exact/contact.ts.
// Needs: position_in, substep, grid, is_within, short_root, quotient, ONE, id_in.

// A difference of centres that is below FEW_QUANTA along each axis is multiplied by FEW_QUANTA first, so that rounding
// does not turn the normal.
const FEW_BITS = 10u;
const FEW_QUANTA = 1024i;

struct ExactContact {
  // From the other body to this one, as fractions of ONE.
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

fn exact_apart(own: Lattice, other: Lattice) -> Lattice {
  var apart = own - other;
#if WRAPS
  for (var axis = 0u; axis < DIMENSIONS; axis++) {
    apart[axis] = nearest_image(apart[axis], axis);
  }
#endif
  return apart;
}

// Returns the contact of two bodies whose centres are `offset` apart. `offset` must not be zero.
fn exact_contact_at(offset: Lattice) -> ExactContact {
  var apart = offset;
  let diameter = exact_diameter();
  if (!is_within(apart, diameter)) {
    return ExactContact(Lattice(), 0i);
  }
  let zoom = select(0u, FEW_BITS, is_within(apart, FEW_QUANTA));
  apart <<= Extent(zoom);
  var beyond = 0i;
  let whole = short_root(apart, &beyond);
  let overlap = diameter - (whole >> zoom);
  // Rounds the length to the nearest. Rounded down, it would make normals too long, and bounces would gain energy.
  let distance = whole + select(0i, 1i, beyond > whole);
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

fn along_axis(axis: u32) -> Lattice {
  return select(Lattice(), Lattice(ONE), AXES == Extent(axis));
}

// If the centres coincide, the sum of the ids chooses the axis of the normal. The normal is negative for the particle
// with the lower id.
fn exact_contact(own: Lattice, slot: u32, other: u32) -> ExactContact {
  let apart = exact_apart(own, quanta_at(other));
  if (all(apart == Lattice())) {
    let along = along_axis((id_in[slot] + id_in[other]) % DIMENSIONS);
    return ExactContact(select(along, -along, id_in[slot] < id_in[other]), exact_diameter());
  }
  return exact_contact_at(apart);
}

#if OBSTACLES
// The type of contacts in kernels that meet obstacles.
alias Contact = ExactContact;

fn exact_obstacle_contact(own: Lattice, obstacle: Lattice) -> ExactContact {
  let apart = exact_apart(own, obstacle);
  if (all(apart == Lattice())) {
    return ExactContact(along_axis(1u), exact_diameter());
  }
  return exact_contact_at(apart);
}
#endif

// Returns true if `one` has the lower position: the last axis decides first.
fn precedes(one: Lattice, other: Lattice) -> bool {
  for (var axis = DIMENSIONS; axis > 0u; axis--) {
    let difference = one[axis - 1u] - other[axis - 1u];
    if (difference != 0i) {
      return difference < 0i;
    }
  }
  return false;
}
