// Finds the particles in boxes. Tally counts them; fill writes their ids, ascending per box, or NO_PARTNER if they do
// not all fit. A queue lists boxes that take long to search; each of them gets a workgroup. Comparisons alone decide
// membership, so tally and fill agree.
// Needs: QUEUE_HEADER, Box, boxes, is_finite, snap, box_in_world, levels_to_search, block_of_box, is_occupied.
// Needs: segments_in, rows_in, start, grid, Block, segment_count, Segment, segment_of, position_in, is_in_box.
// Needs: is_in_segment, ids, Stretch, offsets, stretch_of, linear_workgroup, queue, id_in, tallies, parameters.
// Needs: sort_stretch.

// The greatest number of cells that one thread searches.
const FEW_CELLS = 512.0;

struct Boxes {
  box_count: u32,
}

// `boxes` holds the low and the high corner of each box. `queue` holds three words of an indirect dispatch, the number
// of queued boxes, and their indices.

const QUEUE_LENGTH = QUEUE_HEADER - 1u;

struct Search {
  box: Box,
  // The number of levels to search: 1 if all slots are searched, 0 if the box is invalid.
  levels: u32,
  all_slots: bool,
  needs_workgroup: bool,
}

fn search_of(number: u32) -> Search {
  var search = Search();
  let low = load_vector(boxes[2u * number]);
  let high = load_vector(boxes[2u * number + 1u]);
  if (!is_finite(low) || !is_finite(high) || any(snap(low) > snap(high))) {
    return search;
  }
  search.box = box_in_world(Box(snap(low), snap(high)));
  search.levels = levels_to_search();
  var segments = 0.0;
  var cells = 0.0;
  for (var level = 0u; level < search.levels; level++) {
    let block = block_of_box(search.box, level);
    if (is_occupied(level)) {
      segments += segments_in(block);
      cells += rows_in(block) * f32(block.length.x);
    }
  }
  search.all_slots = segments > f32(start[grid.cell_count]);
  search.needs_workgroup = search.all_slots || cells > FEW_CELLS;
  if (search.all_slots) {
    search.levels = 1u;
  }
  return search;
}

fn segments_to_search(search: Search, block: Block, level: u32) -> u32 {
  if (search.all_slots) {
    return 1u;
  }
  return select(0u, segment_count(block), is_occupied(level));
}

fn segment_to_search(search: Search, block: Block, index: u32) -> Segment {
  var segment = Segment();
  if (search.all_slots) {
    segment.end = start[grid.cell_count];
  } else {
    segment = segment_of(block, index);
  }
  // Bounded, so that a corrupt grid cannot hang the device.
  segment.end = min(segment.end, grid.count);
  return segment;
}

fn is_found(search: Search, segment: Segment, slot: u32) -> bool {
  let position = snap(body_position(position_in[slot]));
  return is_in_box(search.box, position) && (search.all_slots || is_in_segment(segment, slot));
}

#if FILL
alias Entry = u32;

fn entry_at(index: u32) -> Entry {
  return ids[index];
}

fn put(index: u32, entry: Entry) {
  ids[index] = entry;
}

fn is_before(entry: Entry, other: Entry) -> bool {
  return entry < other;
}

struct Room {
  stretch: Stretch,
  is_enough: bool,
}

fn room_of(number: u32) -> Room {
  let first = offsets[number];
  let next = offsets[number + 1u];
  let stretch = stretch_of(first, next, arrayLength(&ids));
  return Room(stretch, stretch.room == next - first);
}
#endif

#if MANY
var<workgroup> found: atomic<u32>;

// The number of threads that search a segment together.
const LANES = 16u;

@compute @workgroup_size(WORKGROUP_SIZE)
fn search_together(
  @builtin(workgroup_id) workgroup: vec3u,
  @builtin(num_workgroups) workgroups: vec3u,
  @builtin(local_invocation_index) thread: u32,
) {
  let stride = workgroups.x * workgroups.y;
  for (
    var entry_index = linear_workgroup(workgroup, workgroups);
    entry_index < queue[QUEUE_LENGTH];
    entry_index += stride
  ) {
    let number = queue[QUEUE_HEADER + entry_index];
    let search = search_of(number);
#if FILL
    let room = room_of(number);
    let end = room.stretch.first + room.stretch.room;
#endif
    if (thread == 0u) {
      atomicStore(&found, 0u);
    }
    workgroupBarrier();
    // All slots are one segment, which the whole workgroup searches.
    let lanes = select(LANES, WORKGROUP_SIZE, search.all_slots);
    for (var level = 0u; level < search.levels; level++) {
      let block = block_of_box(search.box, level);
      let segments = segments_to_search(search, block, level);
      for (var index = thread / lanes; index < segments; index += WORKGROUP_SIZE / lanes) {
        let segment = segment_to_search(search, block, index);
        for (var slot = segment.first + thread % lanes; slot < segment.end; slot += lanes) {
          if (is_found(search, segment, slot)) {
            let rank = atomicAdd(&found, 1u);
#if FILL
            if (room.is_enough && rank < room.stretch.room) {
              ids[room.stretch.first + rank] = id_in[slot];
            }
#endif
          }
        }
      }
    }
    workgroupBarrier();
#if FILL
    storageBarrier();
    if (room.is_enough) {
      sort_together(room.stretch, thread);
    } else {
      for (var hole = room.stretch.first + thread; hole < end; hole += WORKGROUP_SIZE) {
        ids[hole] = NO_PARTNER;
      }
    }
#else
    if (thread == 0u) {
      tallies[number] = atomicLoad(&found);
    }
#endif
  }
}

#if FILL
// Batcher's bitonic sort, in which every comparison puts the lesser element first. Elements beyond the end count as the
// greatest, so no comparison would move them.
fn sort_together(stretch: Stretch, thread: u32) {
  for (var size = 2u; size / 2u < stretch.room && size != 0u; size *= 2u) {
    let pairs = (stretch.room + size - 1u) / size * (size / 2u);
    for (var step = size / 2u; step > 0u; step /= 2u) {
      for (var pair = thread; pair < pairs; pair += WORKGROUP_SIZE) {
        let base = pair / step * 2u * step;
        let low = base + pair % step;
        // The first step compares from both ends of a group inwards.
        let high = select(low + step, base + 2u * step - 1u - pair % step, step == size / 2u);
        if (high < stretch.room) {
          order(stretch.first + low, stretch.first + high);
        }
      }
      workgroupBarrier();
      storageBarrier();
    }
  }
}

fn order(index: u32, other: u32) {
  let low = ids[index];
  let high = ids[other];
  if (high < low) {
    ids[index] = high;
    ids[other] = low;
  }
}
#endif
#else

@compute @workgroup_size(WORKGROUP_SIZE)
fn search_alone(
  @builtin(workgroup_id) workgroup: vec3u,
  @builtin(num_workgroups) workgroups: vec3u,
  @builtin(local_invocation_index) thread: u32,
) {
  let number = linear_workgroup(workgroup, workgroups) * WORKGROUP_SIZE + thread;
  if (number >= parameters.box_count) {
    return;
  }
  let search = search_of(number);
  if (search.needs_workgroup) {
#if QUEUE
    let entry_index = atomicAdd(&queue[QUEUE_LENGTH], 1u);
    atomicStore(&queue[QUEUE_HEADER + entry_index], number);
    atomicMax(&queue[0], min(entry_index + 1u, LOOPING_WORKGROUPS));
    atomicStore(&queue[1], 1u);
    atomicStore(&queue[2], 1u);
#endif
    return;
  }
  var found = 0u;
#if FILL
  let room = room_of(number);
  let end = room.stretch.first + room.stretch.room;
#endif
  for (var level = 0u; level < search.levels; level++) {
    let block = block_of_box(search.box, level);
    let segments = segments_to_search(search, block, level);
    for (var index = 0u; index < segments; index++) {
      let segment = segment_to_search(search, block, index);
      for (var slot = segment.first; slot < segment.end; slot++) {
        if (is_found(search, segment, slot)) {
#if FILL
          if (room.is_enough && found < room.stretch.room) {
            ids[room.stretch.first + found] = id_in[slot];
          }
#endif
          found++;
        }
      }
    }
  }
#if FILL
  if (room.is_enough) {
    sort_stretch(room.stretch.first, end);
  } else {
    for (var hole = room.stretch.first; hole < end; hole++) {
      ids[hole] = NO_PARTNER;
    }
  }
#else
  tallies[number] = found;
#endif
}
#endif
