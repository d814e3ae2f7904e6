// One Jacobi pass of the contact law (contact_law.wgsl): every particle gathers the effects of its overlapping
// neighbours. The pass reads only the state before it, so it needs no atomics, and the order of threads does not
// matter.
// Inputs: sorted state, starts, and partners if restitution is not zero. Outputs: positions and velocities. With
// SEPARATE it writes only positions, and neither reads nor writes velocities. Slots stay as they are.
// Needs: substep, Particle, velocity_in, partner_in, Neighbour, contact_with, push_of, contact_effect, Contact.
// Needs: OBSTACLE_PARTNER, probe_obstacles, meet_wall, position_out, position_in, wrap, velocity_out.

struct Gathered {
  push: Vector,
#if !SEPARATE
  velocity: Vector,
  change: Vector,
  partner: u32,
#endif
}

#if OBSTACLES
// The effects of all obstacles on one particle.
struct ObstacleSum {
  deepest: f32,
  overlaps: f32,
  push: Vector,
#if !SEPARATE
  velocity: Vector,
  partner: u32,
  change: Vector,
  // The change of velocity by the obstacle that the particle bounces off.
  bounce: Vector,
#endif
}

#endif
fn reach_squared() -> f32 {
  return substep.diameter_squared;
}

fn begin(particle: Particle) -> Gathered {
  var gathered = Gathered();
#if !SEPARATE
  gathered.velocity = load_vector(velocity_in[particle.slot]);
  if (substep.restitution > 0.0) {
    gathered.partner = partner_in[particle.slot];
  }
#endif
  return gathered;
}

fn visit(gathered: ptr<function, Gathered>, particle: Particle, other: Neighbour) {
  let contact = contact_with(particle, other);
#if HAS_BOXES
  if (!contact.is_contact) {
    return;
  }
#endif
#if VARIABLE_RADII
  let share = contact.share;
#else
  let share = 0.5;
#endif
#if SEPARATE
  (*gathered).push += push_of(share, contact.overlap) * contact.normal;
#else
  let relative = (*gathered).velocity - load_vector(velocity_in[other.slot]);
  let bounces = substep.restitution > 0.0 && (*gathered).partner == other.slot && partner_in[other.slot] == particle.slot;
  let effect = contact_effect(contact.normal, contact.overlap, relative, bounces, share, share);
  (*gathered).push += effect.push;
  (*gathered).change += effect.change;
#endif
}

#if HEAVY
fn merge(gathered: ptr<function, Gathered>, other: Gathered) {
  (*gathered).push += other.push;
#if !SEPARATE
  (*gathered).change += other.change;
#endif
}
#endif

#if OBSTACLES
// The particle takes the whole correction, because the obstacle does not move. The limits on the speed of a push and on
// friction are the same as in a contact with another particle of the same size.
fn meet_obstacle(met: ptr<function, ObstacleSum>, particle: Particle, obstacle: Neighbour, contact: Contact) {
  (*met).deepest = max((*met).deepest, contact.overlap);
  (*met).overlaps += contact.overlap;
#if SEPARATE
  (*met).push += push_of(1.0, contact.overlap) * contact.normal;
#else
  let bounces = substep.restitution > 0.0 && (*met).partner == (OBSTACLE_PARTNER | obstacle.slot);
  let effect = contact_effect(contact.normal, contact.overlap, (*met).velocity, bounces, 1.0, 0.5);
  (*met).push += effect.push;
  if (bounces) {
    (*met).bounce += effect.change;
  } else {
    (*met).change += effect.change;
  }
#endif
}

fn with_obstacles(gathered: Gathered, particle: Particle) -> Gathered {
  var sum = gathered;
  var met = ObstacleSum();
#if !SEPARATE
  met.velocity = gathered.velocity;
  met.partner = gathered.partner;
#endif
  probe_obstacles(&met, particle);
  // Together, obstacles push no farther than the deepest alone would.
  let share = select(1.0, met.deepest / met.overlaps, met.overlaps > met.deepest);
  sum.push += share * met.push;
#if !SEPARATE
  sum.change += share * met.change + met.bounce;
#endif
  return sum;
}
#endif

fn finish(gathered: Gathered, particle: Particle) {
#if OBSTACLES
  let sum = with_obstacles(gathered, particle);
#else
  let sum = gathered;
#endif
  var position = particle.position + sum.push;
#if !SEPARATE
  var velocity = sum.velocity + sum.change;
#endif
#if VARIABLE_RADII
  // The centre stays away from the walls by at least the particle's extent.
#if HAS_BOXES
  let margin = select(Vector(particle.radius), particle.half, particle.half > Vector());
#else
  let margin = Vector(particle.radius);
#endif
  let lower = substep.lower + margin;
  let upper = substep.upper - margin;
#else
  let lower = substep.lower;
  let upper = substep.upper;
#endif
  let outside = any(position < lower) || any(position > upper);
  // Few particles are at a wall. A loop without rounds costs all other particles nothing; a branch might.
  let walls = select(0u, DIMENSIONS, substep.walls != 0u && outside);
#if !SEPARATE
  for (var axis = 0u; axis < walls; axis++) {
    meet_wall(&position, &velocity, axis, lower[axis], 1.0);
    meet_wall(&position, &velocity, axis, upper[axis], -1.0);
  }
#endif
  if (walls > 0u) {
    position = clamp(position, lower, upper);
  }
  position_out[particle.slot] = with_position(position_in[particle.slot], wrap(position));
#if !SEPARATE
  velocity_out[particle.slot] = store_vector(velocity);
#endif
}

// Copies the state of a particle in the quarantine.
fn skip(slot: u32) {
  position_out[slot] = position_in[slot];
#if !SEPARATE
  velocity_out[slot] = velocity_in[slot];
#endif
}
