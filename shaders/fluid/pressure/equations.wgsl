// Assembles the pressure equations, one per fluid cell:
//   diagonal · pressure − Σ (coupling · neighbour's pressure) = right
// Every node, fluid or not, also writes the couplings across its lower faces. Each workgroup sums its right-hand sides,
// counts its unknowns, and notes whether a cell is at a surface. Twin: src/methods/fluid/reference/equations.ts.
// Needs: LEAST_SURFACE, SURFACE_FULLNESS, FULLNESS_SLACK, frame, MOST_SHRINKING, MOST_SWELLING, kinds, FLUID, AIR.
// Needs: fullness, WORKGROUP, node_at, entry_at, is_cell, coupling, velocity, diagonal, right, store_partial.

// Estimates the distance, in cells, from the centre of a fluid cell beside air to the surface.
fn surface_distance(full: f32) -> f32 {
  let distance = select(LEAST_SURFACE, 1.0 - sqrt(2.0 * max(0.0, 1.0 - full)), full >= SURFACE_FULLNESS);
  return clamp(distance, LEAST_SURFACE, 1.0);
}

// Returns the outflow that corrects a cell's density: positive if the cell is too full, negative if it is deep and not
// full. Deep cells have no air neighbour.
fn swelling(full: f32, is_deep: bool) -> f32 {
  var excess = 0.0;
  if (full > 1.0 + FULLNESS_SLACK) {
    excess = full - 1.0 - FULLNESS_SLACK;
  } else if (is_deep) {
    excess = min(0.0, full - 1.0 + FULLNESS_SLACK);
  }
  return frame.scale.w * clamp(frame.rules.y * excess, -MOST_SHRINKING, MOST_SWELLING);
}

fn coupling_of(lower: u32, upper: u32) -> f32 {
  let below = kinds[lower];
  let above = kinds[upper];
  if (below > FLUID || above > FLUID || (below == AIR && above == AIR)) {
    return 0.0;
  }
  if (below == above) {
    return 1.0;
  }
  return 1.0 / surface_distance(fullness[select(upper, lower, below == FLUID)]);
}

@compute @workgroup_size(WORKGROUP)
fn assemble(
  @builtin(workgroup_id) group: vec3u,
  @builtin(num_workgroups) groups: vec3u,
  @builtin(local_invocation_index) thread: u32,
) {
  var own = vec4f();
  for (
    var index = group.x * WORKGROUP + thread;
    index < frame.sizes.w;
    index += groups.x * WORKGROUP
  ) {
    let at = node_at(index, frame.strides);
    let entry = entry_at(at, frame.strides);
    let is_fluid = is_cell(at, frame.cells) && kinds[entry] == FLUID;
    var total = 0.0;
    var outflow = 0.0;
    var is_deep = true;
    for (var axis = 0u; axis < DIMENSIONS; axis++) {
      let stride = frame.strides[axis];
      var low = 0.0;
      // The lower end of an axis has no coupling: its face is solid, and the previous index is a cell of another row.
      if (at[axis] > 0u) {
        low = coupling_of(entry - stride, entry);
      }
      coupling[axis * frame.sizes.y + entry] = low;
      if (is_fluid) {
        let high = coupling_of(entry, entry + stride);
        total += low + high;
        let face = axis * frame.sizes.x + entry;
        outflow += velocity[face + stride] - velocity[face];
        if (kinds[entry + stride] == AIR || (at[axis] > 0u && kinds[entry - stride] == AIR)) {
          is_deep = false;
        }
      }
    }
    var row = 0.0;
    if (is_fluid) {
      own.z = max(own.z, select(1.0, 0.0, is_deep));
      if (total > 0.0) {
        row = swelling(fullness[entry], is_deep) - outflow;
        own.x += row;
        own.y += 1.0;
      }
    }
    diagonal[entry] = total;
    right[entry] = row;
  }
  store_partial(own, ROWS + group.x, thread);
}
