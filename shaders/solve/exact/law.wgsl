// The contact law in whole numbers. Twin: src/core/exact/law.ts, which has the comments.
// Needs: scaled, substep, FASTEST, ONE, ratio_of, shift_rounded, Factor, length_of, scaled_all, shares_of.
// Needs: direction_of, WideSum, ExactContact, dot_with, added, FRACTION_BITS, share_of, parts_of.
// Needs: totals_of.

// BOUNCE_PUSH / 2 = 63488 / 2^17 and SPREADING / 2 = 41984 / 2^16 as factors. Twin: packFactor.
const HALF_BOUNCE_PUSH = 1177600u;
const HALF_SPREADING = 1090560u;

// The greatest number that is multiplied by the coefficient of friction: 2^27.
const MOST_LOADED = 134217728i;
// The limits of a component of the sum of changes (2^30) and of the sum of pushes (2^28).
const MOST_CHANGE = 1073741824i;
const MOST_PUSH = 268435456i;

fn grip_of(change: i32) -> i32 {
  return scaled(min(change, MOST_LOADED), substep.exact_friction);
}

// `parting` is share · approach.
fn exact_push_change(push_velocity: i32, approach: i32, parting: i32) -> i32 {
  let least = max(0i, i32(substep.exact_push_speed) - i32(PARTING) * min(parting, FASTEST / i32(PARTING)));
  let most = select(max(i32(substep.exact_push_speed), -parting), least, parting > 0i);
  let change = min(push_velocity, most);
  return select(change, scaled(change, substep.damping), abs(approach) > i32(substep.exact_rest_speed));
}

// `fraction` must be above 0.
fn pressure_of(change: i32, fraction: i32) -> i32 {
  let whole = change / fraction;
  let pressure = whole * ONE + ratio_of(change % fraction, fraction);
  return select(pressure, MOST_LOADED, whole >= MOST_LOADED / ONE);
}

// Returns the change of the normal velocity at a wall or an obstacle. `approach` is below 0.
fn exact_wall_change(depth: i32, approach: i32, bounces: bool) -> i32 {
  if (bounces) {
    return scaled(-approach, substep.rebound);
  }
  // Adds one quantum to the depth, so that a wall stops a body that gravity pressed into it in this substep.
  return min(scaled(min(depth + 1i, i32(substep.most_depth)), substep.wall_rate), -approach);
}

fn exact_free_push(spring: i32, moved: i32, most: i32) -> i32 {
  return min(shift_rounded(3i * (spring - moved), 1u), most - moved);
}

// Returns the velocity that friction removes: at most `share` of the sliding velocity. `change` is the change of the
// normal velocity.
fn exact_braking(sliding: Lattice, share: Factor, change: i32) -> Lattice {
  let speed = length_of(sliding);
  let most_grip = grip_of(change);
  if (most_grip >= scaled(speed, share)) {
    return scaled_all(sliding, share);
  }
  if (most_grip > 0i) {
    return shares_of(most_grip, direction_of(sliding, speed));
  }
  return Lattice();
}

// Sums over the contacts of a particle.
struct ExactSum {
  change: WideSum,
  push: WideSum,
  // The sum of the changes along normals, over the contacts that do not bounce.
  support: WideSum,
  // The fastest approach among the contacts that do not bounce, at least 0.
  approach: i32,
  // The size of the change by a bounce.
  closing: i32,
  deepest: i32,
  // The greatest speed that a push gives beyond ending the approach, at least 0.
  excess: i32,
}

// Adds a contact that does not bounce.
fn add_push(sum: ptr<function, ExactSum>, contact: ExactContact, relative: Lattice) {
  let normal = contact.normal;
  let overlap = contact.overlap;
  let approach = dot_with(relative, normal);
  let push_velocity = scaled(min(overlap, i32(substep.most_overlap)), substep.push_rate);
  let change = exact_push_change(push_velocity, approach, approach / 2i);
  let along = shares_of(change, normal);
  let braking = exact_braking(relative - shares_of(approach, normal), substep.exact_grip, change);
  (*sum).change = added((*sum).change, along - braking);
  (*sum).support = added((*sum).support, along);
  (*sum).approach = max((*sum).approach, -approach);
  (*sum).deepest = max((*sum).deepest, overlap);
  (*sum).excess = max((*sum).excess, change + min(0i, approach / 2i));
  if (change != push_velocity) {
    let spring = scaled(overlap, substep.exact_relaxation);
    let extra = exact_free_push(spring, scaled(change, substep.exact_dt), overlap / 2i);
    (*sum).push = added((*sum).push, shares_of(extra, normal));
  }
}

fn add_bounce(sum: ptr<function, ExactSum>, contact: ExactContact, relative: Lattice) {
  let normal = contact.normal;
  let approach = dot_with(relative, normal);
  let change = scaled(-approach, substep.half_rebound);
  let braking = exact_braking(relative - shares_of(approach, normal), substep.exact_grip, change);
  let all = shares_of(change, normal) - braking;
  let pushed = scaled(contact.overlap, HALF_BOUNCE_PUSH) - scaled(change, substep.exact_dt);
  (*sum).change = added((*sum).change, all);
  (*sum).push = added((*sum).push, shares_of(pushed, normal) + scaled_all(braking, substep.exact_dt));
  (*sum).closing = length_of(all);
  (*sum).deepest = max((*sum).deepest, contact.overlap);
}

// The changes of a particle's velocity and position in a pass, before obstacles and walls.
struct ExactEffect {
  change: Lattice,
  push: Lattice,
}

// Returns the depth in units of 1 / ONE. A diameter has at least ONE / 2 quanta.
fn depth_of(deepest: i32) -> i32 {
  let bits = substep.quanta_bits;
  let deep = i32(DEEP) * deepest;
  return select(deep << 1u, deep >> (bits - FRACTION_BITS), bits >= FRACTION_BITS);
}

// Returns the strain in units of 1 / ONE.
fn strain_of(excess: i32) -> i32 {
  let most = i32(substep.exact_push_speed);
  // If exact_push_speed is 0, so is the dividend, and the divisor does not matter.
  return i32(STRAIN) * ratio_of(min(excess, most), max(most, 1i));
}

fn kept_by(size: i32, most: i32, beyond: i32) -> i32 {
  if (size <= most || beyond <= ONE) {
    return ONE;
  }
  return ONE - share_of(ratio_of(size - most, size), min(ONE, beyond - ONE));
}

fn held_by_friction(change: Lattice, support: Lattice) -> Lattice {
  let gain = bitcast<Lattice>(substep.gain);
  let size = length_of(support);
  if (size == 0i) {
    return Lattice();
  }
  let direction = direction_of(support, size);
  let weight = dot_with(gain, direction);
  if (weight >= 0i) {
    return Lattice();
  }
  let across = gain - shares_of(weight, direction);
  let slip = length_of(across);
  if (slip == 0i) {
    return Lattice();
  }
  let used = length_of(change - shares_of(dot_with(change, direction), direction));
  let room = grip_of(size) - used;
  if (room <= 0i) {
    return Lattice();
  }
  return parts_of(across, ratio_of(min(room, slip), slip));
}

fn settled_exactly(sum: ExactSum) -> ExactEffect {
  var change = totals_of(sum.change, MOST_CHANGE);
  var support = totals_of(sum.support, MOST_CHANGE);
  var push = totals_of(sum.push, MOST_PUSH);
  let depth = depth_of(sum.deepest);
  let strain = strain_of(sum.excess);
  if (max(depth, strain) > ONE) {
    let closing = max(sum.closing, scaled(sum.approach, HALF_SPREADING));
    let size = length_of(change);
    let kept_if_deep = kept_by(size, max(closing, i32(substep.exact_kick_speed)), depth);
    let kept = min(kept_if_deep, kept_by(size, max(closing / 2i, i32(substep.exact_calm_speed)), strain));
    // The limit acts on the velocity alone.
    push += scaled_all(change, substep.exact_dt);
    change = parts_of(change, kept);
    support = parts_of(support, kept);
    push -= scaled_all(change, substep.exact_dt);
  }
  return ExactEffect(change - held_by_friction(change, support), push);
}
