// Chooses the first of several hits, each a key and a partner. Also computes which levels and how many cells to search.
// With VARIABLE_RADII, the threads of a workgroup share the cells around a path; otherwise each path has one thread.
// Needs: OBSTACLE_PARTNER, id_in, is_before, counter_at, block_around, margin_to, position_in.

// Returns the number that breaks ties: the id of a particle; for walls and obstacles, a number greater than any id.
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

// The complement of the lowest key found. A thread stops at pieces later than the lowest key.
var<workgroup> known: atomic<u32>;
var<workgroup> found: array<vec2u, HEAVY_WORKGROUP_SIZE>;

// Forgets the hits on the previous path. Call it before the workgroup turns to another path. The barrier keeps other
// threads from overwriting `found` while the first thread reads it.
fn begin_search(thread: u32) {
  if (thread == 0u) {
    atomicStore(&known, 0u);
  }
  workgroupBarrier();
}

fn is_over(best: vec2u, since: f32) -> bool {
  return is_before(min(best.x, ~atomicLoad(&known)), since);
}

fn note_best(best: vec2u) {
  atomicMax(&known, ~best.x);
}

// Returns the first hit of all threads. Valid in the first thread only.
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

fn path_stride(workgroups: vec3u) -> u32 {
  return workgroups.x * workgroups.y;
}
#else
const THREADS_OF_PATH = 1u;

fn begin_search(thread: u32) {
}

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

fn path_stride(workgroups: vec3u) -> u32 {
  return workgroups.x * workgroups.y * WORKGROUP_SIZE;
}
#endif

fn lane_of(thread: u32) -> u32 {
  return thread % THREADS_OF_PATH;
}

#if VARIABLE_RADII
// Returns the number of cells in which a piece may hit something, on the levels in counter `word`. The number is a
// float, because a large particle may pass more small cells than 32 bits can count.
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

// Returns the number of cells above which testing all `count` particles is less work than searching the cells.
fn enough_cells(count: u32) -> f32 {
  return f32(max(count, ENOUGH_CELLS));
}
#endif

fn levels_of(word: u32) -> u32 {
#if VARIABLE_RADII
  return counter_at(word);
#else
  return 1u;
#endif
}
