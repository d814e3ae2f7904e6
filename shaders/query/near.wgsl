// Finds the particles near points, in two steps around a scan: tally counts them per point, fill writes their ids from
// the point's offset on, ascending. Inputs: a fresh grid, points. If the list is too short, it holds the ids of the
// first points. A device may round a distance differently in the two steps; an entry that then has no id is NO_PARTNER.

struct Near {
  reach_squared: f32,
  point_count: u32,
}

struct Own {
  found: u32,
#if FILL
  stretch: Stretch,
#endif
}

fn reach_squared() -> f32 {
  return parameters.reach_squared;
}

#if FILL
alias Entry = u32;

fn entry_at(index: u32) -> Entry {
  return ids[index];
}

fn put(index: u32, entry: Entry) {
  ids[index] = entry;
}

fn is_before(entry: Entry, other: Entry) -> bool {
  return entry < other;
}
#endif

fn begin(point: Particle) -> Own {
  var own = Own();
#if FILL
  own.stretch = stretch_of(offsets[point.slot], offsets[point.slot + 1u], arrayLength(&ids));
#endif
  return own;
}

fn visit(own: ptr<function, Own>, point: Particle, other: Neighbour) {
#if FILL
  if ((*own).found < (*own).stretch.room) {
    ids[(*own).stretch.first + (*own).found] = id_in[other.slot];
  }
#endif
  (*own).found += 1u;
}

fn finish(own: Own, point: Particle) {
#if FILL
  let end = own.stretch.first + min(own.found, own.stretch.room);
  for (var hole = end; hole < own.stretch.first + own.stretch.room; hole++) {
    ids[hole] = NO_PARTNER;
  }
  sort_stretch(own.stretch.first, end);
#else
  tallies[point.slot] = own.found;
#endif
}

fn skip(number: u32) {
#if !FILL
  tallies[number] = 0u;
#endif
}
