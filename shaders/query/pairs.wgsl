// Overlapping pairs (with BOXES, of boxes: see grid/box_bodies.wgsl) in two steps around a scan: tally counts, for
// each id, the overlapping neighbours of greater id; fill writes them from that id's offset on. Inputs: sorted
// positions on a fresh grid. Output: pairs (id, greater id), each once, by the first id ascending and then the
// second. A list that is too short takes the first ones of this order by id, as many as fit. A place that holds no
// pair after all is NO_PARTNER twice. Of heavy particles, who may overlap thousands, a workgroup makes the list of each.

struct Own {
  id: u32,
  found: u32,
#if BOXES
  high: Vector,
#endif
#if FILL
  places: Stretch,
#if HEAVY
  // Where it marks whom it overlaps.
  marks: u32,
#endif
#endif
}

#if BOXES
// High corners; positions are the low ones.

// Touching included.
fn overlaps(own: ptr<function, Own>, particle: Particle, other: u32) -> bool {
  return all(place_of(position_in[other]) <= (*own).high) && all(particle.position <= load_vector(high_in[other]));
}
#endif

fn reach_squared() -> f32 {
  return substep.diameter_squared;
}

#if FILL
fn first_place(id: u32) -> u32 {
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
  own.places = stretch_of(first_place(own.id), first_place(own.id + 1u), arrayLength(&pairs));
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
  if ((*own).found < (*own).places.room) {
    pairs[(*own).places.first + (*own).found] = vec2u((*own).id, other_id);
  }
#endif
#endif
  (*own).found += 1u;
}

#if HEAVY
#if FILL
fn places_of(own: Own) -> Stretch {
  return own.places;
}

fn put(own: Own, place: u32, id: u32) {
  pairs[place] = vec2u(own.id, id);
}

fn leave_out(place: u32) {
  pairs[place] = vec2u(NO_PARTNER);
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
  // Neighbours came in slot order. They are few, and nobody else has a hand in this stretch of the list.
  let end = own.places.first + min(own.found, own.places.room);
  // A device may round a pair that nearly touches in another way here than in the tally: its place is a hole then.
  for (var hole = end; hole < own.places.first + own.places.room; hole++) {
    pairs[hole] = vec2u(NO_PARTNER);
  }
  // By insertion where they are few; with gaps before that (Shell, 1, 4, 13 …) where they are a crowd.
  var gap = 1u;
  while (gap < (end - own.places.first) / 3u) {
    gap = 3u * gap + 1u;
  }
  for (; gap > 0u; gap /= 3u) {
    for (var index = own.places.first + gap; index < end; index++) {
      let moving = pairs[index];
      var place = index;
      while (place >= own.places.first + gap && pairs[place - gap].y > moving.y) {
        pairs[place] = pairs[place - gap];
        place -= gap;
      }
      pairs[place] = moving;
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
