// Fast particles put where their paths end, between integrating and the sort: src/core/ccd/law.ts has the law. One kernel a
// step, in this order:
//   begin (a step)                      counters; reset (a substep): what is of a substep only;
//   list      the fast particles, in any order; plan: how many threads the others take, none where nobody is fast;
//   file      each slow particle into the list of its cell, linked: their order is of no matter, since of all hits the
//             first is taken, whichever comes first;
//   still     where each path ends at walls, slow particles and obstacles: a thread a path, or where sizes differ, and a
//             large one passes many cells of small ones, a workgroup, whose threads share the cells and the tree of
//             obstacles; so does meet, the cells;
//   link      the paths into the lists of the cells that they pass;
//   meet      a round: where each path ends, with the ends of the others as they were; next: whether another is needed;
//   claim     whom a slow particle names: the lowest key, then the lowest id;
//   strike    velocities of those that hit; unlink: the lists that paths are in, emptied; land: positions and velocities,
//             in place;
//   sweep     the lists that particles are in, emptied.
// Inputs and outputs: positions (the ends of a substep's motion) and velocities, in any order; ids. Results do not depend
// on the order of particles, nor on that of the atomics.

#if PLAN
// `dispatches` is a separate buffer, because a kernel must not write the buffer that it was dispatched from.

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
  flights[FLIGHT_FARTHEST] = 0u;
  flights[FLIGHT_FAST_LEVELS] = 0u;
  flights[FLIGHT_SLOW_LEVELS] = 0u;
}

// So many workgroups, folded where that is more than one dimension takes.
fn dispatch(word: u32, workgroups: u32) {
  dispatches[word] = min(workgroups, MOST_WORKGROUPS);
  dispatches[word + 1u] = (workgroups + MOST_WORKGROUPS - 1u) / MOST_WORKGROUPS;
  dispatches[word + 2u] = 1u;
}

fn workgroups_of(threads: u32) -> u32 {
  return (threads + WORKGROUP_SIZE - 1u) / WORKGROUP_SIZE;
}

@compute @workgroup_size(LIST_COUNT_WORKGROUP_SIZE)
fn plan() {
  let count = flights[FLIGHT_PATHS];
#if VARIABLE_RADII
  let searches = count;
#else
  let searches = workgroups_of(count);
#endif
  dispatch(PATH_DISPATCH, workgroups_of(count));
  dispatch(STILL_DISPATCH, searches);
  dispatch(ROUND_DISPATCH, searches);
  dispatch(FILE_DISPATCH, select(0u, workgroups_of(grid.count), count > 0u));
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

#if NOTING
#if VARIABLE_RADII
// That somebody is on the level of a body.
fn note_level(word: u32, body: PackedBody) {
  let bit = 1u << level_of_body(body);
  if ((atomicLoad(&flights[word]) & bit) == 0u) {
    atomicOr(&flights[word], bit);
  }
}
#endif
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

#if VARIABLE_RADII
// The threads of a workgroup that follow one path.
const THREADS_OF_PATH = HEAVY_WORKGROUP_SIZE;

// Complement of the lowest key that any has found: what the others may leave out, but need not.
var<workgroup> known: atomic<u32>;
var<workgroup> found: array<vec2u, HEAVY_WORKGROUP_SIZE>;

fn is_over(best: vec2u, since: f32) -> bool {
  return is_before(min(best.x, ~atomicLoad(&known)), since);
}

fn tell(best: vec2u) {
  atomicMax(&known, ~best.x);
}

// Of what all threads have found; the first thread's is to be taken.
fn first_of_all(best: vec2u, thread: u32) -> vec2u {
  found[thread] = best;
  workgroupBarrier();
  var first = best;
  if (thread == 0u) {
    for (var other = 1u; other < HEAVY_WORKGROUP_SIZE; other++) {
      if (comes_first(found[other], first)) {
        first = found[other];
      }
    }
  }
  return first;
}

fn path_of(workgroup: u32, thread: u32) -> u32 {
  return workgroup;
}
#else
const THREADS_OF_PATH = 1u;

fn is_over(best: vec2u, since: f32) -> bool {
  return is_before(best.x, since);
}

fn tell(best: vec2u) {
}

fn first_of_all(best: vec2u, thread: u32) -> vec2u {
  return best;
}

fn path_of(workgroup: u32, thread: u32) -> u32 {
  return workgroup * WORKGROUP_SIZE + thread;
}
#endif

// Which of those that share a path a thread is.
fn turn_of(thread: u32) -> u32 {
  return thread % THREADS_OF_PATH;
}

#if VARIABLE_RADII
// How many cells a piece is to be held against on all levels that anybody is on. In floats, since a large one passes more
// cells of very small ones than 32 bits say.
fn cells_around(slot: u32, way: Vector, since: f32, to: f32, word: u32, wider: f32) -> f32 {
  var cells = 0.0;
  for (var levels = flights_word(word); levels != 0u; levels &= levels - 1u) {
    let level = countTrailingZeros(levels);
    let block = block_around(slot, way, since, to, level, margin_to(position_in[slot], level, wider));
    let length = Vector(block.length);
    cells += length.x * length.y * select(1.0, length[DIMENSIONS - 1u], DIMENSIONS == 3u);
  }
  return cells;
}

// Of more than so many cells it is less work to go over all of `count`.
fn enough_cells(count: u32) -> f32 {
  return f32(max(count, ENOUGH_CELLS));
}
#endif

// The levels to be searched, as bits.
fn levels_of(word: u32) -> u32 {
#if VARIABLE_RADII
  return flights_word(word);
#else
  return 1u;
#endif
}
#endif

#if PATHS
fn path_count() -> u32 {
  return min(flights_word(FLIGHT_PATHS), grid.count);
}

// Of paths that are none, anybody's.
fn slot_of_path(path: u32) -> u32 {
  return min(flights_word(FLIGHT_HEADER + min(path, grid.count - 1u)), grid.count - 1u);
}
#endif

#if LIST

@compute @workgroup_size(WORKGROUP_SIZE)
fn list(
  @builtin(workgroup_id) workgroup: vec3u,
  @builtin(num_workgroups) workgroups: vec3u,
  @builtin(local_invocation_index) thread: u32,
) {
  let slot = linear_workgroup(workgroup, workgroups) * WORKGROUP_SIZE + thread;
  if (slot >= grid.count || !is_live(position_in[slot])) {
    return;
  }
  let way = way_of(slot);
  let body = position_in[slot];
  if (is_fast(way, body)) {
    let path = atomicAdd(&flights[FLIGHT_PATHS], 1u);
    atomicStore(&flights[FLIGHT_HEADER + path], slot);
#if VARIABLE_RADII
    note_level(FLIGHT_FAST_LEVELS, body);
#endif
  } else if (is_fast(substep.substeps * way, body) && flights_word(FLIGHT_FIRST) == 1u) {
    atomicAdd(&flights[FLIGHT_SUBSTEPPED], 1u);
  }
}

// For simulations that ask how far, in its own diameters, anybody may move in a step.
@compute @workgroup_size(WORKGROUP_SIZE)
fn farthest(
  @builtin(workgroup_id) workgroup: vec3u,
  @builtin(num_workgroups) workgroups: vec3u,
  @builtin(local_invocation_index) thread: u32,
) {
  let slot = linear_workgroup(workgroup, workgroups) * WORKGROUP_SIZE + thread;
  if (slot >= grid.count || !is_live(position_in[slot])) {
    return;
  }
  let time = substep.dt * substep.substeps;
  let speed = length(load_vector(velocity_in[slot])) + length(substep.gravity) * time;
  let bits = bitcast<u32>(speed * time / sqrt(diameter_squared(position_in[slot])));
  if (bits > flights_word(FLIGHT_FARTHEST)) {
    atomicMax(&flights[FLIGHT_FARTHEST], bits);
  }
}
#endif

#if FILE
// `links`: the first particle of each bucket; the first node of each list of paths; the next after each particle; two words for each
// node: the next after it, and when the path passes there. One more than a slot or a node, or 0.

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
  let body = position_in[slot];
  let bucket = bucket_of(cell_key_source(body), id_in[slot]);
  if (bucket < grid.cell_count && !is_fast(way_of(slot), body)) {
    let next = atomicExchange(&links[bucket], slot + 1u);
    atomicStore(&links[word_of_next(slot)], next);
#if VARIABLE_RADII
    note_level(FLIGHT_SLOW_LEVELS, body);
#endif
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
  let bucket = bucket_of(cell_key_source(position_in[slot]), id_in[slot]);
  if (bucket < grid.cell_count) {
    atomicStore(&links[bucket], 0u);
  }
}
#endif

#if STILL
// `first`, by slot: key and partner.

// Of what both reach, as far as the end of a slow particle can be that comes too near: all, FAST_SHARE, and rounding.
const AROUND_SLOW = 1.25;

fn first_wall(slot: u32, way: Vector, before: vec2u) -> vec2u {
  var best = before;
  let end = place_of(position_in[slot]);
  let lower = substep.lower + margin_of(position_in[slot]);
  let upper = substep.upper - margin_of(position_in[slot]);
  for (var axis = 0u; axis < DIMENSIONS; axis++) {
    let along = way[axis];
    let beyond = select(lower[axis] - end[axis], end[axis] - upper[axis], along > 0.0);
    if (substep.walls != 0u && beyond > 0.0 && along != 0.0) {
      let time = max(0.0, 1.0 - beyond / abs(along));
      let hit = vec2u(key_of_hit(time, abs(along)), WALL_PARTNER + axis);
      best = select(best, hit, comes_first(hit, best));
    }
  }
  return best;
}

// Of the best hit so far and one with a slow particle, where one is at the beginning of a piece.
fn first_with_slow(best: vec2u, body: PackedBody, way: Vector, begin: Vector, since: f32, other: u32) -> vec2u {
  let their_way = way_of(other);
  let apart = minimum_image(begin, place_at(other, their_way, since));
  let hit = vec2u(impact(apart, way - their_way, since, body, position_in[other]), other);
  if (hit.x <= best.x && comes_first(hit, best)) {
    return hit;
  }
  return best;
}

#if OBSTACLES
#if VARIABLE_RADII
// Of the best hit so far and those with obstacles that a piece of a path comes near. Threads that share a path share
// the tree: each walks its own stretch of the nodes. A walk may begin at any of them, since each has the box around all
// below it, and where one above would not have been entered it costs a few nodes.
fn first_with_obstacles(before: vec2u, slot: u32, way: Vector, since: f32, to: f32, turn: u32) -> vec2u {
  let body = position_in[slot];
  let begin = place_at(slot, way, since);
  let end = place_at(slot, way, to);
  let middle = 0.5 * (begin + end);
  // Far out places are rounded by more than a particle's margin.
  let reach = 0.5 * abs(end - begin) + AROUND_SLOW * reach_of(body) + abs(middle) * 0x1p-22f;
  let nodes = branch_count();
  let stretch = (nodes + THREADS_OF_PATH - 1u) / THREADS_OF_PATH;
  let last_node = min(nodes, (turn + 1u) * stretch);
  var best = before;
  var node = turn * stretch;
  while (node < last_node) {
    let branch = branch_at(node);
    let enters = is_entered(branch, middle, reach);
    let last = select(branch.first, branch.end, enters);
    for (var obstacle = branch.first; obstacle < last; obstacle++) {
      let other = obstacle_body(obstacle);
      let apart = minimum_image(begin, place_of(other));
      let key = impact_on_images(apart, way, since, nearness_to_obstacle(body, other));
      let hit = vec2u(key, OBSTACLE_PARTNER | obstacle);
      if (hit.x <= best.x && comes_first(hit, best)) {
        best = hit;
      }
    }
    node = select(branch.skip, node + 1u, enters);
  }
  return best;
}
#endif
#endif

// Where a path ends, as far as one of the threads that share it finds.
fn end_among_slow(slot: u32, turn: u32) -> vec2u {
  let body = position_in[slot];
  let way = way_of(slot);
  let own_level = level_of_body(body);
  let cuts = cuts_of(way, longest_piece(body, f32(PIECE_CELLS)));
  let followed = followed_pieces(cuts);
  var best = first_wall(slot, way, vec2u(key_of_end(followed / cuts), NO_PARTNER));
  for (var piece = 0u; piece < u32(followed); piece++) {
    let since = f32(piece) / cuts;
    let to = f32(piece + 1u) / cuts;
    if (is_over(best, since)) {
      break;
    }
    if (is_coarse(block_around(slot, way, since, to, own_level, margin_to(body, own_level, AROUND_SLOW)))) {
      let held = vec2u(key_of_end(since), NO_PARTNER);
      best = select(best, held, held.x < best.x);
      break;
    }
    let begin = place_at(slot, way, since);
#if VARIABLE_RADII
#if OBSTACLES
    best = first_with_obstacles(best, slot, way, since, to, turn);
    tell(best);
#endif
    if (cells_around(slot, way, since, to, FLIGHT_SLOW_LEVELS, AROUND_SLOW) > enough_cells(grid.count)) {
      for (var other = turn; other < grid.count; other += THREADS_OF_PATH) {
        if (is_live(position_in[other]) && !is_fast(way_of(other), position_in[other])) {
          best = first_with_slow(best, body, way, begin, since, other);
        }
      }
      tell(best);
      continue;
    }
#endif
    for (var levels = levels_of(FLIGHT_SLOW_LEVELS); levels != 0u; levels &= levels - 1u) {
      let level = countTrailingZeros(levels);
      let block = block_around(slot, way, since, to, level, margin_to(body, level, AROUND_SLOW));
      let cells = cells_in(block);
      for (var index = turn; index < cells; index += THREADS_OF_PATH) {
        let bucket = bucket_in(block, index);
        var entry = links[bucket];
        // Never more than all, so that not even a broken list holds up the device.
        for (var met = 0u; met < grid.count && entry != 0u; met++) {
          let other = min(entry - 1u, grid.count - 1u);
          best = first_with_slow(best, body, way, begin, since, other);
          entry = links[word_of_next(other)];
        }
#if OBSTACLES
#if !VARIABLE_RADII
        let last = min(obstacle_start(bucket + 1u), OBSTACLE_PARTNER - 1u);
        for (var obstacle = obstacle_start(bucket); obstacle < last; obstacle++) {
          let apart = minimum_image(begin, obstacle_position(obstacle));
          // As large as particles, all of one radius.
          let hit = vec2u(impact(apart, way, since, body, body), OBSTACLE_PARTNER | obstacle);
          if (hit.x <= best.x && comes_first(hit, best)) {
            best = hit;
          }
        }
#endif
#endif
      }
    }
    tell(best);
  }
  return best;
}

#if VARIABLE_RADII
@compute @workgroup_size(HEAVY_WORKGROUP_SIZE)
#else
@compute @workgroup_size(WORKGROUP_SIZE)
#endif
fn still(
  @builtin(workgroup_id) workgroup: vec3u,
  @builtin(num_workgroups) workgroups: vec3u,
  @builtin(local_invocation_index) thread: u32,
) {
  let path = path_of(linear_workgroup(workgroup, workgroups), thread);
  let is_path = path < path_count();
  let slot = slot_of_path(path);
  var best = vec2u(NEVER, NO_PARTNER);
  if (is_path) {
    best = end_among_slow(slot, turn_of(thread));
  }
  let hit = first_of_all(best, thread);
  if (is_path && turn_of(thread) == 0u) {
    first[slot] = hit;
  }
}
#endif

#if LINK

// The cells that a piece of a path passes.
struct Passed {
  block: Block,
  // Nobody flies on: floats are coarser than cells here. But one may rest where the piece begins.
  is_last: bool,
}

fn passed_in(slot: u32, way: Vector, since: f32, to: f32) -> Passed {
  let level = level_of_body(position_in[slot]);
  let block = block_around(slot, way, since, to, level, Vector());
  if (is_coarse(block)) {
    return Passed(block_around(slot, way, since, since, level, Vector()), true);
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
  let cuts = cuts_of(way, longest_piece(position_in[slot], 1.0));
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
  let cuts = cuts_of(way, longest_piece(position_in[slot], 1.0));
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
// `first`, `hits_in` and `hits_out`, by slot: the hit without other fast particles, of the round before, and of this round.

const AROUND_FAST = 1.0;

// Whether one on a piece of its path can be where another is on a piece of its own, which ends at a tick: both fly, or the
// other one rests there.
fn may_meet(window: u32, theirs: u32, end: u32) -> bool {
  let begin = theirs >> 16u;
  let last = theirs & 0xffffu;
  return end >= begin && (window & 0xffffu) >= begin && (end <= last || (window >> 16u) <= last);
}

// The key of the hit when one meets another, from a time on, whose own path ends at a key.
fn meet_fast(slot: u32, way: Vector, since: f32, other: u32, end: u32) -> u32 {
  let body = position_in[slot];
  let their_body = position_in[other];
  let their_way = way_of(other);
  // In the tick in which its path ends, it still flies: else two who meet would each rest in the other's next round.
  if (!is_before(end, since)) {
    let apart = minimum_image(place_at(slot, way, since), place_at(other, their_way, since));
    let key = impact(apart, way - their_way, since, body, their_body);
    if ((key >> CLOSING_BITS) <= (end >> CLOSING_BITS)) {
      return key;
    }
  }
  let until = time_of_key(end);
  if (until >= 1.0) {
    return NEVER;
  }
  let begin = max(since, until);
  let apart = minimum_image(place_at(slot, way, begin), place_at(other, their_way, until));
  return impact(apart, way, begin, body, their_body);
}

fn first_with_fast(best: vec2u, slot: u32, way: Vector, since: f32, other: u32) -> vec2u {
  let hit = vec2u(meet_fast(slot, way, since, other, hits_in[other].x), other);
  if (hit.x <= best.x && comes_first(hit, best)) {
    return hit;
  }
  return best;
}

// Where a path ends, as far as one of the threads that share it finds.
fn end_among_fast(slot: u32, turn: u32) -> vec2u {
  let body = position_in[slot];
  let way = way_of(slot);
  let own_level = level_of_body(body);
  let paths = path_count();
  let room = room_of_path();
  let cuts = cuts_of(way, longest_piece(body, f32(PIECE_CELLS)));
  var best = first[slot];
  for (var piece = 0u; piece < u32(followed_pieces(cuts)); piece++) {
    let since = f32(piece) / cuts;
    let to = f32(piece + 1u) / cuts;
    if (is_over(best, since)) {
      break;
    }
    let window = window_between(since, to);
    if (is_coarse(block_around(slot, way, since, to, own_level, margin_to(body, own_level, AROUND_FAST)))) {
      break;
    }
#if VARIABLE_RADII
    if (cells_around(slot, way, since, to, FLIGHT_FAST_LEVELS, AROUND_FAST) > enough_cells(paths)) {
      for (var path = turn; path < paths; path += THREADS_OF_PATH) {
        let other = slot_of_path(path);
        if (other != slot) {
          best = first_with_fast(best, slot, way, since, other);
        }
      }
      tell(best);
      continue;
    }
#endif
    for (var levels = levels_of(FLIGHT_FAST_LEVELS); levels != 0u; levels &= levels - 1u) {
      let level = countTrailingZeros(levels);
      let block = block_around(slot, way, since, to, level, margin_to(body, level, AROUND_FAST));
      let cells = cells_in(block);
      for (var index = turn; index < cells; index += THREADS_OF_PATH) {
        var entry = links[word_of_list(list_in(block, index))];
        for (var met = 0u; met < arrayLength(&links) && entry != 0u; met++) {
          let node = min(entry - 1u, paths * room - 1u);
          let other = slot_of_path(node / room);
          let word = word_of_node(node);
          entry = links[word];
          let theirs = links[word + 1u];
          if (other != slot && may_meet(window, theirs, hits_in[other].x >> CLOSING_BITS)) {
            // Not before both are on their pieces: on a longer way the nearest image may be another.
            let both_since = max(since, f32(theirs >> 16u) / f32(FLIGHT_TICKS));
            best = first_with_fast(best, slot, way, both_since, other);
          }
        }
      }
    }
    tell(best);
  }
  return best;
}

#if VARIABLE_RADII
@compute @workgroup_size(HEAVY_WORKGROUP_SIZE)
#else
@compute @workgroup_size(WORKGROUP_SIZE)
#endif
fn meet(
  @builtin(workgroup_id) workgroup: vec3u,
  @builtin(num_workgroups) workgroups: vec3u,
  @builtin(local_invocation_index) thread: u32,
) {
  let path = path_of(linear_workgroup(workgroup, workgroups), thread);
  let is_path = path < path_count();
  let slot = slot_of_path(path);
  var best = vec2u(NEVER, NO_PARTNER);
  if (is_path) {
    best = end_among_fast(slot, turn_of(thread));
  }
  let hit = first_of_all(best, thread);
  if (is_path && turn_of(thread) == 0u) {
    let before = hits_in[slot];
    if (any(hit != before)) {
      atomicMin(&flights[FLIGHT_UNSETTLED], min(hit.x, before.x));
    }
    hits_out[slot] = hit;
  }
}
#endif

#if CLAIM
// `claims`, by slot: the lowest key of the hits on a slow particle, and of these the lowest id; as complements, since buffers
// begin with zeros.

// What a path hits that is settled, if that is a slow particle.
fn slow_partner(slot: u32) -> u32 {
  let hit = hits[slot];
  if (hit.x >= flights[FLIGHT_UNSETTLED] || hit.y >= OBSTACLE_PARTNER || is_fast(way_of(hit.y), position_in[hit.y])) {
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

// From the other to the one, of two balls that are `apart`.
fn normal_of_balls(apart: Vector) -> Vector {
  let squared = dot(apart, apart);
  return select(Vector(), apart / sqrt(squared), squared > 0.0);
}

#if HAS_BOXES
fn normal_near(apart: Vector, near: Near) -> Vector {
  if (any(near.sides > Vector())) {
    return gap_at(apart, near).normal;
  }
  return normal_of_balls(apart);
}
#endif

fn normal_of(apart: Vector, body: PackedBody, other: PackedBody) -> Vector {
#if HAS_BOXES
  return normal_near(apart, nearness(body, other));
#else
  return normal_of_balls(apart);
#endif
}

#if OBSTACLES
fn normal_at_obstacle(place: Vector, body: PackedBody, obstacle: u32) -> Vector {
#if VARIABLE_RADII
  let other = obstacle_body(obstacle);
  let apart = minimum_image(place, place_of(other));
#if HAS_BOXES
  return normal_near(apart, nearness_to_obstacle(body, other));
#else
  return normal_of_balls(apart);
#endif
#else
  return normal_of_balls(minimum_image(place, obstacle_position(obstacle)));
#endif
}
#endif

// Of what two do to each other, the part of the first.
fn part_of(body: PackedBody, other: PackedBody) -> f32 {
#if HAS_BOXES
  return mass_share(body.shape.w, other.shape.w);
#else
#if VARIABLE_RADII
  return mass_share(radius_of(body), radius_of(other));
#else
  return 0.5;
#endif
#endif
}

// What a hit does to the velocity of one of two, `part` of what both would do; `grip`: share of the sliding that friction
// may take. Antisymmetric to the bit, of halves. Twin: strike in src/core/ccd/law.ts.
fn effect_of(relative: Vector, normal: Vector, part: f32, grip: f32) -> Vector {
  let approach = dot(relative, normal);
  let kept = select(0.0, substep.restitution, abs(approach) > substep.rest_speed);
  let change = max(0.0, -part * (1.0 + kept) * approach);
  let sliding = relative - approach * normal;
  let braking = friction_share(change, sqrt(dot(sliding, sliding)), grip);
  return change * normal - braking * sliding;
}

// Nothing accelerates whose path has ended, at a time.
fn velocity_at(slot: u32, time: f32) -> Vector {
  return load_vector(velocity_in[slot]) - ((1.0 - time) * substep.dt) * substep.gravity;
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
  let hit = hits[slot];
  let unsettled = flights[FLIGHT_UNSETTLED];
  let velocity = velocity_at(slot, time_of_key(min(hit.x, unsettled)));
  velocity_out[slot] = store_vector(velocity);
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
    // No image is nearer then than the one that it hits: it comes to no two at once.
    let normal = normal_at_obstacle(place_at(slot, way, time), position_in[slot], hit.y - OBSTACLE_PARTNER);
    velocity_out[slot] = store_vector(velocity + effect_of(velocity, normal, 1.0, substep.grip_share));
    return;
  }
#endif
  let partner = min(hit.y, grid.count - 1u);
  let their_way = way_of(partner);
  let body = position_in[slot];
  let their_body = position_in[partner];
  let flies = is_fast(their_way, their_body);
  let theirs = hits[partner];
  let names = theirs.y == slot && theirs.x < unsettled;
  let claimed = claims[2u * partner] == ~hit.x && claims[2u * partner + 1u] == ~id_in[slot];
  if (!select(claimed, names, flies)) {
    return;
  }
  // The same for both, so that what they do to each other is, to the bit.
  let when = select(time, min(time, time_of_key(theirs.x)), flies);
  let apart = minimum_image(place_at(slot, way, when), place_at(partner, their_way, when));
  let normal = normal_of(apart, body, their_body);
  // A slow one goes on.
  let their_velocity = velocity_at(partner, select(1.0, time_of_key(theirs.x), flies));
  let relative = velocity - their_velocity;
  let part = part_of(body, their_body);
  let effect = effect_of(relative, normal, part, 2.0 * part * substep.grip_share);
  velocity_out[slot] = store_vector(velocity + effect);
  if (!flies) {
    let rest = part_of(their_body, body);
    let back = effect_of(relative, normal, rest, 2.0 * rest * substep.grip_share);
    velocity_out[partner] = store_vector(their_velocity - back);
  }
}
#endif

#if LAND
// `struck` holds the velocities after `strike`.

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
      let margin = margin_of(position_in[slot])[axis];
      let limit = select(substep.lower[axis] + margin, substep.upper[axis] - margin, way[axis] > 0.0);
      let gap = limit - place[axis];
      if (gap * gap <= FAST_SQUARED * diameter_squared(position_in[slot])) {
        place[axis] = limit;
      }
    }
    position_in[slot] = with_place(position_in[slot], wrap(place));
  }
  velocity_in[slot] = struck[slot];
}
#endif
