// The contact law for a particle and obstacles, for resolve.wgsl. Obstacles act after the other contacts, at the
// position to which these have moved the particle. With PUSH_APART, obstacles only push. Twin: meetObstacles in
// src/reference/solve/contact-law.ts.
// Needs: Particle, Neighbour, Contact, push_of, bounces_off_wall, wall_change, bounce_change, Pressing, wrap.
// Needs: probe_obstacles.

// The velocity of a particle, and sums over the obstacles that it overlaps.
struct ObstacleSum {
  deepest: f32,
  overlaps: f32,
  push: Vector,
#if !PUSH_APART
  velocity: Vector,
  restitution: f32,
  // The sum of all changes of velocity without bounces, the sum of their lengths, and the greatest length.
  change: Vector,
  lengths: f32,
  greatest: f32,
  // The same for the bounces off the obstacles with the deepest overlap. If there are any, only these count.
  bounce: Vector,
  bounce_lengths: f32,
  greatest_bounce: f32,
#endif
}

// All obstacles together push no farther than the one with the deepest overlap would alone.
fn push_by_obstacles(met: ObstacleSum) -> Vector {
  return select(1.0, met.deepest / met.overlaps, met.overlaps > met.deepest) * met.push;
}

fn meet_obstacle(met: ptr<function, ObstacleSum>, particle: Particle, obstacle: Neighbour, contact: Contact) {
  let overlap = contact.overlap;
#if !PUSH_APART
  if (overlap > (*met).deepest) {
    (*met).bounce = Vector();
    (*met).bounce_lengths = 0.0;
    (*met).greatest_bounce = 0.0;
  }
  let may_bounce = overlap >= (*met).deepest;
#endif
  (*met).deepest = max((*met).deepest, overlap);
  (*met).overlaps += overlap;
#if PUSH_APART
  (*met).push += push_of(1.0, overlap) * contact.normal;
#else
  (*met).push += (BOUNCE_PUSH * overlap) * contact.normal;
  let approach = dot((*met).velocity, contact.normal);
  let bounces = bounces_off_wall(approach, (*met).restitution);
  if (approach < 0.0 && !bounces) {
    let change = wall_change(overlap, approach);
    (*met).change += change * contact.normal;
    (*met).lengths += change;
    (*met).greatest = max((*met).greatest, change);
  }
  if (bounces && may_bounce) {
    let bounce = bounce_change(approach, 1.0, (*met).restitution);
    (*met).bounce += bounce * contact.normal;
    (*met).bounce_lengths += bounce;
    (*met).greatest_bounce = max((*met).greatest_bounce, bounce);
  }
#endif
}

#if !PUSH_APART
// Lets all obstacles that overlap a particle act like one wall, except for their friction.
fn meet_obstacles(
  pressing: ptr<function, Pressing>,
  position: ptr<function, Vector>,
  velocity: ptr<function, Vector>,
  particle: Particle,
  restitution: f32,
) {
  var met = ObstacleSum();
  met.velocity = *velocity;
  met.restitution = restitution;
  var moved = particle;
  moved.position = wrap(*position);
  probe_obstacles(&met, moved);
  *position += push_by_obstacles(met);
  let bounces = met.greatest_bounce > 0.0;
  let total = select(met.change, met.bounce, bounces);
  let size = sqrt(dot(total, total));
  if (!(size > 0.0)) {
    return;
  }
  let up = total / size;
  let turn = select(met.lengths, met.bounce_lengths, bounces) / size;
  let approach = dot(*velocity, up);
  let most = bounce_change(approach, 1.0, select(0.0, restitution, bounces));
  let change = min(select(met.greatest, met.greatest_bounce, bounces) * turn, most);
  (*pressing).sliding = *velocity - approach * up;
  (*pressing).sum = change * turn;
  (*pressing).bounces = bounces;
  *velocity += change * up;
}
#endif
