// Particles near points, in two steps around a scan: tally counts them for each point, fill writes their ids from
// the point's offset on, ascending. Inputs: a fresh grid, points. A list that is too short takes those of the first
// points. A place that holds no id after all, since a device may round a distance in another way in each of the
// two steps, is NO_PARTNER.

struct Near {
  reach_squared: f32,
  point_count: u32,
}

struct Own {
  found: u32,
#if FILL
  places: Stretch,
#endif
}

fn reach_squared() -> f32 {
  return parameters.reach_squared;
}

#if FILL
alias Entry = u32;

fn entry_at(place: u32) -> Entry {
  return ids[place];
}

fn put(place: u32, entry: Entry) {
  ids[place] = entry;
}

fn is_before(entry: Entry, other: Entry) -> bool {
  return entry < other;
}
#endif

fn begin(point: Particle) -> Own {
  var own = Own();
#if FILL
  own.places = stretch_of(offsets[point.slot], offsets[point.slot + 1u], arrayLength(&ids));
#endif
  return own;
}

fn visit(own: ptr<function, Own>, point: Particle, other: Neighbour) {
#if FILL
  if ((*own).found < (*own).places.room) {
    ids[(*own).places.first + (*own).found] = id_in[other.slot];
  }
#endif
  (*own).found += 1u;
}

fn finish(own: Own, point: Particle) {
#if FILL
  let end = own.places.first + min(own.found, own.places.room);
  for (var hole = end; hole < own.places.first + own.places.room; hole++) {
    ids[hole] = NO_PARTNER;
  }
  sort_stretch(own.places.first, end);
#else
  tallies[point.slot] = own.found;
#endif
}

fn skip(number: u32) {
#if !FILL
  tallies[number] = 0u;
#endif
}
