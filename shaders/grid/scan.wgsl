// Computes an exclusive prefix sum. `reduce` sums blocks of SCAN_BLOCK counts. `spine` scans these sums in one
// workgroup: its `counts` are the sums, its `starts` the starts of blocks. `apply` scans each block. `spine` and
// `apply` zero the counts that they scan, for the next scan. Arrays are padded with zeros to multiples of four.
// Needs: linear_workgroup, scan, counts, block_sums, starts, block_starts.

struct Scan {
  vectors: u32,
  blocks: u32,
}

const VECTORS_PER_BLOCK = SCAN_BLOCK / 4u;

fn sum_of(vector: vec4u) -> u32 {
  return vector.x + vector.y + vector.z + vector.w;
}

fn running_sums(before: u32, counts_of_four: vec4u) -> vec4u {
  let second = before + counts_of_four.x;
  let third = second + counts_of_four.y;
  return vec4u(before, second, third, third + counts_of_four.z);
}

#if REDUCE
@compute @workgroup_size(SCAN_WORKGROUP_SIZE)
fn reduce(
  @builtin(workgroup_id) workgroup: vec3u,
  @builtin(num_workgroups) workgroups: vec3u,
  @builtin(local_invocation_index) thread: u32,
#if SUBGROUPS
  @builtin(subgroup_invocation_id) lane: u32,
#endif
) {
  let block = linear_workgroup(workgroup, workgroups);
  var sum = 0u;
  // Neighbouring threads read neighbouring vectors, which is fastest; order does not matter for a sum.
  for (var index = 0u; index < SCAN_ITEMS / 4u; index++) {
    let vector = block * VECTORS_PER_BLOCK + index * SCAN_WORKGROUP_SIZE + thread;
    if (vector < scan.vectors) {
      sum += sum_of(counts[vector]);
    }
  }
#if SUBGROUPS
  sum = subgroupAdd(sum);
  if (lane == 0u && block < scan.blocks) {
    atomicAdd(&block_sums[block], sum);
  }
#else
  if (block < scan.blocks) {
    atomicAdd(&block_sums[block], sum);
  }
#endif
}
#else

// The number of vectors to scan.
fn scanned() -> u32 {
#if SPINE
  return (scan.blocks + 3u) / 4u;
#else
  return scan.vectors;
#endif
}

// `scan_block` scans a block. `before` is the sum of all earlier blocks. Returns the sum up to the end of the thread's
// last vector, so the last thread returns the sum up to the end of the block.
#if COALESCED
// GPUs combine accesses of neighbouring threads to neighbouring vectors. So a row of ROW threads shares a row of
// vectors. Each thread reads every ROW-th vector of the row, four in all, and keeps them, so each count is read once.
// The block has ROW rows. A thread adds up at most the sums of ROW rows, and of ROW threads of its own row.
const ROW = 16u;

// Component i is the sum of the thread's i-th vector.
var<workgroup> thread_sums: array<vec4u, SCAN_WORKGROUP_SIZE>;
var<workgroup> row_sums: array<u32, ROW>;

fn load(vector: u32) -> vec4u {
  if (vector < scanned()) {
    return counts[vector];
  }
  return vec4u();
}

fn store(vector: u32, before: u32, value: vec4u) {
  if (vector < scanned()) {
    starts[vector] = running_sums(before, value);
    counts[vector] = vec4u();
  }
}

fn scan_block(block: u32, before: u32, thread: u32) -> u32 {
  let row = thread / ROW;
  let column = thread % ROW;
  let vectors = block * VECTORS_PER_BLOCK + row * 4u * ROW + column + ROW * vec4u(0u, 1u, 2u, 3u);
  let a = load(vectors.x);
  let b = load(vectors.y);
  let c = load(vectors.z);
  let d = load(vectors.w);
  thread_sums[thread] = vec4u(sum_of(a), sum_of(b), sum_of(c), sum_of(d));
  workgroupBarrier();
  if (thread < ROW) {
    var sum = vec4u();
    for (var index = 0u; index < ROW; index++) {
      // Each thread begins at a different column, because all rows begin in the same bank of memory.
      sum += thread_sums[thread * ROW + (index + thread) % ROW];
    }
    row_sums[thread] = sum_of(sum);
  }
  workgroupBarrier();
  var start_of_row = before;
  var total = vec4u();
  var prefix = vec4u();
  for (var index = 0u; index < ROW; index++) {
    start_of_row += select(0u, row_sums[index], index < row);
    let sums = thread_sums[row * ROW + index];
    total += sums;
    prefix += select(vec4u(), sums, index < column);
  }
  // In a row, the first vectors of all threads come before the second ones, and so on.
  let sums = running_sums(start_of_row, total) + prefix;
  store(vectors.x, sums.x, a);
  store(vectors.y, sums.y, b);
  store(vectors.z, sums.z, c);
  store(vectors.w, sums.w, d);
  return sums.w + sum_of(d);
}
#else
// Software GPUs run threads one after another, so each thread scans a range of its own, with only one barrier.
const VECTORS_PER_THREAD = SCAN_ITEMS / 4u;

var<workgroup> thread_sums: array<u32, SCAN_WORKGROUP_SIZE>;

fn scan_block(block: u32, before: u32, thread: u32) -> u32 {
  let first = block * VECTORS_PER_BLOCK + thread * VECTORS_PER_THREAD;
  let end = min(first + VECTORS_PER_THREAD, scanned());
  var sum = 0u;
  for (var index = first; index < end; index++) {
    sum += sum_of(counts[index]);
  }
  thread_sums[thread] = sum;
  workgroupBarrier();
  var running = before;
  for (var index = 0u; index < thread; index++) {
    running += thread_sums[index];
  }
  // Reads the counts again instead of keeping them, because they are in the nearest cache.
  for (var index = first; index < end; index++) {
    let value = counts[index];
    starts[index] = running_sums(running, value);
    running += sum_of(value);
    counts[index] = vec4u();
  }
  return running;
}
#endif

#if SPINE
var<workgroup> scanned_sum: u32;

@compute @workgroup_size(SCAN_WORKGROUP_SIZE)
fn spine(@builtin(local_invocation_index) thread: u32) {
  var before = 0u;
  for (var block = 0u; block * VECTORS_PER_BLOCK < scanned(); block++) {
    let end = scan_block(block, before, thread);
    if (thread == SCAN_WORKGROUP_SIZE - 1u) {
      scanned_sum = end;
    }
    // The barrier also keeps the next round's scan_block from overwriting workgroup arrays that other threads still
    // read.
    workgroupBarrier();
    before = scanned_sum;
  }
}
#else
@compute @workgroup_size(SCAN_WORKGROUP_SIZE)
fn apply(
  @builtin(workgroup_id) workgroup: vec3u,
  @builtin(num_workgroups) workgroups: vec3u,
  @builtin(local_invocation_index) thread: u32,
) {
  let block = linear_workgroup(workgroup, workgroups);
  // A folded dispatch may have more workgroups than blocks.
  var before = 0u;
  if (block < scan.blocks) {
    before = block_starts[block];
  }
  scan_block(block, before, thread);
}
#endif
#endif
