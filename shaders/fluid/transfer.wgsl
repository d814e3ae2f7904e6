// Transfers particles to the lattice. Each node gathers the velocities of its lower faces and the fullness of its cell.
// Weights fall off linearly over one cell. Particles are visited in the order of their slots, so the bits are
// reproducible.
// Twin: src/methods/fluid/reference/transfer.ts.
// Needs: kinds, entry_at, frame, SOLID, WORKGROUP, linear_index, node_at, is_cell, start, positions, STORED.
// Needs: velocities, is_finite_number, APIC, ids, affine, is_face, velocity, fullness.

// solids_around sets a bit per solid cell of the 3 × 3 (× 3) around a cell; x varies fastest. OWN_BIT is the bit
// of the cell itself.
const OWN_BIT = 13u;

fn solids_around(at: vec3u) -> u32 {
  let deep = i32(DIMENSIONS) - 2;
  var bits = 0u;
  for (var z = -deep; z <= deep; z++) {
    for (var y = -1; y <= 1; y++) {
      for (var x = -1; x <= 1; x++) {
        let neighbour = vec3i(at) + vec3i(x, y, z);
        if (any(neighbour < vec3i(0)) || kinds[entry_at(vec3u(neighbour), frame.strides)] >= SOLID) {
          bits |= 1u << u32(i32(OWN_BIT) + x + 3 * y + 9 * z);
        }
      }
    }
  }
  return bits;
}

// Returns the part of a particle's weight outside solid cells. `middle` is the particle's weight in the cell, along
// each axis. `offset` is the particle's offset from the cell's lower corner, in cells.
fn free_share(solids: u32, middle: vec3f, offset: vec3f) -> f32 {
  let side = vec3i(select(vec3f(-1.0), vec3f(1.0), offset >= vec3f(0.5))) * vec3i(1, 3, 9);
  var free = 0.0;
  for (var corner = 0u; corner < (1u << DIMENSIONS); corner++) {
    let is_neighbour = (vec3u(corner) & vec3u(1u, 2u, 4u)) != vec3u(0u);
    let shares = select(middle, 1.0 - middle, is_neighbour);
    let steps = select(vec3i(0), side, is_neighbour);
    let bit = u32(i32(OWN_BIT) + steps.x + steps.y + steps.z);
    free += select(shares.x * shares.y * shares.z, 0.0, (solids & (1u << bit)) != 0u);
  }
  return free;
}

@compute @workgroup_size(WORKGROUP)
fn transfer(
  @builtin(workgroup_id) group: vec3u,
  @builtin(num_workgroups) groups: vec3u,
  @builtin(local_invocation_index) thread: u32,
) {
  let index = linear_index(group, groups, thread);
  if (index >= frame.sizes.w) {
    return;
  }
  let at = node_at(index, frame.strides);
  let entry = entry_at(at, frame.strides);
  let node = vec3f(at);
  let is_free = is_cell(at, frame.cells) && kinds[entry] < SOLID;
  var solids = 0u;
  if (is_free) {
    solids = solids_around(at);
  }
  let first = max(vec3i(at) - 1, vec3i(0));
  let last = min(vec3i(at) + 1, vec3i(frame.grid_last.xyz));
  var sums = vec3f();
  var weights = vec3f();
  var weight_in_cell = 0.0;
  for (var z = first.z; z <= last.z; z++) {
    for (var y = first.y; y <= last.y; y++) {
      let row = frame.grid_strides.w + u32(y) * frame.grid_strides.y + u32(z) * frame.grid_strides.z;
      // Bounded, so that a corrupt grid cannot hang the device.
      let begin = start[row + u32(first.x)];
      let end = max(begin, min(start[row + u32(last.x) + 1u], frame.cells.w));
      // `left` counts down. See "Loops that count down" in bench/NOTES.md.
      for (var left = end - begin; left > 0u; left--) {
        let slot = end - left;
        var point = vec3f();
        var speed = vec3f();
        for (var axis = 0u; axis < DIMENSIONS; axis++) {
          point[axis] = positions[STORED * slot + axis] * frame.scale.y;
          speed[axis] = velocities[STORED * slot + axis];
        }
        if (!is_finite_number(speed.x) || !is_finite_number(speed.y) || !is_finite_number(speed.z)) {
          continue;
        }
        let offset = point - node;
        let face = max(vec3f(), 1.0 - abs(offset));
        var middle = max(vec3f(), 1.0 - abs(offset - 0.5));
        if (DIMENSIONS == 2u) {
          middle.z = 1.0;
        }
        let near = vec3f(face.x * middle.y * middle.z, middle.x * face.y * middle.z, middle.x * middle.y * face.z);
        if (APIC) {
          let own = DIMENSIONS * DIMENSIONS * ids[slot];
          for (var axis = 0u; axis < DIMENSIONS; axis++) {
            for (var along = 0u; along < DIMENSIONS; along++) {
              let to_face = select(0.5, 0.0, along == axis) - offset[along];
              speed[axis] += affine[own + DIMENSIONS * axis + along] * to_face;
            }
          }
        }
        sums += near * speed;
        weights += near;
        let own_share = middle.x * middle.y * middle.z;
        if (own_share > 0.0 && solids != 0u) {
          weight_in_cell += own_share / free_share(solids, middle, offset);
        } else {
          weight_in_cell += own_share;
        }
      }
    }
  }
  for (var axis = 0u; axis < DIMENSIONS; axis++) {
    let known = is_face(at, axis, frame.cells) && weights[axis] > 0.0;
    velocity[axis * frame.sizes.x + entry] = select(0.0, sums[axis] / weights[axis], known);
  }
  fullness[entry] = select(0.0, weight_in_cell * frame.rules.z, is_free);
}
