// The contact law for a particle and obstacles in whole numbers, for resolve.wgsl. With PUSH_APART, obstacles only
// push. Twin: ExactObstacles in src/cpu/solver/exact/obstacles.ts.
// Needs: WideSum, Wide, Particle, Neighbour, Contact, MOST_CHANGE, added, shares_of, scaled, substep, dot_with.
// Needs: exact_wall_change, add_low, parts_of, totals_of, ratio_of, Factor, probe_obstacles, length_of, direction_of.
// Needs: share_of, Ending, probe_obstacles_at, exact_wrap, pressure_of, MOST_LOADED, FASTEST, moved_by, within.

#if OBSTACLES
// Sums over the obstacles that a particle overlaps.
struct ObstacleSum {
  deepest: i32,
  // The sum of the overlaps, limited.
  overlaps: i32,
  push: WideSum,
#if !PUSH_APART
  velocity: Lattice,
  // The number of obstacles that the particle approaches without a bounce. The next four members are about these.
  pressing: u32,
  change: WideSum,
  // The sum of the lengths of these changes.
  total: Wide,
  greatest: i32,
  // The normal of the last of these obstacles.
  normal: Lattice,
  // The same for the bounces off the obstacles with the deepest overlap. If there are any, only these count.
  bouncing: u32,
  bounce: WideSum,
  bounce_total: Wide,
  greatest_bounce: i32,
  bounce_normal: Lattice,
#endif
}

fn meet_obstacle(met: ptr<function, ObstacleSum>, particle: Particle, obstacle: Neighbour, contact: Contact) {
  let normal = contact.normal;
  let overlap = contact.overlap;
#if !PUSH_APART
  if (overlap > (*met).deepest) {
    (*met).bouncing = 0u;
    (*met).bounce = WideSum();
    (*met).bounce_total = Wide();
    (*met).greatest_bounce = 0i;
  }
  let may_bounce = overlap >= (*met).deepest;
#endif
  (*met).deepest = max((*met).deepest, overlap);
  (*met).overlaps = min((*met).overlaps + overlap, MOST_CHANGE);
#if PUSH_APART
  (*met).push = added((*met).push, shares_of(scaled(overlap, doubled(substep.exact_relaxation)), normal));
#else
  (*met).push = added((*met).push, shares_of(overlap, normal));
  let approach = dot_with((*met).velocity, normal);
  if (approach >= 0i) {
    return;
  }
  if (substep.restitution > 0.0 && approach < -i32(substep.exact_rest_speed)) {
    if (may_bounce) {
      let bounce = exact_wall_change(overlap, approach, true);
      (*met).bouncing += 1u;
      (*met).bounce = added((*met).bounce, shares_of(bounce, normal));
      (*met).bounce_total = add_low((*met).bounce_total, u32(bounce));
      (*met).greatest_bounce = max((*met).greatest_bounce, bounce);
      (*met).bounce_normal = normal;
    }
    return;
  }
  let change = exact_wall_change(overlap, approach, false);
  (*met).pressing += 1u;
  (*met).change = added((*met).change, shares_of(change, normal));
  (*met).total = add_low((*met).total, u32(change));
  (*met).greatest = max((*met).greatest, change);
  (*met).normal = normal;
#endif
}

// Returns the push by all obstacles. Together they push no farther than the one with the deepest overlap would alone.
fn push_together(met: ObstacleSum) -> Lattice {
  return parts_of(totals_of(met.push, MOST_CHANGE), ratio_of(met.deepest, met.overlaps));
}

#if PUSH_APART
// Returns twice a factor. The factor must be at most 1/2, so that it has at least two bits after the point.
fn doubled(factor: Factor) -> Factor {
  return factor - 65536u;
}

fn pushed_by_obstacles(particle: Particle) -> Lattice {
  var met = ObstacleSum();
  probe_obstacles(&met, particle);
  if (met.overlaps == 0i) {
    return Lattice();
  }
  return push_together(met);
}
#else
// How many leading bits of a sum of changes decide its direction.
const SUM_BITS = 28u;

// Returns how many low bits to cut off a sum.
fn excess_bits(sum: Wide) -> u32 {
  let low = 32u - countLeadingZeros(sum.low);
  let bits = select(64u - countLeadingZeros(u32(sum.high)), low, sum.high == 0i);
  return clamp(bits, SUM_BITS, SUM_BITS + 31u) - SUM_BITS;
}

// Like shift_wide, but `bits` may be 0.
fn cut_off(high: i32, low: u32, bits: u32) -> i32 {
  return i32(((u32(high) << (31u - bits)) << 1u) | (low >> bits));
}

// The common normal of several obstacles.
struct CommonNormal {
  direction: Lattice,
  // The length of the sum of the changes, divided by the sum of their lengths.
  fraction: i32,
}

fn common_normal(change: WideSum, whole: Wide) -> CommonNormal {
  let bits = excess_bits(whole);
  let total = cut_off(whole.high, whole.low, bits);
  var sum = Lattice();
  for (var axis = 0u; axis < DIMENSIONS; axis++) {
    sum[axis] = cut_off(change.high[axis], change.low[axis], bits);
  }
  let size = min(length_of(sum), total);
  if (size == 0i) {
    return CommonNormal(Lattice(), 0i);
  }
  return CommonNormal(direction_of(sum, size), ratio_of(size, total));
}

// `most` is the change that stops or bounces the particle.
fn exact_obstacle_change(greatest: i32, fraction: i32, most: i32) -> i32 {
  let least = share_of(most, fraction);
  if (least <= greatest) {
    return most;
  }
  // This is greatest * ONE / fraction, which is below `most`.
  return share_of(most, ratio_of(greatest, least));
}

// Lets all obstacles act like one wall on a particle that has moved. rub_exactly applies their friction later.
fn meet_obstacles(ending: ptr<function, Ending>, particle: Particle) {
  let velocity = (*ending).velocity;
  var met = ObstacleSum();
  met.velocity = velocity;
  probe_obstacles_at(&met, particle, exact_wrap((*ending).quanta));
  if (met.overlaps == 0i) {
    return;
  }
  var push = push_together(met);
  let bounces = met.bouncing > 0u;
  if (bounces) {
    met.pressing = met.bouncing;
    met.change = met.bounce;
    met.total = met.bounce_total;
    met.greatest = met.greatest_bounce;
    met.normal = met.bounce_normal;
  }
  var normal = met.normal;
  let greatest = met.greatest;
  var change = greatest;
  var pressure = greatest;
  if (met.pressing > 1u) {
    let joint = common_normal(met.change, met.total);
    normal = joint.direction;
    var most = max(0i, -dot_with(velocity, normal));
    if (bounces) {
      most = scaled(most, substep.rebound);
    }
    change = exact_obstacle_change(greatest, joint.fraction, most);
    pressure = pressure_of(change, max(joint.fraction, 1i));
  }
  if (change > 0i) {
    (*ending).pressing = min(pressure, MOST_LOADED);
    (*ending).sliding = velocity - shares_of(dot_with(velocity, normal), normal);
    (*ending).bounces = bounces;
    let turned = clamp(velocity + shares_of(change, normal), Lattice(-FASTEST), Lattice(FASTEST));
    (*ending).velocity = turned;
    if (!bounces) {
      // Replaces the motion in this substep by that of the new velocity, without the part along the normal that the
      // push already has. So a body that one obstacle stops is back where it was before the substep, or farther out
      // if it overlapped the obstacle there.
      let moved = moved_by(turned) - moved_by(velocity);
      let back = dot_with(moved, normal);
      push += moved - shares_of(select(back, min(back, met.deepest), met.overlaps == met.deepest), normal);
    }
  }
  (*ending).quanta = within((*ending).quanta + push);
}
#endif
#endif
