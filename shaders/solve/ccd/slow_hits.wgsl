// Finds where each path ends at walls, slow particles and obstacles. Writes key and partner per slot to `first`.
// Needs: position_in, substep, margin_of, key_of_hit, comes_first, way_of, minimum_image, position_at, impact.
// Needs: AROUND_SLOW, branch_count, THREADS_OF_PATH, branch_at, is_entered, obstacle_body, impact_on_images.
// Needs: nearness_to_obstacle, OBSTACLE_PARTNER, level_of_body, cuts_of, longest_piece, followed_pieces, key_of_end.
// Needs: is_over, is_coarse, block_around, margin_to, note_best, cells_around, enough_cells, grid, is_valid, is_fast.
// Needs: levels_of, cells_in, bucket_in, links, word_of_next, obstacle_start, obstacle_position, path_stride, path_of.
// Needs: linear_workgroup, path_count, slot_of_path, first_of_all, lane_of, first, begin_search.

fn first_wall(slot: u32, way: Vector, before: vec2u) -> vec2u {
  var best = before;
  let end = body_position(position_in[slot]);
  let lower = substep.lower + margin_of(position_in[slot]);
  let upper = substep.upper - margin_of(position_in[slot]);
  for (var axis = 0u; axis < DIMENSIONS; axis++) {
    let along = way[axis];
    let beyond = select(lower[axis] - end[axis], end[axis] - upper[axis], along > 0.0);
    if (substep.walls != 0u && beyond > 0.0 && along != 0.0) {
      let time = max(0.0, 1.0 - beyond / abs(along));
      let hit = vec2u(key_of_hit(time, abs(along)), WALL_PARTNER + axis);
      best = select(best, hit, comes_first(hit, best));
    }
  }
  return best;
}

// Returns the earlier of `best` and the hit with one slow particle. `begin` is the position at `since`.
fn first_with_slow(best: vec2u, body: PackedBody, way: Vector, begin: Vector, since: f32, other: u32) -> vec2u {
  let other_way = way_of(other);
  let apart = minimum_image(begin, position_at(other, other_way, since));
  let hit = vec2u(impact(apart, way - other_way, since, body, position_in[other]), other);
  if (hit.x <= best.x && comes_first(hit, best)) {
    return hit;
  }
  return best;
}

#if OBSTACLES
#if VARIABLE_RADII
// Returns the first of `before` and the hits with obstacles. Each lane walks its own stretch of the tree's nodes. A
// walk may begin at any node: at worst it tests nodes that a walk from the root would skip.
fn first_with_obstacles(before: vec2u, slot: u32, way: Vector, since: f32, to: f32, lane: u32) -> vec2u {
  let body = position_in[slot];
  let begin = position_at(slot, way, since);
  let end = position_at(slot, way, to);
  let middle = 0.5 * (begin + end);
  // The last term is for positions far from the origin, where rounding may exceed what AROUND_SLOW allows for.
  let reach = 0.5 * abs(end - begin) + AROUND_SLOW * reach_of(body) + abs(middle) * 0x1p-22f;
  let nodes = branch_count();
  let stretch = (nodes + THREADS_OF_PATH - 1u) / THREADS_OF_PATH;
  let last_node = min(nodes, (lane + 1u) * stretch);
  var best = before;
  var node = lane * stretch;
  while (node < last_node) {
    let branch = branch_at(node);
    let enters = is_entered(branch, middle, reach);
    let last = select(branch.first, branch.end, enters);
    for (var obstacle = branch.first; obstacle < last; obstacle++) {
      let other = obstacle_body(obstacle);
      let apart = minimum_image(begin, body_position(other));
      let key = impact_on_images(apart, way, since, nearness_to_obstacle(body, other));
      let hit = vec2u(key, OBSTACLE_PARTNER | obstacle);
      if (hit.x <= best.x && comes_first(hit, best)) {
        best = hit;
      }
    }
    node = select(branch.skip, node + 1u, enters);
  }
  return best;
}
#endif
#endif

fn end_among_slow(slot: u32, lane: u32) -> vec2u {
  let body = position_in[slot];
  let way = way_of(slot);
  let own_level = level_of_body(body);
  let cuts = cuts_of(way, longest_piece(body, f32(PIECE_CELLS)));
  let followed = followed_pieces(cuts);
  var best = first_wall(slot, way, vec2u(key_of_end(followed / cuts), NO_PARTNER));
  for (var piece = 0u; piece < u32(followed); piece++) {
    let since = f32(piece) / cuts;
    let to = f32(piece + 1u) / cuts;
    if (is_over(best, since)) {
      break;
    }
    if (is_coarse(block_around(slot, way, since, to, own_level, margin_to(body, own_level, AROUND_SLOW)))) {
      let end = vec2u(key_of_end(since), NO_PARTNER);
      best = select(best, end, end.x < best.x);
      break;
    }
    let begin = position_at(slot, way, since);
#if VARIABLE_RADII
#if OBSTACLES
    best = first_with_obstacles(best, slot, way, since, to, lane);
    note_best(best);
#endif
    if (cells_around(slot, way, since, to, CCD_SLOW_LEVELS, AROUND_SLOW) > enough_cells(grid.count)) {
      for (var other = lane; other < grid.count; other += THREADS_OF_PATH) {
        if (is_valid(position_in[other]) && !is_fast(way_of(other), position_in[other])) {
          best = first_with_slow(best, body, way, begin, since, other);
        }
      }
      note_best(best);
      continue;
    }
#endif
    for (var levels = levels_of(CCD_SLOW_LEVELS); levels != 0u; levels &= levels - 1u) {
      let level = countTrailingZeros(levels);
      let block = block_around(slot, way, since, to, level, margin_to(body, level, AROUND_SLOW));
      let cells = cells_in(block);
      for (var index = lane; index < cells; index += THREADS_OF_PATH) {
        let bucket = bucket_in(block, index);
        var entry = links[bucket];
        // Bounded, so that a corrupt list cannot hang the device.
        for (var met = 0u; met < grid.count && entry != 0u; met++) {
          let other = min(entry - 1u, grid.count - 1u);
          best = first_with_slow(best, body, way, begin, since, other);
          entry = links[word_of_next(other)];
        }
#if OBSTACLES
#if !VARIABLE_RADII
        let last = min(obstacle_start(bucket + 1u), OBSTACLE_PARTNER - 1u);
        for (var obstacle = obstacle_start(bucket); obstacle < last; obstacle++) {
          let apart = minimum_image(begin, obstacle_position(obstacle));
          // Without variable radii, obstacles have the radius of the particles.
          let hit = vec2u(impact(apart, way, since, body, body), OBSTACLE_PARTNER | obstacle);
          if (hit.x <= best.x && comes_first(hit, best)) {
            best = hit;
          }
        }
#endif
#endif
      }
    }
    note_best(best);
  }
  return best;
}

#if VARIABLE_RADII
@compute @workgroup_size(HEAVY_WORKGROUP_SIZE)
#else
@compute @workgroup_size(WORKGROUP_SIZE)
#endif
fn still(
  @builtin(workgroup_id) workgroup: vec3u,
  @builtin(num_workgroups) workgroups: vec3u,
  @builtin(local_invocation_index) thread: u32,
) {
  let stride = path_stride(workgroups);
  for (var path = path_of(linear_workgroup(workgroup, workgroups), thread); path < path_count(); path += stride) {
    let slot = slot_of_path(path);
    let hit = first_of_all(end_among_slow(slot, lane_of(thread)), thread);
    if (lane_of(thread) == 0u) {
      first[slot] = hit;
    }
    if (path + stride < path_count()) {
      begin_search(thread);
    }
  }
}
