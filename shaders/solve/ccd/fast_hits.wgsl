// Runs one round: finds where each path ends among the other fast particles. Their paths end where the previous round
// ended them. Each of these buffers has one hit per slot:
// - `hits_in`: the ends from the previous round
// - `hits_out`: the ends from this round
// - `first`: the ends that paths would have without other fast particles
// Needs: position_in, way_of, is_before, minimum_image, position_at, impact, time_of_key, NEVER, hits_in, comes_first.
// Needs: level_of_body, path_count, room_of_path, cuts_of, longest_piece, first, followed_pieces, is_over.
// Needs: window_between, is_coarse, block_around, margin_to, AROUND_FAST, cells_around, enough_cells, THREADS_OF_PATH.
// Needs: slot_of_path, note_best, levels_of, cells_in, links, word_of_list, list_in, word_of_node, counter_at, grid.
// Needs: path_stride, path_of, linear_workgroup, first_of_all, lane_of, counters, hits_out, begin_search.

// Returns true if two particles may meet, each on a piece of its path. A window holds the first and last tick of a
// piece. The other path ends at tick `end`. If that tick is on the other particle's piece, the other particle rests
// from then on.
fn may_meet(window: u32, other_window: u32, end: u32) -> bool {
  let begin = other_window >> 16u;
  let last = other_window & 0xffffu;
  return end >= begin && (window & 0xffffu) >= begin && (end <= last || (window >> 16u) <= last);
}

// Returns the key of the first hit, at or after `since`, with a particle whose path ends at the key `end`.
fn meet_fast(slot: u32, way: Vector, since: f32, other: u32, end: u32) -> u32 {
  let body = position_in[slot];
  let other_body = position_in[other];
  let other_way = way_of(other);
  // A particle still moves in the tick in which its path ends. Otherwise, if two particles meet, each would treat the
  // other as resting in the next round.
  if (!is_before(end, since)) {
    let apart = minimum_image(position_at(slot, way, since), position_at(other, other_way, since));
    let key = impact(apart, way - other_way, since, body, other_body);
    if ((key >> CLOSING_BITS) <= (end >> CLOSING_BITS)) {
      return key;
    }
  }
  let until = time_of_key(end);
  if (until >= 1.0) {
    return NEVER;
  }
  let begin = max(since, until);
  let apart = minimum_image(position_at(slot, way, begin), position_at(other, other_way, until));
  return impact(apart, way, begin, body, other_body);
}

fn first_with_fast(best: vec2u, slot: u32, way: Vector, since: f32, other: u32) -> vec2u {
  let hit = vec2u(meet_fast(slot, way, since, other, hits_in[other].x), other);
  if (hit.x <= best.x && comes_first(hit, best)) {
    return hit;
  }
  return best;
}

fn end_among_fast(slot: u32, lane: u32) -> vec2u {
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
    if (is_coarse(block_around(slot, way, since, to, own_level, margin_to(body, own_level, f32(AROUND_FAST))))) {
      break;
    }
#if VARIABLE_RADII
    if (cells_around(slot, way, since, to, CCD_FAST_LEVELS, f32(AROUND_FAST)) > enough_cells(paths)) {
      for (var path = lane; path < paths; path += THREADS_OF_PATH) {
        let other = slot_of_path(path);
        if (other != slot) {
          best = first_with_fast(best, slot, way, since, other);
        }
      }
      note_best(best);
      continue;
    }
#endif
    for (var levels = levels_of(CCD_FAST_LEVELS); levels != 0u; levels &= levels - 1u) {
      let level = countTrailingZeros(levels);
      let block = block_around(slot, way, since, to, level, margin_to(body, level, f32(AROUND_FAST)));
      let cells = cells_in(block);
      for (var index = lane; index < cells; index += THREADS_OF_PATH) {
        var entry = links[word_of_list(list_in(block, index))];
        for (var met = 0u; met < arrayLength(&links) && entry != 0u; met++) {
          let node = min(entry - 1u, paths * room - 1u);
          let other = slot_of_path(node / room);
          let word = word_of_node(node);
          entry = links[word];
          let other_window = links[word + 1u];
          if (other != slot && may_meet(window, other_window, hits_in[other].x >> CLOSING_BITS)) {
            // Begin when both particles are on their pieces. Earlier, another image might be the nearest.
            let both_since = max(since, f32(other_window >> 16u) / f32(CCD_TICKS));
            best = first_with_fast(best, slot, way, both_since, other);
          }
        }
      }
    }
    note_best(best);
  }
  return best;
}

#if VARIABLE_RADII
var<workgroup> followed: u32;

// Returns the same number in all threads of a workgroup, because their loop contains barriers.
fn paths_of_round(thread: u32) -> u32 {
  if (thread == 0u) {
    followed = min(counter_at(CCD_FOLLOWED), grid.count);
  }
  return workgroupUniformLoad(&followed);
}
#else
fn paths_of_round(thread: u32) -> u32 {
  return min(counter_at(CCD_FOLLOWED), grid.count);
}
#endif

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
  let paths = paths_of_round(thread);
  let stride = path_stride(workgroups);
  for (var path = path_of(linear_workgroup(workgroup, workgroups), thread); path < paths; path += stride) {
    let slot = slot_of_path(path);
    let hit = first_of_all(end_among_fast(slot, lane_of(thread)), thread);
    if (lane_of(thread) == 0u) {
      let before = hits_in[slot];
      // A hit is settled if its key is below those of all hits that changed in this round.
      if (any(hit != before)) {
        atomicMin(&counters[CCD_UNSETTLED], min(hit.x, before.x));
      }
      hits_out[slot] = hit;
    }
    if (path + stride < paths) {
      begin_search(thread);
    }
  }
}
