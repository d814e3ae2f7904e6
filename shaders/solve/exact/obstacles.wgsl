// The contact law for a particle and obstacles in whole numbers, for resolve.wgsl. With PUSH_APART, obstacles only push.
// Twin: ExactObstacles in src/cpu/solver/exact/obstacles.ts.
// Needs: WideSum, Wide, Factor, Particle, Neighbour, Contact, MOST_CHANGE, scaled, substep, added, shares_of, dot_with.
// Needs: OBSTACLE_PARTNER, exact_push_change, exact_free_push, exact_braking, scaled_all, add_low, length_of, ONE.
// Needs: ratio_of, direction_of, Gathered, totals_of, probe_obstacles, parts_of, share_of, total_of.

#if OBSTACLES
// BOUNCE_PUSH = 63488 / 2^16 and SPREADING = 41984 / 2^15 as factors. Twin: packFactor.
const WHOLE_BOUNCE_PUSH = 1112064u;
const WHOLE_SPREADING = 1025024u;

// Sums over the obstacles that a particle overlaps.
struct ObstacleSum {
  deepest: i32,
  // The sum of the overlaps, limited.
  overlaps: i32,
  push: WideSum,
#if !PUSH_APART
  velocity: Lattice,
  partner: u32,
  // The change of velocity by other particles.
  pressed: Lattice,
  // True if any obstacle stops the particle.
  is_stopped: bool,
  change: WideSum,
  support: WideSum,
  bearing: Wide,
  // The change of velocity by the obstacle that the particle bounces off.
  bounce: Lattice,
  // The fastest approach of an obstacle that the particle does not bounce off, at least 0.
  approach: i32,
#endif
}

// For factors of at most 1/2, which have at least two bits after the point.
fn doubled(factor: Factor) -> Factor {
  return factor - 65536u;
}

fn meet_obstacle(met: ptr<function, ObstacleSum>, particle: Particle, obstacle: Neighbour, contact: Contact) {
  let normal = contact.normal;
  let overlap = contact.overlap;
  (*met).deepest = max((*met).deepest, overlap);
  (*met).overlaps = min((*met).overlaps + overlap, MOST_CHANGE);
  let pushed = scaled(overlap, doubled(substep.exact_relaxation));
#if PUSH_APART
  (*met).push = added((*met).push, shares_of(pushed, normal));
#else
  let velocity = (*met).velocity;
  let approach = dot_with(velocity, normal);
  let bounces = substep.restitution > 0.0 && (*met).partner == (OBSTACLE_PARTNER | obstacle.slot);
  let is_impact = approach < -i32(substep.exact_rest_speed)
    && overlap < i32(STOP_SUBSTEPS) * scaled(-approach, substep.exact_dt);
  // Twice the pressure is above the approach. The product might overflow.
  let is_free = dot_with((*met).pressed, normal) > (approach >> 1u);
  let stops = substep.restitution == 0.0 && is_impact && is_free;
  let is_spring = !bounces && !stops;
  let spring = select(scaled(overlap, WHOLE_BOUNCE_PUSH), pushed, is_spring);
  // Twice 2^30 would overflow. The limits of exact_push_change are below both.
  let half_push = min(scaled(min(overlap, i32(substep.most_overlap)), substep.push_rate), MOST_CHANGE - 1i);
  var change = 0i;
  if (is_spring) {
    change = exact_push_change(2i * half_push, approach, approach);
  } else {
    change = scaled(-approach, substep.rebound);
  }
  let moved = scaled(change, substep.exact_dt);
  var push = spring;
  if (is_spring) {
    push = moved + exact_free_push(spring, moved, overlap);
  }
  // Leaves out the velocity that gravity adds in a substep, because static friction acts on it.
  let moving = velocity - bitcast<Lattice>(substep.gain);
  let sliding = moving - shares_of(dot_with(moving, normal), normal);
  let braking = exact_braking(sliding, doubled(substep.exact_grip), change);
  let along = shares_of(change, normal);
  let all = along - braking;
  if (bounces) {
    (*met).bounce = all;
    (*met).push = added((*met).push, shares_of(push, normal));
  } else {
    (*met).push = added((*met).push, shares_of(push, normal) - scaled_all(braking, substep.exact_dt));
    (*met).change = added((*met).change, all);
    (*met).support = added((*met).support, along);
    // Such a change is at least 0.
    (*met).bearing = add_low((*met).bearing, u32(change));
    (*met).is_stopped = (*met).is_stopped || stops;
    (*met).approach = max((*met).approach, -approach);
  }
#endif
}

#if !PUSH_APART
// Returns the fraction of a change that is kept, so that obstacles that stop a particle do not reverse its velocity.
fn stop_fraction(velocity: Lattice, change: Lattice) -> i32 {
  let size = length_of(change);
  if (size == 0i) {
    return ONE;
  }
  return ratio_of(clamp(-dot_with(velocity, direction_of(change, size)), 0i, size), size);
}
#endif

// Adds the effects of obstacles. All of them together push no farther than the one with the deepest overlap would alone.
fn with_obstacles(gathered: Gathered, particle: Particle) -> Gathered {
  var all = gathered;
  var met = ObstacleSum();
#if !PUSH_APART
  met.velocity = gathered.velocity;
  met.partner = gathered.partner;
  met.pressed = totals_of(gathered.sum.change, MOST_CHANGE);
#endif
  probe_obstacles(&met, particle);
  if (met.overlaps == 0i) {
    return all;
  }
  let part = ratio_of(met.deepest, met.overlaps);
  let push = parts_of(totals_of(met.push, MOST_CHANGE), part);
#if PUSH_APART
  all.push = added(all.push, push);
#else
  let change = parts_of(totals_of(met.change, MOST_CHANGE), part);
  let support = parts_of(totals_of(met.support, MOST_CHANGE), part);
  let bearing = share_of(total_of(met.bearing.high, met.bearing.low, MOST_CHANGE), part);
  var stop = ONE;
  if (met.is_stopped) {
    stop = stop_fraction(met.velocity, change);
  }
  let kept = parts_of(change, stop);
  let total = totals_of(added(added(WideSum(), kept), met.bounce), MOST_CHANGE);
  all.sum.change = added(added(all.sum.change, kept), met.bounce);
  // The velocity moves the particle by dt times its change, so `push` gets the rest.
  all.sum.push = added(all.sum.push, push - scaled_all(total, substep.exact_dt));
  all.sum.support = added(all.sum.support, parts_of(support, stop));
  all.sum.bearing = add_low(all.sum.bearing, u32(share_of(bearing, stop)));
  let closing = max(length_of(met.bounce), scaled(met.approach, WHOLE_SPREADING));
  all.sum.closing = max(all.sum.closing, closing);
  all.sum.deepest = max(all.sum.deepest, met.deepest);
#endif
  return all;
}
#endif
