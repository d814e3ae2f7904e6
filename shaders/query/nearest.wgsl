// The k particles nearest to each point, nearer than a radius: ascending by distance, then by id. Inputs: a fresh
// grid, points. Outputs: k places a point; those that nobody fills hold NO_PARTNER and an infinite distance.
// Distances are kept as their bits, which ascend as floats do where none is negative: infinity then needs no
// arithmetic. What is kept does not depend on the order in which neighbours come.

struct Nearest {
  reach_squared: f32,
  point_count: u32,
  k: u32,
  // 1 where point i is particle i, which is no neighbour of its own.
  without_self: u32,
}

struct Own {
  found: u32,
  // The last place, once all are filled: what a candidate must come before.
  last_distance: u32,
  last_id: u32,
}

fn reach_squared() -> f32 {
  return parameters.reach_squared;
}

fn is_before(distance: u32, id: u32, other_distance: u32, other_id: u32) -> bool {
  return distance < other_distance || (distance == other_distance && id < other_id);
}

fn begin(point: Particle) -> Own {
  return Own(0u, EXPONENT_BITS, NO_PARTNER);
}

fn visit(own: ptr<function, Own>, point: Particle, other: Neighbour) {
  let distance = bitcast<u32>(other.distance_squared);
  // Most candidates go here, before their id is read.
  if (distance > (*own).last_distance) {
    return;
  }
  let id = id_in[other.slot];
  let is_self = parameters.without_self != 0u && id == point.slot;
  if (is_self || !is_before(distance, id, (*own).last_distance, (*own).last_id)) {
    return;
  }
  let first = point.slot * parameters.k;
  var place = first + min((*own).found, parameters.k - 1u);
  while (place > first && is_before(distance, id, distances_squared[place - 1u], ids[place - 1u])) {
    distances_squared[place] = distances_squared[place - 1u];
    ids[place] = ids[place - 1u];
    place--;
  }
  distances_squared[place] = distance;
  ids[place] = id;
  (*own).found = min((*own).found + 1u, parameters.k);
  if ((*own).found == parameters.k) {
    (*own).last_distance = distances_squared[first + parameters.k - 1u];
    (*own).last_id = ids[first + parameters.k - 1u];
  }
}

fn finish(own: Own, point: Particle) {
  leave_empty(point.slot, own.found);
}

fn skip(number: u32) {
  leave_empty(number, 0u);
}

fn leave_empty(number: u32, filled: u32) {
  for (var place = filled; place < parameters.k; place++) {
    ids[number * parameters.k + place] = NO_PARTNER;
    distances_squared[number * parameters.k + place] = EXPONENT_BITS;
  }
}
