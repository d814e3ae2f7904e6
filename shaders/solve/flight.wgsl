// Fast particles put where their paths end, between integrating and the sort: src/core/flight.ts has the law. One kernel a
// step, in this order:
//   begin (a step)                      counters; reset (a substep): what is of a substep only;
//   list      the fast particles, in any order; plan: how many threads the others take, none where nobody is fast;
//   file      each slow particle into the list of its cell, linked: their order is of no matter, since of all hits the
//             first is taken, whichever comes first;
//   still     where each path ends at walls, slow particles and obstacles;
//   link      the paths into the lists of the cells that they pass;
//   meet      a round: where each path ends, with the ends of the others as they were; next: whether another is needed;
//   claim     whom a slow particle names: the lowest key, then the lowest id;
//   strike    velocities of those that hit; unlink: the lists that paths are in, emptied; land: positions and velocities,
//             in place;
//   sweep     the lists that particles are in, emptied.
// Inputs and outputs: positions (the ends of a substep's motion) and velocities, in any order; ids. Results do not depend
// on the order of particles, nor on that of the atomics.

#if PLAN
@group(1) @binding(0) var<storage, read_write> flights: array<u32>;
// A buffer of their own: what a dispatch takes its arguments from, its kernel must not write.
@group(1) @binding(1) var<storage, read_write> dispatches: array<u32>;

@compute @workgroup_size(LIST_COUNT_WORKGROUP_SIZE)
fn begin() {
  for (var word = FLIGHT_SUBSTEPPED; word < FLIGHT_HEADER; word++) {
    flights[word] = 0u;
  }
  flights[FLIGHT_FIRST] = 1u;
}

@compute @workgroup_size(LIST_COUNT_WORKGROUP_SIZE)
fn reset() {
  flights[FLIGHT_PATHS] = 0u;
  flights[FLIGHT_FASTEST] = 0u;
}

// One workgroup for so many threads, folded where that is more than one dimension takes.
fn dispatch_over(word: u32, threads: u32) {
  let workgroups = (threads + WORKGROUP_SIZE - 1u) / WORKGROUP_SIZE;
  dispatches[word] = min(workgroups, MOST_WORKGROUPS);
  dispatches[word + 1u] = (workgroups + MOST_WORKGROUPS - 1u) / MOST_WORKGROUPS;
  dispatches[word + 2u] = 1u;
}

@compute @workgroup_size(LIST_COUNT_WORKGROUP_SIZE)
fn plan() {
  let count = flights[FLIGHT_PATHS];
  dispatch_over(PATH_DISPATCH, count);
  dispatch_over(ROUND_DISPATCH, count);
  dispatch_over(FILE_DISPATCH, select(0u, grid.count, count > 0u));
  flights[FLIGHT_UNSETTLED] = 0xffffffffu;
  flights[FLIGHT_ALL] += count;
  if (flights[FLIGHT_FIRST] == 1u) {
    flights[FLIGHT_SWEPT] = count;
    flights[FLIGHT_FIRST] = 0u;
  }
}

// Between two rounds. Where nothing changed, nothing will: the buffers of both rounds hold the same then.
@compute @workgroup_size(LIST_COUNT_WORKGROUP_SIZE)
fn next() {
  if (flights[FLIGHT_UNSETTLED] == 0xffffffffu) {
    dispatches[ROUND_DISPATCH] = 0u;
  }
  flights[FLIGHT_UNSETTLED] = 0xffffffffu;
}
#endif

#if FILED
// Where in `links` is what: the buckets, the lists of paths, then what is written before it is read. So the former, which
// are to be zero, are at the same place however many particles there are.
fn word_of_list(list: u32) -> u32 {
  return grid.cell_count + list;
}

fn word_of_next(slot: u32) -> u32 {
  return word_of_list(lists_of_cells()) + slot;
}

fn word_of_node(node: u32) -> u32 {
  return word_of_next(grid.count) + 2u * node;
}
#endif

#if LINKED
// Nodes that each path has.
fn room_of_path() -> u32 {
  return (arrayLength(&links) - word_of_node(0u)) / (2u * path_count());
}

// Pieces of a cell that are in lists: as many as are followed, of more cells each.
fn linked_pieces(cuts: f32) -> u32 {
  return u32(min(cuts, f32(PIECE_CELLS) * followed_pieces(cuts / f32(PIECE_CELLS))));
}

// Ticks from the first to the last in which a piece of a path is flown.
fn window_between(since: f32, until: f32) -> u32 {
  return (u32(since * f32(FLIGHT_TICKS)) << 16u) | u32(min(until, 1.0) * f32(FLIGHT_TICKS));
}
#endif

#if COUNTING
// Where others may be counting too.
fn flights_word(word: u32) -> u32 {
  return atomicLoad(&flights[word]);
}
#endif

#if READING
fn flights_word(word: u32) -> u32 {
  return flights[word];
}
#endif

#if CHOOSING
// What particles are told apart by; of walls and obstacles, more than any id.
fn name_of(partner: u32) -> u32 {
  if (partner < OBSTACLE_PARTNER) {
    return id_in[partner];
  }
  return partner;
}

// Of two hits, a key and a partner each.
fn comes_first(hit: vec2u, best: vec2u) -> bool {
  return hit.x < best.x || (hit.x == best.x && name_of(hit.y) < name_of(best.y));
}
#endif

#if PATHS
fn path_count() -> u32 {
  return min(flights_word(FLIGHT_PATHS), grid.count);
}

fn slot_of_path(path: u32) -> u32 {
  return min(flights_word(FLIGHT_HEADER + path), grid.count - 1u);
}
#endif

#if LIST
@group(1) @binding(0) var<storage, read> position_in: array<Stored>;
@group(1) @binding(1) var<storage, read> velocity_in: array<Stored>;
@group(1) @binding(2) var<storage, read_write> flights: array<atomic<u32>>;

@compute @workgroup_size(WORKGROUP_SIZE)
fn list(
  @builtin(workgroup_id) workgroup: vec3u,
  @builtin(num_workgroups) workgroups: vec3u,
  @builtin(local_invocation_index) thread: u32,
) {
  let slot = linear_workgroup(workgroup, workgroups) * WORKGROUP_SIZE + thread;
  if (slot >= grid.count || !is_finite(load_vector(position_in[slot]))) {
    return;
  }
  let way = way_of(slot);
  if (is_fast(way)) {
    let path = atomicAdd(&flights[FLIGHT_PATHS], 1u);
    atomicStore(&flights[FLIGHT_HEADER + path], slot);
  } else if (is_fast(substep.substeps * way) && flights_word(FLIGHT_FIRST) == 1u) {
    atomicAdd(&flights[FLIGHT_SUBSTEPPED], 1u);
  }
}

// For simulations that ask how fast the fastest is: the square of its speed.
@compute @workgroup_size(WORKGROUP_SIZE)
fn fastest(
  @builtin(workgroup_id) workgroup: vec3u,
  @builtin(num_workgroups) workgroups: vec3u,
  @builtin(local_invocation_index) thread: u32,
) {
  let slot = linear_workgroup(workgroup, workgroups) * WORKGROUP_SIZE + thread;
  if (slot >= grid.count || !is_finite(load_vector(position_in[slot]))) {
    return;
  }
  let speed = load_vector(velocity_in[slot]);
  let bits = bitcast<u32>(dot(speed, speed));
  if (bits > flights_word(FLIGHT_FASTEST)) {
    atomicMax(&flights[FLIGHT_FASTEST], bits);
  }
}
#endif

#if FILE
@group(1) @binding(0) var<storage, read> position_in: array<Stored>;
@group(1) @binding(1) var<storage, read> velocity_in: array<Stored>;
@group(1) @binding(2) var<storage, read> id_in: array<u32>;
// The first particle of each bucket; the first node of each list of paths; the next after each particle; two words for each
// node: the next after it, and when the path passes there. One more than a slot or a node, or 0.
@group(1) @binding(3) var<storage, read_write> links: array<atomic<u32>>;

@compute @workgroup_size(WORKGROUP_SIZE)
fn file(
  @builtin(workgroup_id) workgroup: vec3u,
  @builtin(num_workgroups) workgroups: vec3u,
  @builtin(local_invocation_index) thread: u32,
) {
  let slot = linear_workgroup(workgroup, workgroups) * WORKGROUP_SIZE + thread;
  if (slot >= grid.count) {
    return;
  }
  let bucket = bucket_of(load_vector(position_in[slot]), id_in[slot]);
  if (bucket < grid.cell_count && !is_fast(way_of(slot))) {
    let next = atomicExchange(&links[bucket], slot + 1u);
    atomicStore(&links[word_of_next(slot)], next);
  }
}

// Wherever anybody is: slow ones are where they were filed.
@compute @workgroup_size(WORKGROUP_SIZE)
fn sweep(
  @builtin(workgroup_id) workgroup: vec3u,
  @builtin(num_workgroups) workgroups: vec3u,
  @builtin(local_invocation_index) thread: u32,
) {
  let slot = linear_workgroup(workgroup, workgroups) * WORKGROUP_SIZE + thread;
  if (slot >= grid.count) {
    return;
  }
  let bucket = bucket_of(load_vector(position_in[slot]), id_in[slot]);
  if (bucket < grid.cell_count) {
    atomicStore(&links[bucket], 0u);
  }
}
#endif

#if STILL
@group(1) @binding(0) var<storage, read> position_in: array<Stored>;
@group(1) @binding(1) var<storage, read> velocity_in: array<Stored>;
@group(1) @binding(2) var<storage, read> id_in: array<u32>;
@group(1) @binding(3) var<storage, read> links: array<u32>;
@group(1) @binding(4) var<storage, read> flights: array<u32>;
// By slot: key and partner.
@group(1) @binding(5) var<storage, read_write> first: array<vec2u>;
#if OBSTACLES
@group(1) @binding(6) var<storage, read> obstacles: array<u32>;
#endif

fn first_wall(slot: u32, way: Vector, before: vec2u) -> vec2u {
  var best = before;
  let end = load_vector(position_in[slot]);
  for (var axis = 0u; axis < DIMENSIONS; axis++) {
    let along = way[axis];
    let beyond = select(substep.lower[axis] - end[axis], end[axis] - substep.upper[axis], along > 0.0);
    if (substep.walls != 0u && beyond > 0.0 && along != 0.0) {
      let time = max(0.0, 1.0 - beyond / abs(along));
      let hit = vec2u(key_of_hit(time, abs(along)), WALL_PARTNER + axis);
      best = select(best, hit, comes_first(hit, best));
    }
  }
  return best;
}

@compute @workgroup_size(WORKGROUP_SIZE)
fn still(
  @builtin(workgroup_id) workgroup: vec3u,
  @builtin(num_workgroups) workgroups: vec3u,
  @builtin(local_invocation_index) thread: u32,
) {
  let path = linear_workgroup(workgroup, workgroups) * WORKGROUP_SIZE + thread;
  if (path >= path_count()) {
    return;
  }
  let slot = slot_of_path(path);
  let way = way_of(slot);
  let cuts = cuts_of(way, longest_piece(f32(PIECE_CELLS)));
  let followed = followed_pieces(cuts);
  var best = first_wall(slot, way, vec2u(key_of_end(followed / cuts), NO_PARTNER));
  for (var piece = 0u; piece < u32(followed); piece++) {
    let since = f32(piece) / cuts;
    if (is_before(best.x, since)) {
      break;
    }
    // As far as the end of a slow particle can be that comes too near: NEAR_SHARE, FAST_SHARE and rounding.
    let block = block_around(slot, way, since, f32(piece + 1u) / cuts, 1.25 * substep.diameter);
    if (is_coarse(block)) {
      let held = vec2u(key_of_end(since), NO_PARTNER);
      best = select(best, held, held.x < best.x);
      break;
    }
    let begin = place_at(slot, way, since);
    let cells = cells_in(block);
    for (var index = 0u; index < cells; index++) {
      let bucket = bucket_in(block, index);
      var entry = links[bucket];
      // Never more than all, so that not even a broken list holds up the device.
      for (var met = 0u; met < grid.count && entry != 0u; met++) {
        let other = min(entry - 1u, grid.count - 1u);
        let their_way = way_of(other);
        let apart = separation(begin, place_at(other, their_way, since));
        let hit = vec2u(impact(apart, way - their_way, since), other);
        if (hit.x <= best.x && comes_first(hit, best)) {
          best = hit;
        }
        entry = links[word_of_next(other)];
      }
#if OBSTACLES
      let last = min(obstacle_start(bucket + 1u), OBSTACLE_PARTNER - 1u);
      for (var obstacle = obstacle_start(bucket); obstacle < last; obstacle++) {
        let apart = separation(begin, obstacle_position(obstacle));
        let hit = vec2u(impact(apart, way, since), OBSTACLE_PARTNER | obstacle);
        if (hit.x <= best.x && comes_first(hit, best)) {
          best = hit;
        }
      }
#endif
    }
  }
  first[slot] = best;
}
#endif

#if LINK
@group(1) @binding(0) var<storage, read> position_in: array<Stored>;
@group(1) @binding(1) var<storage, read> velocity_in: array<Stored>;
@group(1) @binding(2) var<storage, read_write> links: array<atomic<u32>>;
@group(1) @binding(3) var<storage, read> flights: array<u32>;
@group(1) @binding(4) var<storage, read_write> first: array<vec2u>;
@group(1) @binding(5) var<storage, read_write> hits_out: array<vec2u>;

// The cells that a piece of a path passes.
struct Passed {
  block: Block,
  // Nobody flies on: floats are coarser than cells here. But one may rest where the piece begins.
  is_last: bool,
}

fn passed_in(slot: u32, way: Vector, since: f32, to: f32) -> Passed {
  let block = block_around(slot, way, since, to, 0.0);
  if (is_coarse(block)) {
    return Passed(block_around(slot, way, since, since, 0.0), true);
  }
  return Passed(block, false);
}

@compute @workgroup_size(WORKGROUP_SIZE)
fn link(
  @builtin(workgroup_id) workgroup: vec3u,
  @builtin(num_workgroups) workgroups: vec3u,
  @builtin(local_invocation_index) thread: u32,
) {
  let path = linear_workgroup(workgroup, workgroups) * WORKGROUP_SIZE + thread;
  if (path >= path_count()) {
    return;
  }
  let slot = slot_of_path(path);
  let way = way_of(slot);
  let room = room_of_path();
  let cuts = cuts_of(way, longest_piece(1.0));
  var used = 0u;
  for (var piece = 0u; piece < linked_pieces(cuts); piece++) {
    let since = f32(piece) / cuts;
    if (is_before(first[slot].x, since)) {
      break;
    }
    let passed = passed_in(slot, way, since, f32(piece + 1u) / cuts);
    let cells = cells_in(passed.block);
    if (used + cells > room) {
      // Farther than others can know of, it does not fly.
      first[slot] = vec2u(key_of_end(since), NO_PARTNER);
      break;
    }
    for (var index = 0u; index < cells; index++) {
      let node = path * room + used;
      let next = atomicExchange(&links[word_of_list(list_in(passed.block, index))], node + 1u);
      atomicStore(&links[word_of_node(node)], next);
      atomicStore(&links[word_of_node(node) + 1u], window_between(since, f32(piece + 1u) / cuts));
      used++;
    }
    if (passed.is_last) {
      break;
    }
  }
  hits_out[slot] = first[slot];
}

// The same way again.
@compute @workgroup_size(WORKGROUP_SIZE)
fn unlink(
  @builtin(workgroup_id) workgroup: vec3u,
  @builtin(num_workgroups) workgroups: vec3u,
  @builtin(local_invocation_index) thread: u32,
) {
  let path = linear_workgroup(workgroup, workgroups) * WORKGROUP_SIZE + thread;
  if (path >= path_count()) {
    return;
  }
  let slot = slot_of_path(path);
  let way = way_of(slot);
  let cuts = cuts_of(way, longest_piece(1.0));
  for (var piece = 0u; piece < linked_pieces(cuts); piece++) {
    let since = f32(piece) / cuts;
    if (is_before(first[slot].x, since)) {
      break;
    }
    let passed = passed_in(slot, way, since, f32(piece + 1u) / cuts);
    let cells = cells_in(passed.block);
    for (var index = 0u; index < cells; index++) {
      atomicStore(&links[word_of_list(list_in(passed.block, index))], 0u);
    }
    if (passed.is_last) {
      break;
    }
  }
}
#endif

#if MEET
@group(1) @binding(0) var<storage, read> position_in: array<Stored>;
@group(1) @binding(1) var<storage, read> velocity_in: array<Stored>;
@group(1) @binding(2) var<storage, read> id_in: array<u32>;
@group(1) @binding(3) var<storage, read> links: array<u32>;
@group(1) @binding(4) var<storage, read_write> flights: array<atomic<u32>>;
// By slot: as it would be without other fast ones, as the round before has it, and as this one finds it.
@group(1) @binding(5) var<storage, read> first: array<vec2u>;
@group(1) @binding(6) var<storage, read> hits_in: array<vec2u>;
@group(1) @binding(7) var<storage, read_write> hits_out: array<vec2u>;

// Whether one on a piece of its path can be where another is on a piece of its own, which ends at a tick: both fly, or the
// other one rests there.
fn may_meet(window: u32, theirs: u32, end: u32) -> bool {
  let begin = theirs >> 16u;
  let last = theirs & 0xffffu;
  return end >= begin && (window & 0xffffu) >= begin && (end <= last || (window >> 16u) <= last);
}

// The key of the hit when one meets another, from a time on, whose own path ends at a key.
fn meet_fast(slot: u32, way: Vector, since: f32, other: u32, end: u32) -> u32 {
  let their_way = way_of(other);
  // In the tick in which its path ends, it still flies: else two who meet would each rest in the other's next round.
  if (!is_before(end, since)) {
    let apart = separation(place_at(slot, way, since), place_at(other, their_way, since));
    let key = impact(apart, way - their_way, since);
    if ((key >> CLOSING_BITS) <= (end >> CLOSING_BITS)) {
      return key;
    }
  }
  let until = time_of_key(end);
  if (until >= 1.0) {
    return NEVER;
  }
  let begin = max(since, until);
  let apart = separation(place_at(slot, way, begin), place_at(other, their_way, until));
  return impact(apart, way, begin);
}

@compute @workgroup_size(WORKGROUP_SIZE)
fn meet(
  @builtin(workgroup_id) workgroup: vec3u,
  @builtin(num_workgroups) workgroups: vec3u,
  @builtin(local_invocation_index) thread: u32,
) {
  let path = linear_workgroup(workgroup, workgroups) * WORKGROUP_SIZE + thread;
  let paths = path_count();
  if (path >= paths) {
    return;
  }
  let slot = slot_of_path(path);
  let way = way_of(slot);
  let room = room_of_path();
  let cuts = cuts_of(way, longest_piece(f32(PIECE_CELLS)));
  var best = first[slot];
  for (var piece = 0u; piece < u32(followed_pieces(cuts)); piece++) {
    let since = f32(piece) / cuts;
    if (is_before(best.x, since)) {
      break;
    }
    let window = window_between(since, f32(piece + 1u) / cuts);
    let block = block_around(slot, way, since, f32(piece + 1u) / cuts, substep.diameter);
    if (is_coarse(block)) {
      break;
    }
    let cells = cells_in(block);
    for (var index = 0u; index < cells; index++) {
      var entry = links[word_of_list(list_in(block, index))];
      for (var met = 0u; met < arrayLength(&links) && entry != 0u; met++) {
        let node = min(entry - 1u, paths * room - 1u);
        let other = slot_of_path(node / room);
        let word = word_of_node(node);
        entry = links[word];
        let end = hits_in[other].x;
        if (other != slot && may_meet(window, links[word + 1u], end >> CLOSING_BITS)) {
          let hit = vec2u(meet_fast(slot, way, since, other, end), other);
          if (hit.x <= best.x && comes_first(hit, best)) {
            best = hit;
          }
        }
      }
    }
  }
  let before = hits_in[slot];
  if (any(best != before)) {
    atomicMin(&flights[FLIGHT_UNSETTLED], min(best.x, before.x));
  }
  hits_out[slot] = best;
}
#endif

#if CLAIM
@group(1) @binding(0) var<storage, read> position_in: array<Stored>;
@group(1) @binding(1) var<storage, read> velocity_in: array<Stored>;
@group(1) @binding(2) var<storage, read> id_in: array<u32>;
@group(1) @binding(3) var<storage, read> flights: array<u32>;
@group(1) @binding(4) var<storage, read> hits: array<vec2u>;
// By slot: the lowest key of those that hit a slow particle, and of these the lowest id; their complements, since buffers
// begin with zeros.
@group(1) @binding(5) var<storage, read_write> claims: array<atomic<u32>>;

// What a path hits that is settled, if that is a slow particle.
fn slow_partner(slot: u32) -> u32 {
  let hit = hits[slot];
  if (hit.x >= flights[FLIGHT_UNSETTLED] || hit.y >= OBSTACLE_PARTNER || is_fast(way_of(hit.y))) {
    return NO_PARTNER;
  }
  return hit.y;
}

@compute @workgroup_size(WORKGROUP_SIZE)
fn claim_first(
  @builtin(workgroup_id) workgroup: vec3u,
  @builtin(num_workgroups) workgroups: vec3u,
  @builtin(local_invocation_index) thread: u32,
) {
  let path = linear_workgroup(workgroup, workgroups) * WORKGROUP_SIZE + thread;
  if (path >= path_count()) {
    return;
  }
  let slot = slot_of_path(path);
  let partner = slow_partner(slot);
  if (partner != NO_PARTNER) {
    atomicMax(&claims[2u * partner], ~hits[slot].x);
  }
}

@compute @workgroup_size(WORKGROUP_SIZE)
fn claim_lowest(
  @builtin(workgroup_id) workgroup: vec3u,
  @builtin(num_workgroups) workgroups: vec3u,
  @builtin(local_invocation_index) thread: u32,
) {
  let path = linear_workgroup(workgroup, workgroups) * WORKGROUP_SIZE + thread;
  if (path >= path_count()) {
    return;
  }
  let slot = slot_of_path(path);
  let partner = slow_partner(slot);
  if (partner != NO_PARTNER && atomicLoad(&claims[2u * partner]) == ~hits[slot].x) {
    atomicMax(&claims[2u * partner + 1u], ~id_in[slot]);
  }
}
#endif

#if STRIKE
@group(1) @binding(0) var<storage, read> position_in: array<Stored>;
@group(1) @binding(1) var<storage, read> velocity_in: array<Stored>;
@group(1) @binding(2) var<storage, read> id_in: array<u32>;
@group(1) @binding(3) var<storage, read> flights: array<u32>;
@group(1) @binding(4) var<storage, read> hits: array<vec2u>;
@group(1) @binding(5) var<storage, read> claims: array<u32>;
@group(1) @binding(6) var<storage, read_write> velocity_out: array<Stored>;
#if OBSTACLES
@group(1) @binding(7) var<storage, read> obstacles: array<u32>;
#endif

// What a hit does to the velocity of one of two, `part` of what both would do; `grip`: share of the sliding that friction
// may take. Antisymmetric to the bit. Twin: strike in src/core/flight.ts.
fn effect_of(relative: Vector, apart: Vector, part: f32, grip: f32) -> Vector {
  let squared = dot(apart, apart);
  let normal = select(Vector(), apart / sqrt(squared), squared > 0.0);
  let approach = dot(relative, normal);
  let kept = select(0.0, substep.restitution, abs(approach) > substep.rest_speed);
  let change = max(0.0, -part * (1.0 + kept) * approach);
  let sliding = relative - approach * normal;
  let sliding_speed = sqrt(dot(sliding, sliding));
  var braking = 0.0;
  if (sliding_speed > 0.0) {
    braking = min(substep.friction * change, grip * sliding_speed) / sliding_speed;
  }
  return change * normal - braking * sliding;
}

@compute @workgroup_size(WORKGROUP_SIZE)
fn strike(
  @builtin(workgroup_id) workgroup: vec3u,
  @builtin(num_workgroups) workgroups: vec3u,
  @builtin(local_invocation_index) thread: u32,
) {
  let path = linear_workgroup(workgroup, workgroups) * WORKGROUP_SIZE + thread;
  if (path >= path_count()) {
    return;
  }
  let slot = slot_of_path(path);
  let velocity = load_vector(velocity_in[slot]);
  velocity_out[slot] = velocity_in[slot];
  let hit = hits[slot];
  let unsettled = flights[FLIGHT_UNSETTLED];
  if (hit.x >= unsettled || hit.y == NO_PARTNER) {
    return;
  }
  let way = way_of(slot);
  let time = time_of_key(hit.x);
  if (hit.y >= WALL_PARTNER) {
    let axis = hit.y - WALL_PARTNER;
    var normal = Vector();
    normal[axis] = select(1.0, -1.0, velocity[axis] > 0.0);
    velocity_out[slot] = store_vector(velocity + effect_of(velocity, normal, 1.0, 1.0));
    return;
  }
#if OBSTACLES
  if (hit.y >= OBSTACLE_PARTNER) {
    let apart = separation(place_at(slot, way, time), obstacle_position(hit.y - OBSTACLE_PARTNER));
    velocity_out[slot] = store_vector(velocity + effect_of(velocity, apart, 1.0, substep.grip_share));
    return;
  }
#endif
  let partner = min(hit.y, grid.count - 1u);
  let their_way = way_of(partner);
  let flies = is_fast(their_way);
  let theirs = hits[partner];
  let names = theirs.y == slot && theirs.x < unsettled;
  let claimed = claims[2u * partner] == ~hit.x && claims[2u * partner + 1u] == ~id_in[slot];
  if (!select(claimed, names, flies)) {
    return;
  }
  // The same for both, so that what they do to each other is, to the bit.
  let when = select(time, min(time, time_of_key(theirs.x)), flies);
  let apart = separation(place_at(slot, way, when), place_at(partner, their_way, when));
  let their_velocity = load_vector(velocity_in[partner]);
  let effect = effect_of(velocity - their_velocity, apart, 0.5, substep.grip_share);
  velocity_out[slot] = store_vector(velocity + effect);
  if (!flies) {
    velocity_out[partner] = store_vector(their_velocity - effect);
  }
}
#endif

#if LAND
@group(1) @binding(0) var<storage, read_write> position_in: array<Stored>;
@group(1) @binding(1) var<storage, read_write> velocity_in: array<Stored>;
@group(1) @binding(2) var<storage, read> id_in: array<u32>;
@group(1) @binding(3) var<storage, read_write> flights: array<atomic<u32>>;
@group(1) @binding(4) var<storage, read> hits: array<vec2u>;
@group(1) @binding(5) var<storage, read_write> claims: array<atomic<u32>>;
// What strike made of the velocities.
@group(1) @binding(6) var<storage, read> struck: array<Stored>;

@compute @workgroup_size(WORKGROUP_SIZE)
fn land(
  @builtin(workgroup_id) workgroup: vec3u,
  @builtin(num_workgroups) workgroups: vec3u,
  @builtin(local_invocation_index) thread: u32,
) {
  let path = linear_workgroup(workgroup, workgroups) * WORKGROUP_SIZE + thread;
  if (path >= path_count()) {
    return;
  }
  let slot = slot_of_path(path);
  let way = way_of(slot);
  let unsettled = flights_word(FLIGHT_UNSETTLED);
  let hit = hits[slot];
  let is_settled = hit.x < unsettled;
  let time = time_of_key(min(hit.x, unsettled));
  if (is_settled && hit.y != NO_PARTNER) {
    atomicAdd(&flights[FLIGHT_HITS], 1u);
    if (hit.y < OBSTACLE_PARTNER) {
      let partner = hit.y;
      // Slow particles only are claimed, and each by one.
      if (atomicLoad(&claims[2u * partner + 1u]) == ~id_in[slot]) {
        velocity_in[partner] = struck[partner];
        atomicStore(&claims[2u * partner], 0u);
        atomicStore(&claims[2u * partner + 1u], 0u);
      }
    }
  } else if (time < 1.0) {
    atomicAdd(&flights[FLIGHT_HELD], 1u);
  }
  if (time < 1.0) {
    var place = place_at(slot, way, time);
    if (is_settled && hit.y >= WALL_PARTNER && hit.y != NO_PARTNER) {
      let axis = hit.y - WALL_PARTNER;
      let limit = select(substep.lower[axis], substep.upper[axis], way[axis] > 0.0);
      let gap = limit - place[axis];
      if (gap * gap <= FAST_SQUARED * substep.diameter_squared) {
        place[axis] = limit;
      }
    }
    position_in[slot] = store_vector(carried(place));
  }
  velocity_in[slot] = struck[slot];
}
#endif
