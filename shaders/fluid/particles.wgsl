// Moves particles and updates their velocities from the lattice, in place. Twin:
// src/methods/fluid/reference/particles.ts.
// Needs: frame, entry_at, velocity, kinds, SOLID, MARGIN, Obstacle, WORKGROUP, linear_index, positions, STORED.
// Needs: velocities, is_finite_number, APIC, before, ids, affine, MOST_CELLS, ACCOUNT, account.

// A box around a point. Its corners are the nearest centres of faces that are perpendicular to one axis. `entry` is the
// index of the lowest corner; `share` is the point's offset from that corner in cells.
struct Corners {
  entry: u32,
  share: vec3f,
}

fn corners_at(point: vec3f, axis: u32) -> Corners {
  var shift = vec3f(0.5);
  shift[axis] = 0.0;
  var last = vec3f(frame.cells.xyz) - 1.0;
  last[axis] += 1.0;
  let at = clamp(point - shift, vec3f(), last);
  var low = min(floor(at), max(last - 1.0, vec3f()));
  var share = at - low;
  if (DIMENSIONS == 2u) {
    low.z = 0.0;
    share.z = 0.0;
  }
  return Corners(entry_at(vec3u(low), frame.strides), share);
}

fn entry_of(corners: Corners, corner: u32, axis: u32) -> u32 {
  return axis * frame.sizes.x + corners.entry + (corner & 1u) + ((corner >> 1u) & 1u) * frame.strides.y +
    (corner >> 2u) * frame.strides.z;
}

fn parts_of(share: vec3f, corner: u32) -> vec3f {
  let upper = vec3u(corner & 1u, (corner >> 1u) & 1u, corner >> 2u) == vec3u(1u);
  return select(1.0 - share, share, upper);
}

fn sample(point: vec3f) -> vec3f {
  var result = vec3f();
  for (var axis = 0u; axis < DIMENSIONS; axis++) {
    let corners = corners_at(point, axis);
    for (var corner = 0u; corner < (1u << DIMENSIONS); corner++) {
      let parts = parts_of(corners.share, corner);
      result[axis] += parts.x * parts.y * parts.z * velocity[entry_of(corners, corner, axis)];
    }
  }
  return result;
}

fn is_masked(point: vec3f) -> bool {
  return kinds[entry_at(vec3u(max(point, vec3f())), frame.strides)] == SOLID;
}

fn highest() -> vec3f {
  var high = vec3f(frame.cells.xyz) - MARGIN;
  if (DIMENSIONS == 2u) {
    high.z = 0.0;
  }
  return high;
}

fn lowest() -> vec3f {
  return select(vec3f(MARGIN), vec3f(MARGIN, MARGIN, 0.0), DIMENSIONS == 2u);
}

// Moves a point inside an obstacle to the surface that the obstacle has at the end of the substep.
fn leave_obstacle(obstacle: Obstacle, point: vec3f) -> vec3f {
  let position = obstacle.position.xyz + obstacle.velocity.xyz * frame.gain.w;
  let radius = obstacle.position.w;
  let offset = point - position;
  if (radius > 0.0) {
    let distance = length(offset);
    if (distance >= radius) {
      return point;
    }
    let outward = select(vec3f(0.0, 1.0, 0.0), offset / distance, distance > 0.0);
    return position + radius * outward;
  }
  let depths = obstacle.half_extents.xyz - abs(offset);
  if (any(depths <= vec3f())) {
    return point;
  }
  var shallow = 0u;
  if (depths.y < depths.x) {
    shallow = 1u;
  }
  if (depths.z < depths[shallow]) {
    shallow = 2u;
  }
  var result = point;
  result[shallow] = position[shallow] + select(1.0, -1.0, offset[shallow] < 0.0) * obstacle.half_extents[shallow];
  return result;
}

// Moves a point inside a masked cell to the nearest point of a neighbouring cell that is not masked, if any.
fn leave_mask(point: vec3f) -> vec3f {
  let own = floor(point);
  var nearest = 1e30;
  var best = point;
  let sides = select(9u, 27u, DIMENSIONS == 3u);
  for (var side = 0u; side < sides; side++) {
    var cell = own + vec3f(f32(side % 3u), f32(side / 3u % 3u), f32(side / 9u)) - 1.0;
    if (DIMENSIONS == 2u) {
      cell.z = 0.0;
    }
    var candidate = clamp(point, cell + MARGIN, cell + 1.0 - MARGIN);
    if (DIMENSIONS == 2u) {
      candidate.z = 0.0;
    }
    let distance = dot(candidate - point, candidate - point);
    if (any(cell < vec3f()) || any(cell >= vec3f(frame.cells.xyz)) || distance >= nearest || is_masked(candidate)) {
      continue;
    }
    nearest = distance;
    best = candidate;
  }
  return best;
}

struct Move {
  to: vec3f,
  // One bit per axis along which the move was stopped.
  stopped: u32,
}

fn keep_out(origin: vec3f, aim: vec3f) -> Move {
  var to = aim;
  for (var obstacle = 0u; obstacle < frame.sizes.z; obstacle++) {
    let point = to * frame.scale.z;
    let left = leave_obstacle(frame.obstacles[obstacle], point);
    if (any(left != point)) {
      to = left * frame.scale.y;
    }
  }
  var stopped = 0u;
  let inside = clamp(to, lowest(), highest());
  for (var axis = 0u; axis < DIMENSIONS; axis++) {
    if (inside[axis] != to[axis]) {
      stopped |= 1u << axis;
    }
  }
  to = inside;
  let start_point = clamp(origin, lowest(), highest());
  if (is_masked(start_point)) {
    if (is_masked(to)) {
      to = leave_mask(to);
    }
    return Move(to, stopped);
  }
  if (!is_masked(0.5 * (start_point + to)) && !is_masked(to)) {
    return Move(to, stopped);
  }
  // Moves along one axis after another, so that stopped particles slide. Tests the middle of each move, too, because a
  // move may be longer than a cell.
  var at = start_point;
  for (var axis = 0u; axis < DIMENSIONS; axis++) {
    let last = at[axis];
    let goal = to[axis];
    at[axis] = 0.5 * (last + goal);
    let is_cut = is_masked(at);
    at[axis] = goal;
    if (is_cut || is_masked(at)) {
      at[axis] = select(floor(last) + MARGIN, floor(last) + 1.0 - MARGIN, goal > last);
      stopped |= 1u << axis;
    }
  }
  return Move(at, stopped);
}

@compute @workgroup_size(WORKGROUP)
fn move_particles(
  @builtin(workgroup_id) group: vec3u,
  @builtin(num_workgroups) groups: vec3u,
  @builtin(local_invocation_index) thread: u32,
) {
  let slot = linear_index(group, groups, thread);
  if (slot >= frame.cells.w) {
    return;
  }
  var point = vec3f();
  var speed = vec3f();
  var is_finite = true;
  for (var axis = 0u; axis < DIMENSIONS; axis++) {
    let position = positions[STORED * slot + axis];
    speed[axis] = velocities[STORED * slot + axis];
    is_finite = is_finite && is_finite_number(position) && is_finite_number(speed[axis]);
    point[axis] = position * frame.scale.y;
  }
  if (!is_finite) {
    return;
  }
  let old = speed;
  // With APIC, a particle takes the lattice's velocity and stores the slopes of that velocity. Otherwise the particle
  // also keeps a share of its own difference from `before`, the lattice's velocity before gravity and pressure.
  var first = vec3f();
  for (var axis = 0u; axis < DIMENSIONS; axis++) {
    let corners = corners_at(point, axis);
    var now = 0.0;
    var then = 0.0;
    var slopes = vec3f();
    for (var corner = 0u; corner < (1u << DIMENSIONS); corner++) {
      let parts = parts_of(corners.share, corner);
      let entry = entry_of(corners, corner, axis);
      let value = velocity[entry];
      now += parts.x * parts.y * parts.z * value;
      if (APIC) {
        let signs = select(
          vec3f(-1.0),
          vec3f(1.0),
          vec3u(corner & 1u, (corner >> 1u) & 1u, corner >> 2u) == vec3u(1u),
        );
        slopes += value * signs * vec3f(parts.y * parts.z, parts.x * parts.z, parts.x * parts.y);
      } else {
        then += parts.x * parts.y * parts.z * before[entry];
      }
    }
    first[axis] = now;
    if (APIC) {
      let own = DIMENSIONS * (DIMENSIONS * ids[slot] + axis);
      for (var along = 0u; along < DIMENSIONS; along++) {
        affine[own + along] = slopes[along];
      }
      speed[axis] = now;
    } else {
      speed[axis] = now + frame.rules.x * (speed[axis] - then);
    }
  }
  // Ralston's third-order Runge–Kutta method; `offset` is in cells.
  let scale = frame.scale.x;
  let second = sample(point + 0.5 * scale * first);
  let third = sample(point + 0.75 * scale * second);
  let offset = scale * (2.0 * first + 3.0 * second + 4.0 * third) / 9.0;
  let longest = max(max(abs(offset.x), abs(offset.y)), abs(offset.z));
  let share = select(1.0, f32(MOST_CELLS) / longest, longest > f32(MOST_CELLS));
  let moved = keep_out(point, point + share * offset);
  var growth = 0.0;
  let account_of = ACCOUNT * ids[slot];
  for (var axis = 0u; axis < DIMENSIONS; axis++) {
    let is_stopped = ((moved.stopped >> axis) & 1u) == 1u;
    let to = moved.to[axis] * frame.scale.z;
    let last = select(speed[axis], 0.0, is_stopped);
    // Takes differences first, because energies are much larger than their growth.
    growth += 0.5 * (last - old[axis]) * (last + old[axis]);
    let start = positions[STORED * slot + axis];
    positions[STORED * slot + axis] = to;
    velocities[STORED * slot + axis] = last;
    if (frame.gravity.w > 0.0) {
      account[account_of + 1u + axis] = start;
      account[account_of + 1u + DIMENSIONS + axis] = select(last - first[axis], 0.0, is_stopped || APIC);
    }
  }
  if (frame.gravity.w > 0.0) {
    account[account_of] = growth;
  }
}
