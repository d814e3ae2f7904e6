// Lists pairs of slots to draw as lines. Each pair has its lower slot first, and the list ascends by lower slots.
// CONTACT_BIT in the second slot marks contacts. Tally counts a slot's candidates or contacts in higher slots; fill
// writes the pairs that fit and the arguments of the draw. The reach is unlimited, so all candidates count. Host:
// src/page/view/overlay-pipelines.ts.
// Needs: view, grid, Particle, Neighbour, contact_with, substep, pairs, linear_workgroup, offsets, drawn, particle_of.
// Needs: position_in, cell_of_slot, is_in_grid, count_candidates, MOST_EACH, probe, tallies.

const CONTACT_BIT = 0x80000000u;

struct View {
  clip: mat4x4f,
  // Particles this far outside the picture still count as in view. Unit: half the picture.
  margin: vec2f,
  contacts_only: u32,
  // Vertices per line, and lines per pair.
  vertices: u32,
  lines: u32,
  // The point that is subtracted from positions before projection. 0 except in unbounded worlds.
  origin: vec3f,
}

struct Gathered {
  slot: u32,
  found: u32,
#if FILL
  first: u32,
#endif
}

// `drawn` holds, in this order:
// - the four arguments of a draw
// - the number of pairs found
// - the number of particles in view with more than MOST_EACH candidates; the list leaves out their pairs with higher
//   slots

const IMAGES = select(9u, 27u, DIMENSIONS == 3u);

fn is_seen(position: Vector) -> bool {
  var lifted = vec3f();
  for (var axis = 0u; axis < DIMENSIONS; axis++) {
    lifted[axis] = position[axis] - view.origin[axis];
  }
  let clip = view.clip * vec4f(lifted, 1.0);
  return clip.w > 0.0 && all(abs(clip.xy) <= (vec2f(1.0) + view.margin) * clip.w);
}

// Images count, because a pair may cross an end of the world.
fn is_in_view(position: Vector) -> bool {
  if (is_seen(position)) {
    return true;
  }
  if (all(grid.period == Vector())) {
    return false;
  }
  for (var index = 0u; index < IMAGES; index++) {
    var image = position;
    var rest = index;
    for (var axis = 0u; axis < DIMENSIONS; axis++) {
      image[axis] += (f32(rest % 3u) - 1.0) * grid.period[axis];
      rest /= 3u;
    }
    if (is_seen(image)) {
      return true;
    }
  }
  return false;
}

fn visit(gathered: ptr<function, Gathered>, particle: Particle, other: Neighbour) {
  if (other.slot < particle.slot) {
    return;
  }
#if HAS_BOXES
  let is_contact = contact_with(particle, other).is_contact;
#elif VARIABLE_RADII
  let reach = particle.radius + other.radius;
  let is_contact = other.distance_squared < reach * reach;
#else
  let is_contact = other.distance_squared < substep.diameter_squared;
#endif
  if (view.contacts_only == 1u && !is_contact) {
    return;
  }
#if FILL
  let index = (*gathered).first + (*gathered).found;
  if (index < arrayLength(&pairs)) {
    pairs[index] = vec2u(particle.slot, other.slot | select(0u, CONTACT_BIT, is_contact));
  }
#endif
  (*gathered).found += 1u;
}

@compute @workgroup_size(WORKGROUP_SIZE)
fn list_pairs(
  @builtin(workgroup_id) workgroup: vec3u,
  @builtin(num_workgroups) workgroups: vec3u,
  @builtin(local_invocation_index) thread: u32,
) {
  let slot = linear_workgroup(workgroup, workgroups) * WORKGROUP_SIZE + thread;
  if (slot >= grid.count) {
    return;
  }
#if FILL
  if (slot == 0u) {
    let found = offsets[grid.count];
    atomicStore(&drawn[0], view.vertices);
    atomicStore(&drawn[1], view.lines * min(found, arrayLength(&pairs)));
    atomicStore(&drawn[4], found);
  }
#endif
  let particle = particle_of(slot, position_in[slot]);
  let cell = cell_of_slot[slot];
  var gathered = Gathered();
  if (is_in_grid(cell) && is_in_view(particle.position)) {
    if (count_candidates(slot, cell) <= MOST_EACH) {
#if FILL
      gathered.first = offsets[slot];
#endif
#if VARIABLE_RADII
      // The unit of the reach is the sum of the two radii, which may be much less than a cell.
      probe(&gathered, particle, slot, cell, 0x1p40f, 0u);
#else
      probe(&gathered, particle, slot, cell, 0x1p126f, 0u);
#endif
    } else {
#if FILL
      atomicAdd(&drawn[5], 1u);
#endif
    }
  }
#if !FILL
  tallies[slot] = gathered.found;
#endif
}
