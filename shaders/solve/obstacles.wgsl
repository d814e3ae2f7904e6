// The contact law for a particle and obstacles, for resolve.wgsl. Obstacles act after the other contacts, at the
// position to which these have moved the particle. With PUSH_APART, obstacles only push, at the position before the
// pass. Twin: meetObstacles in src/reference/solve/contact-law.ts.
// Needs: Particle, Neighbour, Contact, push_of, bounces_off_wall, bounce_change, wall_change, Pressing, wrap.
// Needs: probe_obstacles.

#if !PUSH_APART
// Changes of velocity: their sum as vectors, the sum of their lengths, and the greatest length.
struct Changes {
  sum: Vector,
  lengths: f32,
  greatest: f32,
}

fn with_change(changes: Changes, change: f32, normal: Vector) -> Changes {
  return Changes(changes.sum + change * normal, changes.lengths + change, max(changes.greatest, change));
}
#endif

// The velocity of a particle, and sums over the obstacles that it overlaps.
struct ObstacleSum {
  deepest: f32,
  overlaps: f32,
  push: Vector,
#if !PUSH_APART
  velocity: Vector,
  restitution: f32,
  // Changes without bounces.
  stops: Changes,
  // Bounces off the obstacles with the deepest overlap. If there are any, only these count.
  bounces: Changes,
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
    (*met).bounces = Changes();
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
  if (bounces_off_wall(approach, (*met).restitution)) {
    if (may_bounce) {
      let change = bounce_change(approach, 1.0, (*met).restitution);
      (*met).bounces = with_change((*met).bounces, change, contact.normal);
    }
  } else if (approach < 0.0) {
    (*met).stops = with_change((*met).stops, wall_change(overlap, approach), contact.normal);
  }
#endif
}

#if !PUSH_APART
// Lets all obstacles that overlap a particle act like one wall. `rub` applies their friction later.
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
  let bounces = met.bounces.greatest > 0.0;
  var changes = met.stops;
  if (bounces) {
    changes = met.bounces;
  }
  let size = sqrt(dot(changes.sum, changes.sum));
  if (!(size > 0.0)) {
    return;
  }
  let up = changes.sum / size;
  let turn = changes.lengths / size;
  let approach = dot(*velocity, up);
  let most = bounce_change(approach, 1.0, select(0.0, restitution, bounces));
  let change = min(changes.greatest * turn, most);
  (*pressing).sliding = *velocity - approach * up;
  (*pressing).sum = change * turn;
  (*pressing).bounces = bounces;
  *velocity += change * up;
}
#endif
