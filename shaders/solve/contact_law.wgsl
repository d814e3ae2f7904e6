// The contact law, stated in src/core/contact/law.ts. Twin: src/reference/solve/contact-law.ts, which multiplies in the
// same order.
// Needs: substep.

struct Effect {
  push: Vector,
  change: Vector,
  // The sum of the changes of velocity along normals, over the contacts that do not bounce.
  support: Vector,
#if VARIABLE_RADII
  // The sum of the lengths of these changes.
  bearing: f32,
#endif
  // The maximum over all contacts. A bounce counts as its change of velocity, any other contact as SPREADING times the
  // change that would end its approach.
  closing: f32,
  depth: f32,
  strain: f32,
}

fn sum_of(a: Effect, b: Effect) -> Effect {
  return Effect(
    a.push + b.push,
    a.change + b.change,
    a.support + b.support,
#if VARIABLE_RADII
    a.bearing + b.bearing,
#endif
    max(a.closing, b.closing),
    max(a.depth, b.depth),
    max(a.strain, b.strain),
  );
}

// `share` is this body's share of the correction.
fn push_of(share: f32, overlap: f32) -> f32 {
  return share * (2.0 * substep.half_relaxation) * overlap;
}

// `approach` is negative while the bodies approach.
fn bounce_change(approach: f32, share: f32, restitution: f32) -> f32 {
  return -share * (1.0 + restitution) * approach;
}

// Returns the restitution of a contact. `load` is the sum of the loads of both bodies.
fn restitution_of(load: f32) -> f32 {
  return substep.restitution * max(0.0, 1.0 - load);
}

fn half_change(overlap: f32, approach: f32, restitution: f32) -> f32 {
  let ending = -0.5 * approach;
  let limit = max(max(substep.push_speed + substep.parting * min(ending, 0.0), 0.0), ending);
  let kept = select(1.0, 1.0 - restitution, abs(approach) > substep.rest_speed);
  return min((substep.half_relaxation * overlap) * substep.inverse_dt, limit) * kept;
}

// Returns the fraction of sliding that friction removes, at most `grip`.
fn friction_share(change: f32, sliding_speed: f32, grip: f32) -> f32 {
  var share = 0.0;
  if (sliding_speed > 0.0) {
    share = min(substep.friction * change, grip * sliding_speed) / sliding_speed;
  }
  return share;
}

// `relative`: this body's velocity minus the other body's. `bounces`: true for a bounce with the partner
// (partner.wgsl). `rates`: factors from the overlap to `depth`, and from a speed to `strain`.
fn contact_effect(
  normal: Vector,
  overlap: f32,
  relative: Vector,
  bounces: bool,
  restitution: f32,
  share: f32,
  rates: vec2f,
) -> Effect {
  let approach = dot(relative, normal);
  let spring = push_of(share, overlap);
  let half = half_change(overlap, approach, restitution);
  var change = (2.0 * share) * half;
  // The push gives this much speed beyond ending the approach.
  let excess = select(half + min(0.5 * approach, 0.0), 0.0, bounces);
  var push = min(spring + (FREE_PUSH - 1.0) * (spring - substep.dt * change), share * overlap);
  // Loops instead of branches: bounces are rare, and some adapters run both sides of a branch.
  for (var rounds = u32(bounces); rounds > 0u; rounds--) {
    push = BOUNCE_PUSH * share * overlap;
    change = bounce_change(approach, share, restitution);
  }
  let bearing = select(change, 0.0, bounces);
  let sliding = relative - approach * normal;
  let sliding_speed = sqrt(dot(sliding, sliding));
  let braking = friction_share(change, sliding_speed, 2.0 * substep.grip_share * share);
  // Without a bounce, friction also moves the particle back.
  let friction_push = select(braking * substep.dt, 0.0, bounces);
  let total = change * normal - braking * sliding;
  var closing = -SPREADING * share * approach;
  for (var rounds = u32(bounces); rounds > 0u; rounds--) {
    closing = sqrt(dot(total, total));
  }
  return Effect(
    push * normal - friction_push * sliding,
    total,
    bearing * normal,
#if VARIABLE_RADII
    bearing,
#endif
    closing,
    rates.x * overlap,
    rates.y * excess,
  );
}

// Returns how far a deep contact of particles with the same radius pushes a particle aside, so that rows can part.
// `rate` is DEEP / diameter, `sum` the sum of both positions.
fn push_aside(normal: Vector, overlap: f32, rate: f32, sum: Vector) -> Vector {
  let side = abs(fract((ASIDE_WAVES * rate) * dot(sum, Vector(1.0))) - 0.5) - 0.25;
  return ((rate * overlap - f32(ASIDE_FROM)) * side * push_of(0.5, overlap)) * turned(normal);
}

fn kept_share(size: f32, limit: f32, beyond: f32) -> f32 {
  let limited = clamp(beyond - 1.0, 0.0, 1.0);
  return select(1.0, (1.0 - limited) + limited * (limit / size), size > limit);
}

// If contacts are deep or strained, limits the total change of velocity, and shortens support and bearing by the same
// factor. Then static friction removes the velocity that gravity adds across the support, as far as friction reaches.
fn settle(sum: Effect) -> Effect {
  var settled = sum;
  let size = sqrt(dot(sum.change, sum.change));
  let kept_if_deep = kept_share(size, max(sum.closing, substep.kick_speed), sum.depth);
  let kept = min(kept_if_deep, kept_share(size, max(0.5 * sum.closing, substep.calm_speed), sum.strain));
  settled.change *= kept;
  settled.support *= kept;
#if VARIABLE_RADII
  settled.bearing *= kept;
#endif
  let gain = substep.gravity * substep.dt;
  let support = sqrt(dot(settled.support, settled.support));
  if (support > 0.0 && dot(settled.support, gain) < 0.0) {
    let up = settled.support / support;
    let slip = gain - dot(gain, up) * up;
    let used = settled.change - dot(settled.change, up) * up;
    let speed = sqrt(dot(slip, slip));
    let room = max(0.0, substep.friction * support - sqrt(dot(used, used)));
    // Without slip, the divisor does not matter.
    let held = min(1.0, room / select(1.0, speed, speed > 0.0));
    settled.change -= held * slip;
    settled.push -= (held * substep.dt) * slip;
  }
  return settled;
}

// Returns the factor on the velocity at the end of a pass: if pushes give almost push_speed, a particle loses the share
// of its speed that they take back as motion, but at most calm_speed. `excess` is E of law.ts.
fn moving_share(excess: Vector, strain: f32, velocity: Vector) -> f32 {
  let along = dot(excess, velocity);
  let squared = dot(velocity, velocity);
  let most = min(squared, substep.calm_speed * sqrt(squared));
  // At squares of 0, the divisor does not matter.
  let taken = clamp(-along, 0.0, most) / select(1.0, squared, squared > 0.0);
  return 1.0 - clamp(strain - f32(SATURATED + 1), 0.0, 1.0) * taken;
}

// Returns how much contacts press from opposite sides, in units of the particle's weight. Both arguments include the
// effects of obstacles and walls.
fn load_of(bearing: f32, change: Vector) -> f32 {
  var load = 0.0;
  if (substep.rest_speed > LEAST_REST_SPEED) {
    let spare = max(0.0, LOAD_KEPT * bearing - sqrt(dot(change, change)));
    load = min(f32(MOST_LOAD), f32(REST_LOAD) * spare / substep.rest_speed);
  }
  return load;
}

// Returns the change of the normal velocity at a wall or an obstacle that does not bounce the particle. `approach` is
// below 0.
fn wall_change(depth: f32, approach: f32) -> f32 {
  return min(depth * substep.inverse_dt, -approach);
}

fn bounces_off_wall(approach: f32, restitution: f32) -> bool {
  return restitution > 0.0 && approach < -substep.rest_speed;
}

// How obstacles and walls press on a particle.
struct Pressing {
  // How much they press in all (src/core/contact/law.ts).
  sum: f32,
  // The velocity without its parts along the normals of these obstacles and walls.
  sliding: Vector,
  // True if any of them bounces the particle.
  bounces: bool,
}

// Applies the friction of all obstacles and walls.
fn rub(position: ptr<function, Vector>, velocity: ptr<function, Vector>, pressing: Pressing) {
  let sliding = pressing.sliding;
  let braking = friction_share(pressing.sum, sqrt(dot(sliding, sliding)), 1.0);
  *velocity -= braking * sliding;
  *position -= select(braking * substep.dt, 0.0, pressing.bounces) * sliding;
}

// Moves the particle back inside one wall, and changes its velocity along the wall's normal.
fn meet_wall(
  pressing: ptr<function, Pressing>,
  position: ptr<function, Vector>,
  velocity: ptr<function, Vector>,
  axis: u32,
  limit: f32,
  inward: f32,
  restitution: f32,
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
  let bounces = bounces_off_wall(approach, restitution);
  let change = select(wall_change(depth, approach), bounce_change(approach, 1.0, restitution), bounces);
  (*velocity)[axis] += inward * change;
  (*pressing).sliding[axis] = 0.0;
  (*pressing).sum += change;
  (*pressing).bounces = (*pressing).bounces || bounces;
}
