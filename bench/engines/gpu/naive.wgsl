// Tests all pairs, each once, in tiles of WORKGROUP_SIZE bodies. A workgroup compares its own tile with one stripe of
// STRIPE_TILES tiles. It skips tiles before its own, because their workgroups test those pairs. `slice` is the range of
// workgroups that this dispatch runs, so that no dispatch takes long.

var<workgroup> tile: array<PackedBody, WORKGROUP_SIZE>;

@compute @workgroup_size(WORKGROUP_SIZE)
fn find_in_tiles(
  @builtin(workgroup_id) workgroup: vec3u,
  @builtin(num_workgroups) workgroups: vec3u,
  @builtin(local_invocation_index) thread: u32,
) {
  let index = linear_workgroup(workgroup, workgroups);
  if (index >= slice.count) {
    return;
  }
  let unit = slice.first + index;
  let tiles = (grid.count + WORKGROUP_SIZE - 1u) / WORKGROUP_SIZE;
  let stripes = (tiles + STRIPE_TILES - 1u) / STRIPE_TILES;
  let own = unit / stripes;
  let stripe = unit % stripes;
  let id = own * WORKGROUP_SIZE + thread;
  let present = id < grid.count;
  var body = PackedBody();
  if (present) {
    body = bodies[id];
  }
  let equal_reach = substep.diameter_squared;
  var found = Found();
  for (var other = max(own, stripe * STRIPE_TILES); other < min(tiles, (stripe + 1u) * STRIPE_TILES); other++) {
    let base = other * WORKGROUP_SIZE;
    workgroupBarrier();
    if (base + thread < grid.count) {
      tile[thread] = bodies[base + thread];
    }
    workgroupBarrier();
    if (present) {
      let filled = min(WORKGROUP_SIZE, grid.count - base);
      for (var index = select(0u, thread + 1u, other == own); index < filled; index++) {
        if (overlaps(body, tile[index], equal_reach)) {
          find_pair(&found, id, base + index);
        }
      }
    }
  }
  fold_found(found, id);
}
