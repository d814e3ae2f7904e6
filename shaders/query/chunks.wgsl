// Divides space into chunks of about equally many boxes, for query/chunk_members.wgsl.
//
// 1. `measure` measures extents, and `first_keys` writes the sort keys along the last axis.
// 2. The caller sorts the keys. A key has two words: a box's region, which sorts first, and its low end.
// 3. `cut`, in one workgroup, cuts each region along the axis of the keys. `next_keys` writes keys along the axis
//    before that one, and the caller continues with 2. After the first sort, `next_keys` also notes the order of the
//    boxes.
//
// Cuts along an axis are at least 4 M apart, where M is the d-th root of the mean d-th power of the half extents. So n
// boxes have at most n · 2.5^d memberships (src/cpu/boxes/chunk-order.ts has the proof).
// Needs: linear_workgroup, grid, MEASURE_THREADS, box_of, partials, refused, key_of, keys, chunks, ids, order.
// Needs: part_of, BOXES_PER_CHUNK, regions_of, table, coordinate_of, NO_CUT.

#if MEASURE
// Writes, per axis and thread, the greatest half extent h and the sum of (half extent / h)^d.
@compute @workgroup_size(WORKGROUP_SIZE)
fn measure(
  @builtin(workgroup_id) workgroup: vec3u,
  @builtin(num_workgroups) workgroups: vec3u,
  @builtin(local_invocation_index) local_index: u32,
) {
  let thread = linear_workgroup(workgroup, workgroups) * WORKGROUP_SIZE + local_index;
  var greatest = Vector();
  var sums = Vector();
  var invalid = 0u;
  for (var id = thread; id < grid.count; id += MEASURE_THREADS) {
    let box = box_of(id);
    if (!box.valid) {
      invalid += 1u;
      continue;
    }
    // Halve before you subtract: a whole extent may exceed the largest float.
    let half = 0.5 * box.high - 0.5 * box.low;
    for (var axis = 0u; axis < DIMENSIONS; axis++) {
      let sum = add_power(vec2f(greatest[axis], sums[axis]), vec2f(half[axis], 1.0));
      greatest[axis] = sum.x;
      sums[axis] = sum.y;
    }
  }
  for (var axis = 0u; axis < DIMENSIONS; axis++) {
    partials[axis * MEASURE_THREADS + thread] = vec2f(greatest[axis], sums[axis]);
  }
  if (invalid > 0u) {
    atomicAdd(&refused[0], invalid);
  }
}
#endif

fn power(value: f32) -> f32 {
#if SPACE
  return value * value * value;
#else
  return value * value;
#endif
}

// Adds two sums in the form of `partials`. No power overflows.
fn add_power(one: vec2f, other: vec2f) -> vec2f {
  if (other.x > one.x) {
    return vec2f(other.x, other.y + one.y * power(one.x / other.x));
  }
  if (other.x > 0.0) {
    return vec2f(one.x, one.y + other.y * power(other.x / one.x));
  }
  return one;
}

#if FIRST_KEYS
@compute @workgroup_size(WORKGROUP_SIZE)
fn first_keys(
  @builtin(workgroup_id) workgroup: vec3u,
  @builtin(num_workgroups) workgroups: vec3u,
  @builtin(local_invocation_index) thread: u32,
) {
  let id = linear_workgroup(workgroup, workgroups) * WORKGROUP_SIZE + thread;
  if (id >= grid.count) {
    return;
  }
  let box = box_of(id);
  let key = key_of(box.low[DIMENSIONS - 1u]);
  keys[id] = select(vec2u(0u, chunks.invalid_region), vec2u(key, 0u), box.valid);
  ids[id] = id;
}
#endif

#if NEXT_KEYS
// `chunks.axis` is the axis of the last cuts.
@compute @workgroup_size(WORKGROUP_SIZE)
fn next_keys(
  @builtin(workgroup_id) workgroup: vec3u,
  @builtin(num_workgroups) workgroups: vec3u,
  @builtin(local_invocation_index) thread: u32,
) {
  let rank = linear_workgroup(workgroup, workgroups) * WORKGROUP_SIZE + thread;
  if (rank >= grid.count) {
    return;
  }
  let id = ids[rank];
  if (chunks.axis == DIMENSIONS - 1u) {
    order[rank] = id;
  }
  let key = keys[rank];
  if (key.y < chunks.invalid_region) {
    let low = box_of(id).low;
    keys[rank] = vec2u(key_of(low[chunks.axis - 1u]), part_of(chunks.axis, key.y, key.x));
  }
}
#endif

#if CUT
var<workgroup> thread_sums: array<vec2f, WORKGROUP_SIZE>;
var<workgroup> thread_parts: array<u32, WORKGROUP_SIZE>;

fn begin_of(region: u32) -> u32 {
  var low = 0u;
  var high = grid.count;
  while (low < high) {
    let middle = (low + high) / 2u;
    if (keys[middle].y < region) {
      low = middle + 1u;
    } else {
      high = middle;
    }
  }
  return low;
}

// Returns into how many parts to cut a region: about (number of its chunks)^(1 / (axis + 1)), because parts along y and
// z are cut again.
fn divide(size: u32) -> u32 {
  let wanted = f32(size) / f32(BOXES_PER_CHUNK);
  if (chunks.axis == 0u) {
    return 1u + u32(wanted);
  }
  if (chunks.axis == 1u) {
    return 1u + u32(sqrt(wanted));
  }
  return 1u + u32(pow(wanted, 1.0 / 3.0));
}

@compute @workgroup_size(WORKGROUP_SIZE)
fn cut(@builtin(local_invocation_index) thread: u32) {
  let axis = chunks.axis;
  let regions = regions_of(axis);
  let each = (regions + WORKGROUP_SIZE - 1u) / WORKGROUP_SIZE;
  let first = min(thread * each, regions);
  let end = min(first + each, regions);

  var sum = vec2f();
  for (var index = thread; index < MEASURE_THREADS; index += WORKGROUP_SIZE) {
    sum = add_power(sum, partials[axis * MEASURE_THREADS + index]);
  }
  thread_sums[thread] = sum;
  var parts = 0u;
  var begin = begin_of(first);
  for (var region = first; region < end; region++) {
    let next = begin_of(region + 1u);
    parts += divide(next - begin);
    begin = next;
  }
  thread_parts[thread] = parts;
  workgroupBarrier();

  sum = vec2f();
  var part = 0u;
  for (var other = 0u; other < WORKGROUP_SIZE; other++) {
    sum = add_power(sum, thread_sums[other]);
    if (other < thread) {
      part += thread_parts[other];
    }
  }
  let valid = f32(max(begin_of(chunks.invalid_region), 1u));
#if SPACE
  let mean = sum.x * pow(sum.y / valid, 1.0 / 3.0);
#else
  let mean = sum.x * sqrt(sum.y / valid);
#endif
  begin = begin_of(first);
  for (var region = first; region < end; region++) {
    let next = begin_of(region + 1u);
    table[chunks.starts[axis] + region] = part;
    part = cut_region(region, part, begin, next, mean);
    begin = next;
  }
  if (thread == WORKGROUP_SIZE - 1u) {
    table[chunks.starts[axis] + regions] = part;
    table[axis] = part;
  }
}

// Writes the parts of a region. Returns the part after them.
fn cut_region(region: u32, first_part: u32, begin: u32, end: u32, mean: f32) -> u32 {
  let size = end - begin;
  let parts = divide(size);
  let lows = chunks.lows[chunks.axis] + first_part;
  table[lows] = 0u;
  var used = 1u;
  var last = 0.25 * coordinate_of(keys[begin].x);
  for (var part = 1u; part < parts; part++) {
    let key = keys[begin + part * (size / parts) + min(part, size % parts)].x;
    let low = 0.25 * coordinate_of(key);
    if (low - last >= mean) {
      table[lows + used] = key;
      used += 1u;
      last = low;
    }
  }
  for (; used < parts; used++) {
    table[lows + used] = NO_CUT;
  }
  for (var part = first_part; part < first_part + parts; part++) {
    table[chunks.regions[chunks.axis] + part] = region;
  }
  return first_part + parts;
}
#endif
