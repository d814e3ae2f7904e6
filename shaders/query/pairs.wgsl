// Finds overlapping pairs (id, greater id), sorted by first id, then second id. Tally counts them; fill writes them.
// With BOXES, finds pairs of boxes (grid/box_bodies.wgsl). If the list is too short, it ends before the lowest id
// whose pairs do not all fit. Entries without a pair hold NO_PARTNER twice.
// Needs: Stretch, Particle, position_in, high_in, substep, offsets, id_in, stretch_of, pairs, Neighbour, contact_with.
// Needs: exact_contact, quanta_at, mark, tallies.

struct Gathered {
  id: u32,
  found: u32,
#if BOXES
  high: Vector,
#endif
#if FILL
  stretch: Stretch,
#if HEAVY
  // The word of `offsets` at which the neighbours' bits begin.
  marks: u32,
#endif
#endif
}

#if BOXES
// Boxes that touch count as overlapping. The position of a box is its low corner.
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
#if EXACT
  if (exact_contact(quanta_at(particle.slot), particle.slot, other.slot).overlap <= 0i) {
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

fn put_empty(index: u32) {
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
  let end = gathered.stretch.first + min(gathered.found, gathered.stretch.room);
  // A device may round distances differently in tally and fill, so tally may count more pairs.
  for (var hole = end; hole < gathered.stretch.first + gathered.stretch.room; hole++) {
    pairs[hole] = vec2u(NO_PARTNER);
  }
  // Shell's sort by second id.
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
