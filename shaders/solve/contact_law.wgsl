// The contact law; src/core/contact/law.ts states it in words. Twin: src/reference/solve/contact-law.ts, which
// multiplies in the same order.
// Needs: substep.

// The changes of position and velocity that a contact causes on one side.
struct Effect {
  push: Vector,
  change: Vector,
}

// Returns the length of a push. `share` is this side's share of the correction.
fn push_of(share: f32, overlap: f32) -> f32 {
  return share * (2.0 * substep.half_relaxation) * overlap;
}

// Returns the change of the normal velocity in a contact that bounces. `approach` is negative while the sides approach.
fn bounce_change(approach: f32, share: f32, restitution: f32) -> f32 {
  return -share * (1.0 + restitution) * approach;
}

// Returns the change of the normal velocity in a contact that does not bounce. `grip` is this side's share of the
// limits on push speed and on friction.
fn push_change(push_velocity: f32, approach: f32, share: f32, grip: f32) -> f32 {
  let most = 2.0 * substep.push_speed * grip;
  let limit = select(max(most, -share * approach), most, approach > 0.0);
  let kept = select(1.0, 1.0 - substep.restitution, abs(approach) > substep.rest_speed);
  return min(push_velocity, limit) * kept;
}

// Returns the fraction of the sliding velocity that friction removes. `grip` is the largest fraction allowed.
fn friction_share(change: f32, sliding_speed: f32, grip: f32) -> f32 {
  var share = 0.0;
  if (sliding_speed > 0.0) {
    share = min(substep.friction * change, grip * sliding_speed) / sliding_speed;
  }
  return share;
}

// `relative` is the velocity of this side relative to the other. `bounces` is true for a bounce with the partner (see
// partner.wgsl).
fn contact_effect(normal: Vector, overlap: f32, relative: Vector, bounces: bool, share: f32, grip: f32) -> Effect {
  let push = push_of(share, overlap);
  let approach = dot(relative, normal);
  var change = 0.0;
  if (bounces) {
    change = bounce_change(approach, share, substep.restitution);
  } else {
    change = push_change(push * substep.inverse_dt, approach, share, grip);
  }
  let sliding = relative - approach * normal;
  let sliding_speed = sqrt(dot(sliding, sliding));
  let braking = friction_share(change, sliding_speed, 2.0 * substep.grip_share * grip);
  // In a contact that does not bounce, friction also moves the particle back against the sliding.
  let friction_push = select(braking * substep.dt, 0.0, bounces);
  return Effect(push * normal - friction_push * sliding, change * normal - braking * sliding);
}

// Applies one wall, which moves the particle completely back inside in one pass.
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
    change = bounce_change(approach, 1.0, substep.restitution);
  }
  var sliding = *velocity;
  sliding[axis] = 0.0;
  let sliding_speed = sqrt(dot(sliding, sliding));
  let braking = friction_share(change, sliding_speed, 1.0);
  *velocity -= braking * sliding;
  (*velocity)[axis] += inward * change;
  *position -= select(braking * substep.dt, 0.0, bounces) * sliding;
}
