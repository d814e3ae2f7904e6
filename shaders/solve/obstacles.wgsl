// The contact law for a particle and obstacles, for resolve.wgsl. Obstacles act after the other contacts, at the
// position to which these have moved the particle. With PUSH_APART, obstacles only push. Twin: meetObstacles in
// src/reference/solve/contact-law.ts.
// Needs: Particle, Neighbour, Contact, push_of, bounces_off_wall, wall_change, wrap, probe_obstacles, bounce_change.
// Needs: rub.

// The velocity of a particle, and sums over the obstacles that it overlaps.
struct ObstacleSum {
  deepest: f32,
  overlaps: f32,
  push: Vector,
#if !PUSH_APART
  velocity: Vector,
  restitution: f32,
  // The sum of all changes of velocity, the sum of their lengths, and the greatest length.
  change: Vector,
  lengths: f32,
  greatest: f32,
  bounces: bool,
#endif
}

// All obstacles together push no farther than the one with the deepest overlap would alone.
fn push_by_obstacles(met: ObstacleSum) -> Vector {
  return select(1.0, met.deepest / met.overlaps, met.overlaps > met.deepest) * met.push;
}

fn meet_obstacle(met: ptr<function, ObstacleSum>, particle: Particle, obstacle: Neighbour, contact: Contact) {
  let overlap = contact.overlap;
  (*met).deepest = max((*met).deepest, overlap);
  (*met).overlaps += overlap;
#if PUSH_APART
  (*met).push += push_of(1.0, overlap) * contact.normal;
#else
  (*met).push += (BOUNCE_PUSH * overlap) * contact.normal;
  let approach = dot((*met).velocity, contact.normal);
  if (approach < 0.0) {
    let bounces = bounces_off_wall(approach, (*met).restitution);
    let change = wall_change(overlap, approach, bounces, (*met).restitution);
    (*met).change += change * contact.normal;
    (*met).lengths += change;
    (*met).greatest = max((*met).greatest, change);
    (*met).bounces = (*met).bounces || bounces;
  }
#endif
}

#if !PUSH_APART
// Lets all obstacles that overlap a particle act like one wall. Returns the change of velocity along their common normal.
fn meet_obstacles(
  position: ptr<function, Vector>,
  velocity: ptr<function, Vector>,
  particle: Particle,
  restitution: f32,
) -> f32 {
  var met = ObstacleSum();
  met.velocity = *velocity;
  met.restitution = restitution;
  var moved = particle;
  moved.position = wrap(*position);
  probe_obstacles(&met, moved);
  *position += push_by_obstacles(met);
  let size = sqrt(dot(met.change, met.change));
  if (!(size > 0.0)) {
    return 0.0;
  }
  let up = met.change / size;
  let approach = dot(*velocity, up);
  let most = bounce_change(approach, 1.0, select(0.0, restitution, met.bounces));
  let change = min(met.greatest * (met.lengths / size), most);
  rub(position, velocity, *velocity - approach * up, change, met.bounces);
  *velocity += change * up;
  return change;
}
#endif
