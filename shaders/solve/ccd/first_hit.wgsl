// Chooses the first of several hits, and tells which levels and how many cells to search. A hit is a key (time and
// closing speed) and a partner. With VARIABLE_RADII a workgroup follows each path, and its threads share the cells.
// Otherwise one thread follows each path. Linked with impact.wgsl and one of the counters_*.wgsl.
// Needs: OBSTACLE_PARTNER, id_in, is_before, counter_at, block_around, margin_to, position_in.

// Returns the number that breaks ties between partners. It is the id of a particle. For walls and obstacles it is
// greater than any id.
fn tie_rank(partner: u32) -> u32 {
  if (partner < OBSTACLE_PARTNER) {
    return id_in[partner];
  }
  return partner;
}

fn comes_first(hit: vec2u, best: vec2u) -> bool {
  return hit.x < best.x || (hit.x == best.x && tie_rank(hit.y) < tie_rank(best.y));
}

#if VARIABLE_RADII
const THREADS_OF_PATH = HEAVY_WORKGROUP_SIZE;

// The complement of the lowest key that any thread has found. A thread stops once it is past this key.
var<workgroup> known: atomic<u32>;
var<workgroup> found: array<vec2u, HEAVY_WORKGROUP_SIZE>;

fn is_over(best: vec2u, since: f32) -> bool {
  return is_before(min(best.x, ~atomicLoad(&known)), since);
}

fn note_best(best: vec2u) {
  atomicMax(&known, ~best.x);
}

// Returns the first hit that any thread has found. Only the result of the first thread is valid.
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

fn note_best(best: vec2u) {
}

fn first_of_all(best: vec2u, thread: u32) -> vec2u {
  return best;
}

fn path_of(workgroup: u32, thread: u32) -> u32 {
  return workgroup * WORKGROUP_SIZE + thread;
}
#endif

// Returns the index of a thread among those that follow the same path.
fn lane_of(thread: u32) -> u32 {
  return thread % THREADS_OF_PATH;
}

#if VARIABLE_RADII
// Returns the number of cells in which a piece of a path may hit something, on all occupied levels. The counter `word`
// has one bit per occupied level. The result is a float, because a large particle may pass more very small cells than
// 32 bits can count.
fn cells_around(slot: u32, way: Vector, since: f32, to: f32, word: u32, wider: f32) -> f32 {
  var cells = 0.0;
  for (var levels = counter_at(word); levels != 0u; levels &= levels - 1u) {
    let level = countTrailingZeros(levels);
    let block = block_around(slot, way, since, to, level, margin_to(position_in[slot], level, wider));
    let length = Vector(block.length);
    cells += length.x * length.y * select(1.0, length[DIMENSIONS - 1u], DIMENSIONS == 3u);
  }
  return cells;
}

// If a piece may hit something in more cells than this, testing all `count` particles is less work.
fn enough_cells(count: u32) -> f32 {
  return f32(max(count, ENOUGH_CELLS));
}
#endif

// Returns the levels to search, as bits.
fn levels_of(word: u32) -> u32 {
#if VARIABLE_RADII
  return counter_at(word);
#else
  return 1u;
#endif
}
