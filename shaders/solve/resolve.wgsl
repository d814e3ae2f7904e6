// One Jacobi pass of the contact law (src/core/contact/settings.ts): every particle gathers what its overlapping
// neighbours do to it, reading only the state before the pass, so no atomics and no order of threads.
// Inputs: sorted state, starts (partners, where restitution is not zero). Outputs: positions and velocities;
// with SEPARATE only positions, and velocities are not touched. Slots stay as they are.

struct Own {
  push: Vector,
#if !SEPARATE
  velocity: Vector,
  change: Vector,
  partner: u32,
#endif
}

@group(1) @binding(0) var<storage, read> position_in: array<PackedBody>;
@group(1) @binding(1) var<storage, read_write> position_out: array<PackedBody>;
@group(1) @binding(2) var<storage, read> start: array<u32>;
@group(1) @binding(3) var<storage, read> cell_of_slot: array<Cell>;
#if !SEPARATE
@group(1) @binding(4) var<storage, read> velocity_in: array<Stored>;
@group(1) @binding(5) var<storage, read_write> velocity_out: array<Stored>;
@group(1) @binding(6) var<storage, read> partner_in: array<u32>;
#endif
#if VARIABLE_RADII
#if SEPARATE
@group(1) @binding(4) var<storage, read> finer: array<u32>;
#else
@group(1) @binding(7) var<storage, read> finer: array<u32>;
#endif
#else
#if HEAVY
#if SEPARATE
@group(1) @binding(4) var<storage, read> crowd: array<u32>;
#else
@group(1) @binding(7) var<storage, read> crowd: array<u32>;
#endif
#endif
#endif

#if OBSTACLES
// What obstacles do to a particle.
struct Met {
  deepest: f32,
  overlaps: f32,
  push: Vector,
#if !SEPARATE
  velocity: Vector,
  partner: u32,
  change: Vector,
  // Of the one it bounces off.
  bounce: Vector,
#endif
}

#endif
fn reach_squared() -> f32 {
  return substep.diameter_squared;
}

fn begin(particle: Particle) -> Own {
  var own = Own();
#if !SEPARATE
  own.velocity = load_vector(velocity_in[particle.slot]);
  if (substep.restitution > 0.0) {
    own.partner = partner_in[particle.slot];
  }
#endif
  return own;
}

fn visit(own: ptr<function, Own>, particle: Particle, other: Neighbour) {
  let contact = contact_with(particle, other);
#if HAS_BOXES
  if (!contact.is_contact) {
    return;
  }
#endif
#if VARIABLE_RADII
  let push = contact.share * (2.0 * substep.half_relaxation) * contact.overlap;
#else
  let push = substep.half_relaxation * contact.overlap;
#endif
#if SEPARATE
  (*own).push += push * contact.normal;
#else
#if VARIABLE_RADII
  let share = contact.share;
  let grip_share = 2.0 * substep.grip_share * share;
  let push_speed = 2.0 * substep.push_speed * share;
#else
  let share = 0.5;
  let grip_share = substep.grip_share;
  let push_speed = substep.push_speed;
#endif
  let relative = (*own).velocity - load_vector(velocity_in[other.slot]);
  let approach = dot(relative, contact.normal);
  var change = 0.0;
  var bounces = false;
  if (substep.restitution > 0.0 && (*own).partner == other.slot && partner_in[other.slot] == particle.slot) {
    bounces = true;
    change = -share * (1.0 + substep.restitution) * approach;
  } else {
    let cap = select(max(push_speed, -share * approach), push_speed, approach > 0.0);
    let kept = select(1.0, 1.0 - substep.restitution, abs(approach) > substep.rest_speed);
    change = min(push * substep.inverse_dt, cap) * kept;
  }
  // Friction: up to a share of the sliding, no more than the normal change allows.
  let sliding = relative - approach * contact.normal;
  let sliding_speed = sqrt(dot(sliding, sliding));
  var braking = 0.0;
  if (sliding_speed > 0.0) {
    braking = min(substep.friction * change, grip_share * sliding_speed) / sliding_speed;
  }
  (*own).change += change * contact.normal - braking * sliding;
  // A contact that bears also holds its place; one that bounces only changes course.
  let held = select(braking * substep.dt, 0.0, bounces);
  (*own).push += push * contact.normal - held * sliding;
#endif
}

#if HEAVY
fn merge(own: ptr<function, Own>, other: Own) {
  (*own).push += other.push;
#if !SEPARATE
  (*own).change += other.change;
#endif
}
#endif

#if OBSTACLES
// As visit, with what both sides would do done by one.
fn meet_obstacle(met: ptr<function, Met>, particle: Particle, obstacle: Neighbour, contact: Contact) {
  let push = 2.0 * substep.half_relaxation * contact.overlap;
  (*met).deepest = max((*met).deepest, contact.overlap);
  (*met).overlaps += contact.overlap;
#if SEPARATE
  (*met).push += push * contact.normal;
#else
  let velocity = (*met).velocity;
  let approach = dot(velocity, contact.normal);
  let bounces = substep.restitution > 0.0 && (*met).partner == (OBSTACLE_PARTNER | obstacle.slot);
  var change = 0.0;
  if (bounces) {
    change = -(1.0 + substep.restitution) * approach;
  } else {
    let cap = select(max(substep.push_speed, -approach), substep.push_speed, approach > 0.0);
    let kept = select(1.0, 1.0 - substep.restitution, abs(approach) > substep.rest_speed);
    change = min(push * substep.inverse_dt, cap) * kept;
  }
  let sliding = velocity - approach * contact.normal;
  let sliding_speed = sqrt(dot(sliding, sliding));
  var braking = 0.0;
  if (sliding_speed > 0.0) {
    braking = min(substep.friction * change, substep.grip_share * sliding_speed) / sliding_speed;
  }
  let effect = change * contact.normal - braking * sliding;
  let held = select(braking * substep.dt, 0.0, bounces);
  (*met).push += push * contact.normal - held * sliding;
  if (bounces) {
    (*met).bounce += effect;
  } else {
    (*met).change += effect;
  }
#endif
}

fn with_obstacles(gathered: Own, particle: Particle) -> Own {
  var own = gathered;
  var met = Met();
#if !SEPARATE
  met.velocity = own.velocity;
  met.partner = own.partner;
#endif
  probe_obstacles(&met, particle);
  // Together they push no farther than the deepest would.
  let share = select(1.0, met.deepest / met.overlaps, met.overlaps > met.deepest);
  own.push += share * met.push;
#if !SEPARATE
  own.change += share * met.change + met.bounce;
#endif
  return own;
}

#endif
#if !SEPARATE
// One wall: position onto it, velocity as against an unmovable particle.
fn meet_wall(
  position: ptr<function, Vector>,
  velocity: ptr<function, Vector>,
  axis: u32,
  limit: f32,
  inward: f32,
) {
  let depth = inward * (limit - (*position)[axis]);
  if (!(depth > 0.0)) {
    return;
  }
  (*position)[axis] = limit;
  let approach = inward * (*velocity)[axis];
  if (!(approach < 0.0)) {
    return;
  }
  let bounces = substep.restitution > 0.0 && approach < -substep.rest_speed;
  var change = min(depth * substep.inverse_dt, -approach);
  if (bounces) {
    change = -(1.0 + substep.restitution) * approach;
  }
  var sliding = *velocity;
  sliding[axis] = 0.0;
  let sliding_speed = sqrt(dot(sliding, sliding));
  var braking = 0.0;
  if (sliding_speed > 0.0) {
    braking = min(substep.friction * change, sliding_speed) / sliding_speed;
  }
  *velocity -= braking * sliding;
  (*velocity)[axis] += inward * change;
  // As between two: one that bounces only changes course.
  *position -= select(braking * substep.dt, 0.0, bounces) * sliding;
}
#endif

#if OBSTACLES
fn finish(gathered: Own, particle: Particle) {
  let own = with_obstacles(gathered, particle);
#else
fn finish(own: Own, particle: Particle) {
#endif
  var position = particle.position + own.push;
#if !SEPARATE
  var velocity = own.velocity + own.change;
#endif
#if VARIABLE_RADII
  // Its own size away from the corners of the box.
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
  // Few particles are at a wall; a loop of no rounds costs the others nothing, where a branch may.
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
  position_out[particle.slot] = with_place(position_in[particle.slot], wrap(position));
#if !SEPARATE
  velocity_out[particle.slot] = store_vector(velocity);
#endif
}

// Handed on as it is.
fn skip(slot: u32) {
  position_out[slot] = position_in[slot];
#if !SEPARATE
  velocity_out[slot] = velocity_in[slot];
#endif
}
