// How far particles move in a substep of an exact simulation, and the limits of positions and velocities.
// Needs: substep, shift_wide, add_low, times, grid.

// The limits of positions (2^30) and of velocities (2^29).
const REACH = 1073741824i;
const FASTEST = 536870912i;

// Returns the distance that a body moves in a substep: adds the dither, then rounds down.
fn motion_of(speed: i32) -> i32 {
  let bits = substep.exact_dt >> 16u;
  return shift_wide(add_low(times(speed, substep.exact_dt), substep.dither << (bits - 16u)), bits);
}

fn within(quanta: Lattice) -> Lattice {
  return clamp(quanta, Lattice(-REACH), Lattice(REACH - 1i));
}

fn exact_wrap(quanta: Lattice) -> Lattice {
  var wrapped = quanta;
#if WRAPS
  for (var axis = 0u; axis < DIMENSIONS; axis++) {
    if (grid.period[axis] > 0.0) {
      let period = i32(substep.extent[axis]);
      let rest = quanta[axis] % period;
      wrapped[axis] = select(rest, rest + period, rest < 0i);
    }
  }
#endif
  return wrapped;
}

fn moved_by(speeds: Lattice) -> Lattice {
  var moved = Lattice();
  for (var axis = 0u; axis < DIMENSIONS; axis++) {
    moved[axis] = motion_of(speeds[axis]);
  }
  return moved;
}
