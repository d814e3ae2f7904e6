// Computes an exclusive prefix sum. `reduce` sums blocks of SCAN_BLOCK counts, `spine` scans these sums in one
// workgroup, and `apply` scans each block. `apply` zeroes the counts and `spine` the sums, for the next scan. Arrays
// are padded with zeros to multiples of four.
// Needs: scan, block_sums, block_starts, linear_workgroup, counts, starts.

struct Scan {
  vectors: u32,
  blocks: u32,
}

// `spine` waits for each load, so it reads vectors of four, without atomics.

const VECTORS_PER_THREAD = SCAN_ITEMS / 4u;
const VECTORS_PER_BLOCK = SCAN_BLOCK / 4u;

var<workgroup> thread_sums: array<u32, SCAN_WORKGROUP_SIZE>;

fn sum_of(vector: vec4u) -> u32 {
  return vector.x + vector.y + vector.z + vector.w;
}

fn running_sums(before: u32, counts_of_four: vec4u) -> vec4u {
  let second = before + counts_of_four.x;
  let third = second + counts_of_four.y;
  return vec4u(before, second, third, third + counts_of_four.z);
}

// Returns the sum over lower threads. Executes one barrier.
fn workgroup_prefix(thread: u32, sum: u32) -> u32 {
  thread_sums[thread] = sum;
  workgroupBarrier();
  var prefix = 0u;
  for (var index = 0u; index < thread; index++) {
    prefix += thread_sums[index];
  }
  return prefix;
}

#if SPINE
@compute @workgroup_size(SCAN_WORKGROUP_SIZE)
fn spine(@builtin(local_invocation_index) thread: u32) {
  let vectors = (scan.blocks + 3u) / 4u;
  var total = 0u;
  for (var base = 0u; base < vectors; base += VECTORS_PER_BLOCK) {
    let first = base + thread * VECTORS_PER_THREAD;
    let end = min(first + VECTORS_PER_THREAD, vectors);
    var sum = 0u;
    for (var index = first; index < end; index++) {
      sum += sum_of(block_sums[index]);
    }
    var running = total + workgroup_prefix(thread, sum);
    for (var index = first; index < end; index++) {
      let value = block_sums[index];
      block_starts[index] = running_sums(running, value);
      running += sum_of(value);
      block_sums[index] = vec4u();
    }
    for (var index = 0u; index < SCAN_WORKGROUP_SIZE; index++) {
      total += thread_sums[index];
    }
    // The next round overwrites `thread_sums`.
    workgroupBarrier();
  }
}
#else
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
  for (var index = 0u; index < VECTORS_PER_THREAD; index++) {
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

@compute @workgroup_size(SCAN_WORKGROUP_SIZE)
fn apply(
  @builtin(workgroup_id) workgroup: vec3u,
  @builtin(num_workgroups) workgroups: vec3u,
  @builtin(local_invocation_index) thread: u32,
) {
  let block = linear_workgroup(workgroup, workgroups);
  let first = block * VECTORS_PER_BLOCK + thread * VECTORS_PER_THREAD;
  let end = min(first + VECTORS_PER_THREAD, scan.vectors);
  var sum = 0u;
  for (var index = first; index < end; index++) {
    sum += sum_of(counts[index]);
  }
  var running = workgroup_prefix(thread, sum);
  if (block < scan.blocks) {
    running += block_starts[block];
  }
  // Reads the counts again instead of keeping them, because they are in the nearest cache.
  for (var index = first; index < end; index++) {
    let value = counts[index];
    starts[index] = running_sums(running, value);
    running += sum_of(value);
    counts[index] = vec4u();
  }
}
#endif
