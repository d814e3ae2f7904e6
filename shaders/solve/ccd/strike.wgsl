// Computes velocities at the ends of paths, after hits, and the velocities of slow particles that are hit.
// Needs: Near, gap_at, nearness, mass_share, substep, bounce_change, friction_share, velocity_in, hits, counters.
// Needs: time_of_key, velocity_out, way_of, OBSTACLE_PARTNER, normal_at_obstacle, position_at, position_in, grid.
// Needs: is_fast, claims, id_in, minimum_image, linear_workgroup, path_count, slot_of_path.

// Returns the unit vector from the other ball to this one, or 0 if they coincide.
fn normal_of_balls(apart: Vector) -> Vector {
  let squared = dot(apart, apart);
  return select(Vector(), apart / sqrt(squared), squared > 0.0);
}

#if HAS_BOXES
fn normal_near(apart: Vector, near: Near) -> Vector {
  if (any(near.sides > Vector())) {
    return gap_at(apart, near).normal;
  }
  return normal_of_balls(apart);
}
#endif

fn normal_of(apart: Vector, body: PackedBody, other: PackedBody) -> Vector {
#if HAS_BOXES
  return normal_near(apart, nearness(body, other));
#else
  return normal_of_balls(apart);
#endif
}

fn share_between(body: PackedBody, other: PackedBody) -> f32 {
#if HAS_BOXES
  return mass_share(body.shape.w, other.shape.w, 0.0, 0.0);
#elif VARIABLE_RADII
  return mass_share(radius_of(body), radius_of(other), 0.0, 0.0);
#else
  return 0.5;
#endif
}

// Returns the change of velocity by a hit. `part` is the particle's share of the effect, `grip` the share of sliding
// that friction may remove. Twin: strike in src/core/ccd/law.ts.
fn effect_of(relative: Vector, normal: Vector, part: f32, grip: f32) -> Vector {
  let approach = dot(relative, normal);
  let kept = select(0.0, substep.restitution, abs(approach) > substep.rest_speed);
  let change = max(0.0, bounce_change(approach, part, kept));
  let sliding = relative - approach * normal;
  let braking = friction_share(change, sqrt(dot(sliding, sliding)), grip);
  return change * normal - braking * sliding;
}

// Returns the velocity at `time`, without what gravity adds between then and the end of the substep.
fn velocity_at(slot: u32, time: f32) -> Vector {
  return load_vector(velocity_in[slot]) - ((1.0 - time) * substep.dt) * substep.gravity;
}

fn strike_at(slot: u32) {
  let hit = hits[slot];
  let unsettled = counters[CCD_UNSETTLED];
  let velocity = velocity_at(slot, time_of_key(min(hit.x, unsettled)));
  let stored = velocity_in[slot];
  velocity_out[slot] = with_vector(stored, velocity);
  if (hit.x >= unsettled || hit.y == NO_PARTNER) {
    return;
  }
  let way = way_of(slot);
  let time = time_of_key(hit.x);
  if (hit.y >= WALL_PARTNER) {
    let axis = hit.y - WALL_PARTNER;
    var normal = Vector();
    normal[axis] = select(1.0, -1.0, velocity[axis] > 0.0);
    velocity_out[slot] = with_vector(stored, velocity + effect_of(velocity, normal, 1.0, 1.0));
    return;
  }
#if OBSTACLES
  if (hit.y >= OBSTACLE_PARTNER) {
    // At the time of the hit, the image that is hit is the nearest.
    let normal = normal_at_obstacle(position_at(slot, way, time), position_in[slot], hit.y - OBSTACLE_PARTNER);
    velocity_out[slot] = with_vector(stored, velocity + effect_of(velocity, normal, 1.0, substep.grip_share));
    return;
  }
#endif
  let partner = min(hit.y, grid.count - 1u);
  let partner_way = way_of(partner);
  let body = position_in[slot];
  let partner_body = position_in[partner];
  let is_partner_fast = is_fast(partner_way, partner_body);
  let partner_hit = hits[partner];
  let is_mutual = partner_hit.y == slot && partner_hit.x < unsettled;
  let claimed = claims[2u * partner] == ~hit.x && claims[2u * partner + 1u] == ~id_in[slot];
  // Two fast particles bounce only if each hits the other. A slow particle bounces only if this path claimed it.
  if (!select(claimed, is_mutual, is_partner_fast)) {
    return;
  }
  // Two fast particles use the same time, so that with equal masses their changes are exactly opposite.
  let when = select(time, min(time, time_of_key(partner_hit.x)), is_partner_fast);
  let apart = minimum_image(position_at(slot, way, when), position_at(partner, partner_way, when));
  let normal = normal_of(apart, body, partner_body);
  // A slow partner moves on to the end of the substep, so its velocity includes all the gravity of the substep.
  let partner_velocity = velocity_at(partner, select(1.0, time_of_key(partner_hit.x), is_partner_fast));
  let relative = velocity - partner_velocity;
  let part = share_between(body, partner_body);
  let effect = effect_of(relative, normal, part, 2.0 * part * substep.grip_share);
  velocity_out[slot] = with_vector(stored, velocity + effect);
  if (!is_partner_fast) {
    let rest = share_between(partner_body, body);
    let back = effect_of(relative, normal, rest, 2.0 * rest * substep.grip_share);
    velocity_out[partner] = with_vector(velocity_in[partner], partner_velocity - back);
  }
}

@compute @workgroup_size(WORKGROUP_SIZE)
fn strike(
  @builtin(workgroup_id) workgroup: vec3u,
  @builtin(num_workgroups) workgroups: vec3u,
  @builtin(local_invocation_index) thread: u32,
) {
  let stride = workgroups.x * workgroups.y * WORKGROUP_SIZE;
  let thread_index = linear_workgroup(workgroup, workgroups) * WORKGROUP_SIZE + thread;
  for (var path = thread_index; path < path_count(); path += stride) {
    strike_at(slot_of_path(path));
  }
}
