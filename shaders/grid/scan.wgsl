// Computes an exclusive prefix sum. The counts are divided into parts of whole blocks, a workgroup per part. `reduce`
// sums each part. `apply` adds up the sums of all earlier parts, and scans the part. It also zeroes the counts, for the
// next scan. `counts` is padded with zeros to a multiple of four.
// Needs: SCAN_THREADS, linear_workgroup, scan, counts, part_sums, starts.

struct Scan {
  // How many vectors hold all counts, and how many a part has.
  vectors: u32,
  vectors_per_part: u32,
}

var<workgroup> shared_sum: atomic<u32>;

fn sum_of(vector: vec4u) -> u32 {
  return vector.x + vector.y + vector.z + vector.w;
}

// Returns the sum over all threads.
fn sum_over_threads(sum: u32) -> u32 {
  atomicAdd(&shared_sum, sum);
  workgroupBarrier();
  return atomicLoad(&shared_sum);
}

#if REDUCE
@compute @workgroup_size(SCAN_THREADS)
fn reduce(
  @builtin(workgroup_id) workgroup: vec3u,
  @builtin(num_workgroups) workgroups: vec3u,
  @builtin(local_invocation_index) thread: u32,
) {
  let part = linear_workgroup(workgroup, workgroups);
  let end = min((part + 1u) * scan.vectors_per_part, scan.vectors);
  var sum = 0u;
  // Neighbouring threads read neighbouring vectors, which is fastest; order does not matter for a sum.
  for (var vector = part * scan.vectors_per_part + thread; vector < end; vector += SCAN_THREADS) {
    sum += sum_of(counts[vector]);
  }
  let total = sum_over_threads(sum);
  // A large dispatch is folded into two dimensions, so it may have more workgroups than there are parts.
  if (thread == 0u && part < arrayLength(&part_sums)) {
    part_sums[part] = total;
  }
}
#else

fn running_sums(before: u32, counts_of_four: vec4u) -> vec4u {
  let second = before + counts_of_four.x;
  let third = second + counts_of_four.y;
  return vec4u(before, second, third, third + counts_of_four.z);
}

// `scan_part` scans the vectors from `first` to `end`. `before` is the sum of all earlier counts.
#if COALESCED
// GPUs combine accesses of neighbouring threads to neighbouring vectors. So a row of ROW threads shares a row of
// vectors. Each thread reads every ROW-th vector of the row, four in all, and keeps them, so each count is read once.
// A block has ROW rows.
const ROW = 16u;

// Component i is the sum of the thread's i-th vector.
var<workgroup> thread_sums: array<vec4u, SCAN_THREADS>;
var<workgroup> row_sums: array<u32, ROW>;

fn load(vector: u32, end: u32) -> vec4u {
  if (vector < end) {
    return counts[vector];
  }
  return vec4u();
}

fn store(vector: u32, end: u32, before: u32, value: vec4u) {
  if (vector < end) {
    starts[vector] = running_sums(before, value);
    counts[vector] = vec4u();
  }
}

fn scan_part(first: u32, end: u32, before: u32, thread: u32) {
  let row = thread / ROW;
  let column = thread % ROW;
  var start_of_block = before;
  for (var block = first; block < end; block += SCAN_BLOCK / 4u) {
    let vectors = block + row * 4u * ROW + column + ROW * vec4u(0u, 1u, 2u, 3u);
    let a = load(vectors.x, end);
    let b = load(vectors.y, end);
    let c = load(vectors.z, end);
    let d = load(vectors.w, end);
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
    var start_of_row = start_of_block;
    var total = vec4u();
    var prefix = vec4u();
    for (var index = 0u; index < ROW; index++) {
      let row_sum = row_sums[index];
      start_of_row += select(0u, row_sum, index < row);
      start_of_block += row_sum;
      let sums = thread_sums[row * ROW + index];
      total += sums;
      prefix += select(vec4u(), sums, index < column);
    }
    // In a row, the first vectors of all threads come before the second ones, and so on.
    let sums = running_sums(start_of_row, total) + prefix;
    store(vectors.x, end, sums.x, a);
    store(vectors.y, end, sums.y, b);
    store(vectors.z, end, sums.z, c);
    store(vectors.w, end, sums.w, d);
    // Keeps the next round from overwriting sums that other threads still read.
    workgroupBarrier();
  }
}
#else
// Software GPUs run threads one after another, so each thread scans a range of its own, with only one barrier.
var<workgroup> thread_sums: array<u32, SCAN_THREADS>;

fn scan_part(first: u32, end: u32, before: u32, thread: u32) {
  let vectors_per_thread = scan.vectors_per_part / SCAN_THREADS;
  let own_first = first + thread * vectors_per_thread;
  let own_end = min(own_first + vectors_per_thread, end);
  var sum = 0u;
  for (var index = own_first; index < own_end; index++) {
    sum += sum_of(counts[index]);
  }
  thread_sums[thread] = sum;
  workgroupBarrier();
  var running = before;
  for (var index = 0u; index < thread; index++) {
    running += thread_sums[index];
  }
  // Reads the counts again instead of keeping them, because they are in the nearest cache.
  for (var index = own_first; index < own_end; index++) {
    let value = counts[index];
    starts[index] = running_sums(running, value);
    running += sum_of(value);
    counts[index] = vec4u();
  }
}
#endif

@compute @workgroup_size(SCAN_THREADS)
fn apply(
  @builtin(workgroup_id) workgroup: vec3u,
  @builtin(num_workgroups) workgroups: vec3u,
  @builtin(local_invocation_index) thread: u32,
) {
  let part = linear_workgroup(workgroup, workgroups);
  let first = part * scan.vectors_per_part;
  var sum = 0u;
  for (var index = thread; index < min(part, arrayLength(&part_sums)); index += SCAN_THREADS) {
    sum += part_sums[index];
  }
  let before = sum_over_threads(sum);
  scan_part(first, min(first + scan.vectors_per_part, scan.vectors), before, thread);
}
#endif
