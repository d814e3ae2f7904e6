// Runs one Jacobi pass of the contact law: each particle gathers the effects of its neighbours. Reads only the state
// before the pass, so the order of threads does not matter. Partners are read only if restitution is not zero. With
// PUSH_APART, the pass neither reads nor writes velocities.
// Needs: Effect, substep, position_in, velocity_in, Particle, Neighbour, partner_in, contact_with, mass_share, push_of.
// Needs: restitution_of, push_aside, contact_effect, sum_of, ObstacleSum, probe_obstacles, push_by_obstacles.
// Needs: settle, Pressing, meet_obstacles, meet_wall, rub, moving_share, wrap, position_out, load_of, velocity_out.

struct Gathered {
#if PUSH_APART
  push: Vector,
#else
  sum: Effect,
  velocity: Vector,
  partner: u32,
#if VARIABLE_RADII
  load: f32,
#endif
#endif
}

fn reach_squared() -> f32 {
  return substep.diameter_squared;
}

#if VARIABLE_RADII
#if !PUSH_APART
fn load_at(slot: u32) -> f32 {
  return stored_load(position_in[slot], velocity_in[slot]);
}
#endif

fn bulks_of(particle: Particle, other: Neighbour) -> vec2f {
#if HAS_BOXES
  return vec2f(particle.bulk, other.bulk);
#else
  return vec2f(particle.radius, other.radius);
#endif
}
#endif

#if !PUSH_APART
// Returns the `rates` of contact_effect: `depth` per overlap, and `strain` per speed. `load` is the sum of both loads.
fn rates_of(particle: Particle, other: Neighbour, load: f32) -> vec2f {
#if VARIABLE_RADII
  let bulks = bulks_of(particle, other);
  let borne = select(load, 0.0, bulks.x == bulks.y);
  return vec2f(f32(DEEP) / (2.0 * min(particle.radius, other.radius)), substep.strain_rate / (1.0 + borne));
#else
  return vec2f(substep.deep_rate, substep.strain_rate);
#endif
}

fn own_load(gathered: Gathered) -> f32 {
#if VARIABLE_RADII
  return gathered.load;
#else
  return 0.0;
#endif
}
#endif

fn begin(particle: Particle) -> Gathered {
  var gathered = Gathered();
#if !PUSH_APART
  gathered.velocity = load_vector(velocity_in[particle.slot]);
  if (substep.restitution > 0.0) {
    gathered.partner = partner_in[particle.slot];
  }
#if VARIABLE_RADII
  gathered.load = load_at(particle.slot);
#endif
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
  var share = 0.5;
#if PUSH_APART
#if VARIABLE_RADII
  let bulks = bulks_of(particle, other);
  share = mass_share(bulks.x, bulks.y, 0.0, 0.0);
#endif
  (*gathered).push += push_of(share, contact.overlap) * contact.normal;
#else
  let relative = (*gathered).velocity - load_vector(velocity_in[other.slot]);
#if VARIABLE_RADII
  let other_load = load_at(other.slot);
  let load = (*gathered).load + other_load;
  let restitution = restitution_of(load);
#else
  let load = 0.0;
  let restitution = substep.restitution;
#endif
  var bounces = false;
  // A loop instead of a branch, as in contact_effect.
  for (var rounds = u32(restitution > 0.0 && (*gathered).partner == other.slot); rounds > 0u; rounds--) {
    bounces = partner_in[other.slot] == particle.slot;
  }
#if VARIABLE_RADII
  // A bounce keeps momentum, so its shares ignore loads.
  let counted = select(1.0, 0.0, bounces);
  let bulks = bulks_of(particle, other);
  share = mass_share(bulks.x, bulks.y, counted * (*gathered).load, counted * other_load);
#endif
  let rates = rates_of(particle, other, load);
#if VARIABLE_RADII
  let is_aside = !bounces && particle.radius == other.radius;
#else
  let is_aside = !bounces;
#endif
  for (var rounds = u32(is_aside && rates.x * contact.overlap > f32(ASIDE_FROM)); rounds > 0u; rounds--) {
    let sum = particle.position + body_position(position_in[other.slot]);
    (*gathered).sum.push += push_aside(contact.normal, contact.overlap, rates.x, sum);
  }
  let effect = contact_effect(contact.normal, contact.overlap, relative, bounces, restitution, share, rates);
  (*gathered).sum = sum_of((*gathered).sum, effect);
#endif
}

#if HEAVY
fn merge(gathered: ptr<function, Gathered>, other: Gathered) {
#if PUSH_APART
  (*gathered).push += other.push;
#else
  (*gathered).sum = sum_of((*gathered).sum, other.sum);
#endif
}
#endif

fn finish(gathered: Gathered, particle: Particle) {
#if PUSH_APART
  var push = gathered.push;
#if OBSTACLES
  var met = ObstacleSum();
  probe_obstacles(&met, particle);
  push += push_by_obstacles(met);
#endif
  var position = particle.position + push;
#else
  let sum = settle(gathered.sum);
  var position = particle.position + sum.push;
  var velocity = gathered.velocity + sum.change;
  // Computed before obstacles and walls, because it takes fewer registers than its parts.
  let excess = substep.inverse_dt * sum.push - sum.change;
  // Obstacles and walls have no loads.
  let restitution = restitution_of(own_load(gathered));
  var pressing = Pressing(0.0, velocity, false);
#if OBSTACLES
  meet_obstacles(&pressing, &position, &velocity, particle, restitution);
#endif
#endif
#if VARIABLE_RADII
  // A centre stays at least the radius or half extent of its body away from the walls.
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
#if PUSH_APART
  if (substep.walls != 0u && outside) {
    position = clamp(position, lower, upper);
  }
#else
  // For particles away from walls, the loop below has no rounds. A branch instead might take longer.
  let walls = select(0u, DIMENSIONS, substep.walls != 0u && outside);
  for (var axis = 0u; axis < walls; axis++) {
    meet_wall(&pressing, &position, &velocity, axis, lower[axis], 1.0, restitution);
    meet_wall(&pressing, &position, &velocity, axis, upper[axis], -1.0, restitution);
  }
  if (pressing.sum > 0.0) {
    rub(&position, &velocity, pressing);
    // Friction may have moved the particle past a wall.
    if (substep.walls != 0u) {
      position = clamp(position, lower, upper);
    }
  }
  velocity *= moving_share(excess, sum.strain, velocity);
#endif
  let body = with_position(position_in[particle.slot], wrap(position));
#if PUSH_APART
  position_out[particle.slot] = body;
#else
#if VARIABLE_RADII
  let load = load_of(sum.bearing + pressing.sum, velocity - gathered.velocity);
  position_out[particle.slot] = with_load(body, load);
  velocity_out[particle.slot] = stored_with_spare(velocity, load);
#else
  position_out[particle.slot] = body;
  velocity_out[particle.slot] = store_vector(velocity);
#endif
#endif
}

// Copies quarantined and removed particles.
fn skip(slot: u32) {
  position_out[slot] = position_in[slot];
#if !PUSH_APART
  velocity_out[slot] = velocity_in[slot];
#endif
}
