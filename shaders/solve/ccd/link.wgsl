// `link` lists each path in the cells that it passes. `unlink` empties these lists.
// Needs: Block, level_of_body, position_in, block_around, is_coarse, linear_workgroup, path_count, slot_of_path.
// Needs: way_of, room_of_path, cuts_of, longest_piece, linked_pieces, is_before, first, cells_in, key_of_end, links.
// Needs: word_of_list, list_in, word_of_node, window_between, hits_out.

struct Passed {
  block: Block,
  // True if floats are coarser than cells at this piece. The path then ends at the beginning of the piece.
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
  let stride = workgroups.x * workgroups.y * WORKGROUP_SIZE;
  let thread_index = linear_workgroup(workgroup, workgroups) * WORKGROUP_SIZE + thread;
  for (var path = thread_index; path < path_count(); path += stride) {
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
        // No nodes are left, so other paths could not find the rest of this path. It ends here.
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
}

// Visits at least the cells that `link` visited.
@compute @workgroup_size(WORKGROUP_SIZE)
fn unlink(
  @builtin(workgroup_id) workgroup: vec3u,
  @builtin(num_workgroups) workgroups: vec3u,
  @builtin(local_invocation_index) thread: u32,
) {
  let stride = workgroups.x * workgroups.y * WORKGROUP_SIZE;
  let thread_index = linear_workgroup(workgroup, workgroups) * WORKGROUP_SIZE + thread;
  for (var path = thread_index; path < path_count(); path += stride) {
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
}
