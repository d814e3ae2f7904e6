// Finds overlapping pairs (with BOXES, of boxes: see grid/box_bodies.wgsl), in two steps around a scan: tally counts,
// per id, the overlapping neighbours of greater id; fill writes them from that id's offset on.
// Inputs: sorted positions on a fresh grid. Output: pairs (id, greater id), each once, ascending by the first id and
// then the second. If the list is too short, it holds the first entries of this order that fit. An entry that has no
// pair is NO_PARTNER twice. Heavy particles may overlap thousands of others, so a workgroup lists the pairs of each.

struct Own {
  id: u32,
  found: u32,
#if BOXES
  high: Vector,
#endif
#if FILL
  stretch: Stretch,
#if HEAVY
  // The word at which the bits of its neighbours begin.
  marks: u32,
#endif
#endif
}

#if BOXES
// Positions are the low corners, `high_in` holds the high ones. Boxes that touch overlap.

fn overlaps(own: ptr<function, Own>, particle: Particle, other: u32) -> bool {
  return all(body_position(position_in[other]) <= (*own).high) && all(particle.position <= load_vector(high_in[other]));
}
#endif

fn reach_squared() -> f32 {
  return substep.diameter_squared;
}

#if FILL
fn first_entry(id: u32) -> u32 {
#if HEAVY
  return atomicLoad(&offsets[id]);
#else
  return offsets[id];
#endif
}
#endif

fn begin(particle: Particle) -> Own {
  var own = Own();
  own.id = id_in[particle.slot];
#if BOXES
  own.high = load_vector(high_in[particle.slot]);
#endif
#if FILL
  own.stretch = stretch_of(first_entry(own.id), first_entry(own.id + 1u), arrayLength(&pairs));
#endif
  return own;
}

fn visit(own: ptr<function, Own>, particle: Particle, other: Neighbour) {
#if HAS_BOXES
  if (!contact_with(particle, other).is_contact) {
    return;
  }
#endif
  let other_id = id_in[other.slot];
  if (other_id < (*own).id) {
    return;
  }
#if FILL
#if HEAVY
  mark((*own).marks, other_id);
#else
  if ((*own).found < (*own).stretch.room) {
    pairs[(*own).stretch.first + (*own).found] = vec2u((*own).id, other_id);
  }
#endif
#endif
  (*own).found += 1u;
}

#if HEAVY
#if FILL
fn own_stretch(own: Own) -> Stretch {
  return own.stretch;
}

fn put(own: Own, index: u32, id: u32) {
  pairs[index] = vec2u(own.id, id);
}

fn leave_out(index: u32) {
  pairs[index] = vec2u(NO_PARTNER);
}
#else
fn merge(own: ptr<function, Own>, other: Own) {
  (*own).found += other.found;
}

fn finish(own: Own, particle: Particle) {
  tallies[own.id] = own.found;
}
#endif
#else
fn finish(own: Own, particle: Particle) {
#if FILL
  // Neighbours came in slot order. They are few, and no other thread writes to this part of the list.
  let end = own.stretch.first + min(own.found, own.stretch.room);
  // A device may round a pair that nearly touches differently here and in the tally; its entry then stays empty.
  for (var hole = end; hole < own.stretch.first + own.stretch.room; hole++) {
    pairs[hole] = vec2u(NO_PARTNER);
  }
  // Sorts a few entries by insertion; a crowd first with gaps (Shell: 1, 4, 13 …).
  var gap = 1u;
  while (gap < (end - own.stretch.first) / 3u) {
    gap = 3u * gap + 1u;
  }
  for (; gap > 0u; gap /= 3u) {
    for (var index = own.stretch.first + gap; index < end; index++) {
      let moving = pairs[index];
      var target_index = index;
      while (target_index >= own.stretch.first + gap && pairs[target_index - gap].y > moving.y) {
        pairs[target_index] = pairs[target_index - gap];
        target_index -= gap;
      }
      pairs[target_index] = moving;
    }
  }
#else
  tallies[own.id] = own.found;
#endif
}

fn skip(slot: u32) {
#if !FILL
  tallies[id_in[slot]] = 0u;
#endif
}
#endif
