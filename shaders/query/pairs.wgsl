// Finds overlapping pairs (with BOXES, of boxes: see grid/box_bodies.wgsl), in two steps around a scan: tally counts,
// per id, the overlapping neighbours of greater id; fill writes them from that id's offset on.
// Inputs: sorted positions on a fresh grid. Output: pairs (id, greater id), each once, ascending by the first id and
// then the second. If the list is too short, it holds the first entries of this order that fit. An entry that has no
// pair is NO_PARTNER twice. Heavy particles may overlap thousands of others, so a workgroup lists the pairs of each.
// Needs: Stretch, Particle, position_in, high_in, substep, offsets, id_in, stretch_of, pairs, Neighbour, contact_with.
// Needs: mark, tallies.

struct Gathered {
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

fn overlaps(gathered: ptr<function, Gathered>, particle: Particle, other: u32) -> bool {
  return all(body_position(position_in[other]) <= (*gathered).high) && all(particle.position <= load_vector(high_in[other]));
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

fn begin(particle: Particle) -> Gathered {
  var gathered = Gathered();
  gathered.id = id_in[particle.slot];
#if BOXES
  gathered.high = load_vector(high_in[particle.slot]);
#endif
#if FILL
  gathered.stretch = stretch_of(first_entry(gathered.id), first_entry(gathered.id + 1u), arrayLength(&pairs));
#endif
  return gathered;
}

fn visit(gathered: ptr<function, Gathered>, particle: Particle, other: Neighbour) {
#if HAS_BOXES
  if (!contact_with(particle, other).is_contact) {
    return;
  }
#endif
  let other_id = id_in[other.slot];
  if (other_id < (*gathered).id) {
    return;
  }
#if FILL
#if HEAVY
  mark((*gathered).marks, other_id);
#else
  if ((*gathered).found < (*gathered).stretch.room) {
    pairs[(*gathered).stretch.first + (*gathered).found] = vec2u((*gathered).id, other_id);
  }
#endif
#endif
  (*gathered).found += 1u;
}

#if HEAVY
#if FILL
fn own_stretch(gathered: Gathered) -> Stretch {
  return gathered.stretch;
}

fn put(gathered: Gathered, index: u32, id: u32) {
  pairs[index] = vec2u(gathered.id, id);
}

fn leave_out(index: u32) {
  pairs[index] = vec2u(NO_PARTNER);
}
#else
fn merge(gathered: ptr<function, Gathered>, other: Gathered) {
  (*gathered).found += other.found;
}

fn finish(gathered: Gathered, particle: Particle) {
  tallies[gathered.id] = gathered.found;
}
#endif
#else
fn finish(gathered: Gathered, particle: Particle) {
#if FILL
  // Neighbours came in slot order. They are few, and no other thread writes to this part of the list.
  let end = gathered.stretch.first + min(gathered.found, gathered.stretch.room);
  // A device may round a pair that nearly touches differently here and in the tally; its entry then stays empty.
  for (var hole = end; hole < gathered.stretch.first + gathered.stretch.room; hole++) {
    pairs[hole] = vec2u(NO_PARTNER);
  }
  // Sorts a few entries by insertion; a crowd first with gaps (Shell: 1, 4, 13 …).
  var gap = 1u;
  while (gap < (end - gathered.stretch.first) / 3u) {
    gap = 3u * gap + 1u;
  }
  for (; gap > 0u; gap /= 3u) {
    for (var index = gathered.stretch.first + gap; index < end; index++) {
      let moving = pairs[index];
      var target_index = index;
      while (target_index >= gathered.stretch.first + gap && pairs[target_index - gap].y > moving.y) {
        pairs[target_index] = pairs[target_index - gap];
        target_index -= gap;
      }
      pairs[target_index] = moving;
    }
  }
#else
  tallies[gathered.id] = gathered.found;
#endif
}

fn skip(slot: u32) {
#if !FILL
  tallies[id_in[slot]] = 0u;
#endif
}
#endif
