// Runs one pass of the exact contact law: each particle gathers the effects of its neighbours. With PUSH_APART, the
// pass only pushes particles apart. Otherwise, a thread collects MOST_WAITING neighbours before it computes their
// contacts. A contact takes as long as dozens of candidates, so threads in lockstep should compute their contacts at
// the same time. Twins: src/cpu/solver/exact/contact.ts and src/cpu/solver/exact/passes.ts.
// Needs: WideSum, ExactSum, MOST_WAITING, substep, Particle, quanta_at, velocity_in, partner_in, grid, Neighbour.
// Needs: exact_contact, shares_of, scaled, added, add_push, REACH, exact_diameter, FASTEST, motion_of.
// Needs: exact_wall_change, MOST_LOADED, length_of, grip_of, share_of, direction_part, add_bounce, pushed_by_obstacles.
// Needs: within, totals_of, MOST_PUSH, settled_exactly, meet_obstacles, position_out, exact_wrap, velocity_out.
// Needs: position_in.

struct Gathered {
  quanta: Lattice,
#if PUSH_APART
  push: WideSum,
#else
  sum: ExactSum,
  velocity: Lattice,
  // The particle that this one bounces off.
  partner: u32,
  waiting: array<u32, MOST_WAITING>,
  waiting_count: u32,
#endif
}

fn reach_squared() -> f32 {
  return substep.diameter_squared;
}

fn begin(particle: Particle) -> Gathered {
  var gathered = Gathered();
  gathered.quanta = quanta_at(particle.slot);
#if !PUSH_APART
  gathered.velocity = load_whole(velocity_in[particle.slot]);
  gathered.partner = NO_PARTNER;
  if (substep.restitution > 0.0) {
    let partner = partner_in[particle.slot];
    if (partner < grid.count && partner_in[partner] == particle.slot) {
      gathered.partner = partner;
    }
  }
#endif
  return gathered;
}

#if PUSH_APART
fn visit(gathered: ptr<function, Gathered>, particle: Particle, other: Neighbour) {
  let contact = exact_contact((*gathered).quanta, particle.slot, other.slot);
  if (contact.overlap > 0i) {
    let push = shares_of(scaled(contact.overlap, substep.exact_relaxation), contact.normal);
    (*gathered).push = added((*gathered).push, push);
  }
}
#else
fn visit(gathered: ptr<function, Gathered>, particle: Particle, other: Neighbour) {
  if (other.slot == (*gathered).partner) {
    return;
  }
  (*gathered).waiting[(*gathered).waiting_count] = other.slot;
  (*gathered).waiting_count += 1u;
  if ((*gathered).waiting_count == MOST_WAITING) {
    meet_waiting(gathered, particle.slot);
  }
}

fn meet_waiting(gathered: ptr<function, Gathered>, slot: u32) {
  // In WGSL, a pointer to a member cannot be passed to a function.
  var sum = (*gathered).sum;
  for (var left = (*gathered).waiting_count; left > 0u; left--) {
    let other = (*gathered).waiting[left - 1u];
    let contact = exact_contact((*gathered).quanta, slot, other);
    if (contact.overlap > 0i) {
      add_push(&sum, contact, (*gathered).velocity - load_whole(velocity_in[other]));
    }
  }
  (*gathered).sum = sum;
  (*gathered).waiting_count = 0u;
}
#endif

fn lower_limit(axis: u32) -> i32 {
  return select(-REACH, exact_diameter() / 2i, grid.period[axis] == 0.0);
}

fn upper_limit(axis: u32) -> i32 {
  let walled = i32(substep.extent[axis]) - exact_diameter() / 2i;
  return select(REACH - 1i, walled, grid.period[axis] == 0.0);
}

#if !PUSH_APART
// A particle at the end of a pass, and how obstacles and walls press on it.
struct Ending {
  quanta: Lattice,
  velocity: Lattice,
  // How much they press in all (src/core/contact/law.ts). Each summand is at most MOST_LOADED.
  pressing: i32,
  // The velocity without its parts along the normals of these obstacles and walls.
  sliding: Lattice,
  bounces: bool,
}

// Changes a component of the velocity, and replaces the motion in this substep by that of the new velocity.
fn turn(ending: ptr<function, Ending>, axis: u32, change: i32, push: i32) {
  let speed = (*ending).velocity[axis];
  let turned = clamp(speed + change, -FASTEST, FASTEST);
  let moved = motion_of(turned) - motion_of(speed);
  (*ending).quanta[axis] = clamp((*ending).quanta[axis] + moved + push, -REACH, REACH - 1i);
  (*ending).velocity[axis] = turned;
}

fn meet_exact_wall(ending: ptr<function, Ending>, axis: u32, limit: i32, inward: i32) {
  let depth = inward * (limit - (*ending).quanta[axis]);
  (*ending).quanta[axis] = limit;
  let approach = inward * (*ending).velocity[axis];
  if (approach >= 0i) {
    return;
  }
  let bounces = substep.restitution > 0.0 && approach < -i32(substep.exact_rest_speed);
  let change = exact_wall_change(depth, approach, bounces);
  (*ending).velocity[axis] = inward * (approach + change);
  (*ending).sliding[axis] = 0i;
  (*ending).pressing += min(change, MOST_LOADED);
  (*ending).bounces = (*ending).bounces || bounces;
}

// Applies the friction of all obstacles and walls.
fn rub_exactly(ending: ptr<function, Ending>) {
  let sliding = (*ending).sliding;
  let speed = length_of(sliding);
  if (speed == 0i) {
    return;
  }
  let most_grip = grip_of((*ending).pressing);
  for (var axis = 0u; axis < DIMENSIONS; axis++) {
    var taken = sliding[axis];
    if (most_grip < speed) {
      taken = share_of(most_grip, direction_part(sliding[axis], speed));
    }
    if ((*ending).bounces) {
      (*ending).velocity[axis] = clamp((*ending).velocity[axis] - taken, -FASTEST, FASTEST);
    } else {
      turn(ending, axis, -taken, 0i);
    }
  }
}
#endif

fn finish(gathered: Gathered, particle: Particle) {
  let slot = particle.slot;
  var all = gathered;
#if !PUSH_APART
  // If MOST_WAITING is 1, `visit` has handled every neighbour, and the kernel needs no second copy of the law here.
  if (MOST_WAITING > 1u) {
    meet_waiting(&all, slot);
  }
  if (all.partner < grid.count) {
    var sum = all.sum;
    let relative = all.velocity - load_whole(velocity_in[all.partner]);
    add_bounce(&sum, exact_contact(all.quanta, slot, all.partner), relative);
    all.sum = sum;
  }
#endif
#if PUSH_APART
#if OBSTACLES
  all.push = added(all.push, pushed_by_obstacles(particle));
#endif
  var quanta = within(all.quanta + totals_of(all.push, MOST_PUSH));
#else
  let effect = settled_exactly(all.sum);
  var ending = Ending(all.quanta, all.velocity, 0i, Lattice(), false);
  for (var axis = 0u; axis < DIMENSIONS; axis++) {
    turn(&ending, axis, effect.change[axis], effect.push[axis]);
  }
  ending.sliding = ending.velocity;
#if OBSTACLES
  meet_obstacles(&ending, particle);
#endif
  var is_out = false;
  for (var axis = 0u; axis < DIMENSIONS; axis++) {
    let quanta = ending.quanta[axis];
    is_out = is_out || quanta < lower_limit(axis) || quanta > upper_limit(axis);
  }
  let walls = select(0u, DIMENSIONS, substep.walls != 0u && is_out);
  for (var axis = 0u; axis < walls; axis++) {
    let is_low = ending.quanta[axis] < lower_limit(axis);
    if (is_low || ending.quanta[axis] > upper_limit(axis)) {
      let limit = select(upper_limit(axis), lower_limit(axis), is_low);
      meet_exact_wall(&ending, axis, limit, select(-1i, 1i, is_low));
    }
  }
  if (ending.pressing > 0i) {
    rub_exactly(&ending);
  }
  var quanta = ending.quanta;
#endif
  if (substep.walls != 0u) {
    for (var axis = 0u; axis < DIMENSIONS; axis++) {
      quanta[axis] = clamp(quanta[axis], lower_limit(axis), upper_limit(axis));
    }
  }
  position_out[slot] = store_whole(exact_wrap(quanta));
#if !PUSH_APART
  velocity_out[slot] = store_whole(ending.velocity);
#endif
}

// Copies removed particles.
fn skip(slot: u32) {
  position_out[slot] = position_in[slot];
#if !PUSH_APART
  velocity_out[slot] = velocity_in[slot];
#endif
}
