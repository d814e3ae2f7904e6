// Exclusive prefix sum in three steps: reduce sums blocks of SCAN_BLOCK counts, spine scans those sums in
// one workgroup, apply scans each block from its sum on. Reduce-then-scan needs no forward progress between
// workgroups. apply clears the counts it has read, so the next step starts from zeros without a clear pass.
// Lengths are whole vectors of four: the host pads the buffers, and padding holds zeros.

struct Scan {
  // Counts divided by four, rounded up.
  vectors: u32,
  blocks: u32,
}

@group(1) @binding(0) var<uniform> scan: Scan;
@group(1) @binding(1) var<storage, read_write> counts: array<vec4u>;
@group(1) @binding(2) var<storage, read_write> block_sums: array<u32>;
@group(1) @binding(3) var<storage, read_write> starts: array<vec4u>;

const VECTORS_PER_THREAD = SCAN_ITEMS / 4u;
const VECTORS_PER_BLOCK = SCAN_BLOCK / 4u;

var<workgroup> block_total: atomic<u32>;
var<workgroup> thread_sums: array<u32, WORKGROUP_SIZE>;
var<workgroup> group_sums: array<u32, SCAN_GROUP>;

fn sum_of(vector: vec4u) -> u32 {
  return vector.x + vector.y + vector.z + vector.w;
}

// Exclusive prefix of each thread's sum within the workgroup: two barriers.
fn workgroup_prefix(thread: u32, sum: u32) -> u32 {
  thread_sums[thread] = sum;
  workgroupBarrier();
  if (thread < SCAN_GROUP) {
    var total = 0u;
    for (var index = 0u; index < SCAN_GROUP; index++) {
      total += thread_sums[thread * SCAN_GROUP + index];
    }
    group_sums[thread] = total;
  }
  workgroupBarrier();
  let group = thread / SCAN_GROUP;
  var prefix = 0u;
  for (var index = 0u; index < group; index++) {
    prefix += group_sums[index];
  }
  for (var index = group * SCAN_GROUP; index < thread; index++) {
    prefix += thread_sums[index];
  }
  return prefix;
}

@compute @workgroup_size(WORKGROUP_SIZE)
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
  // Neighbouring threads read neighbouring vectors: the order within a block is of no matter here.
  for (var index = 0u; index < VECTORS_PER_THREAD; index++) {
    let vector = block * VECTORS_PER_BLOCK + index * WORKGROUP_SIZE + thread;
    if (vector < scan.vectors) {
      sum += sum_of(counts[vector]);
    }
  }
#if SUBGROUPS
  sum = subgroupAdd(sum);
  if (lane == 0u) {
    atomicAdd(&block_total, sum);
  }
#else
  atomicAdd(&block_total, sum);
#endif
  workgroupBarrier();
  if (thread == 0u && block < scan.blocks) {
    block_sums[block] = atomicLoad(&block_total);
  }
}

// One workgroup: replaces the blocks' sums by the sums of all blocks before them.
@compute @workgroup_size(WORKGROUP_SIZE)
fn spine(@builtin(local_invocation_index) thread: u32) {
  var carried = 0u;
  for (var base = 0u; base < scan.blocks; base += SCAN_BLOCK) {
    let first = base + thread * SCAN_ITEMS;
    var sum = 0u;
    for (var index = first; index < min(first + SCAN_ITEMS, scan.blocks); index++) {
      sum += block_sums[index];
    }
    var prefix = carried + workgroup_prefix(thread, sum);
    for (var index = 0u; index < SCAN_GROUP; index++) {
      carried += group_sums[index];
    }
    for (var index = first; index < min(first + SCAN_ITEMS, scan.blocks); index++) {
      let value = block_sums[index];
      block_sums[index] = prefix;
      prefix += value;
    }
    // The sums are overwritten in the next round.
    workgroupBarrier();
  }
}

@compute @workgroup_size(WORKGROUP_SIZE)
fn apply(
  @builtin(workgroup_id) workgroup: vec3u,
  @builtin(num_workgroups) workgroups: vec3u,
  @builtin(local_invocation_index) thread: u32,
) {
  let block = linear_workgroup(workgroup, workgroups);
  let first = block * VECTORS_PER_BLOCK + thread * VECTORS_PER_THREAD;
  var values: array<vec4u, VECTORS_PER_THREAD>;
  var sum = 0u;
  for (var index = 0u; index < VECTORS_PER_THREAD; index++) {
    if (first + index < scan.vectors) {
      values[index] = counts[first + index];
      sum += sum_of(values[index]);
    }
  }
  var running = workgroup_prefix(thread, sum);
  if (block < scan.blocks) {
    running += block_sums[block];
  }
  for (var index = 0u; index < VECTORS_PER_THREAD; index++) {
    if (first + index < scan.vectors) {
      let value = values[index];
      starts[first + index] =
        vec4u(running, running + value.x, running + value.x + value.y, running + value.x + value.y + value.z);
      running += sum_of(value);
      counts[first + index] = vec4u();
    }
  }
}
