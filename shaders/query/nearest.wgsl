// Finds the k nearest particles of each point within a radius, sorted by distance, then id. Unused entries hold
// NO_PARTNER and an infinite distance. Squared distances are compared as bits, whose order is the same.
// Needs: parameters, Particle, EXPONENT_BITS, Neighbour, id_in, distances_squared, ids.

struct Nearest {
  reach_squared: f32,
  point_count: u32,
  k: u32,
  // 1 if point i is particle i. Then no point finds its own particle.
  without_self: u32,
}

struct Gathered {
  found: u32,
  // The last of k entries: its squared distance, as bits, and its id. A candidate must come before it.
  last_distance: u32,
  last_id: u32,
}

fn reach_squared() -> f32 {
  return parameters.reach_squared;
}

fn is_before(distance: u32, id: u32, other_distance: u32, other_id: u32) -> bool {
  return distance < other_distance || (distance == other_distance && id < other_id);
}

fn begin(point: Particle) -> Gathered {
  return Gathered(0u, EXPONENT_BITS, NO_PARTNER);
}

fn visit(gathered: ptr<function, Gathered>, point: Particle, other: Neighbour) {
  let distance = bitcast<u32>(other.distance_squared);
  // Saves reading the ids of far candidates.
  if (distance > (*gathered).last_distance) {
    return;
  }
  let id = id_in[other.slot];
  let is_self = parameters.without_self != 0u && id == point.slot;
  if (is_self || !is_before(distance, id, (*gathered).last_distance, (*gathered).last_id)) {
    return;
  }
  let first = point.slot * parameters.k;
  var index = first + min((*gathered).found, parameters.k - 1u);
  while (index > first && is_before(distance, id, distances_squared[index - 1u], ids[index - 1u])) {
    distances_squared[index] = distances_squared[index - 1u];
    ids[index] = ids[index - 1u];
    index--;
  }
  distances_squared[index] = distance;
  ids[index] = id;
  (*gathered).found = min((*gathered).found + 1u, parameters.k);
  if ((*gathered).found == parameters.k) {
    (*gathered).last_distance = distances_squared[first + parameters.k - 1u];
    (*gathered).last_id = ids[first + parameters.k - 1u];
  }
}

fn finish(gathered: Gathered, point: Particle) {
  clear_unused(point.slot, gathered.found);
}

fn skip(number: u32) {
  clear_unused(number, 0u);
}

fn clear_unused(number: u32, filled: u32) {
  for (var index = filled; index < parameters.k; index++) {
    ids[number * parameters.k + index] = NO_PARTNER;
    distances_squared[number * parameters.k + index] = EXPONENT_BITS;
  }
}
