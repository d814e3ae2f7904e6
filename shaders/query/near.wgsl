// Finds the particles near points. Tally counts them; fill writes their ids, ascending per point. If the list is too
// short, it ends before the first point whose ids do not fit. A device may round distances differently in tally and
// fill. If fill finds fewer particles than tally, the other entries hold NO_PARTNER.
// Needs: Stretch, parameters, ids, Particle, stretch_of, offsets, Neighbour, id_in, sort_stretch, tallies.

struct Near {
  reach_squared: f32,
  point_count: u32,
}

struct Gathered {
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

fn begin(point: Particle) -> Gathered {
  var gathered = Gathered();
#if FILL
  gathered.stretch = stretch_of(offsets[point.slot], offsets[point.slot + 1u], arrayLength(&ids));
#endif
  return gathered;
}

fn visit(gathered: ptr<function, Gathered>, point: Particle, other: Neighbour) {
#if FILL
  if ((*gathered).found < (*gathered).stretch.room) {
    ids[(*gathered).stretch.first + (*gathered).found] = id_in[other.slot];
  }
#endif
  (*gathered).found += 1u;
}

fn finish(gathered: Gathered, point: Particle) {
#if FILL
  let end = gathered.stretch.first + min(gathered.found, gathered.stretch.room);
  for (var hole = end; hole < gathered.stretch.first + gathered.stretch.room; hole++) {
    ids[hole] = NO_PARTNER;
  }
  sort_stretch(gathered.stretch.first, end);
#else
  tallies[point.slot] = gathered.found;
#endif
}

fn skip(number: u32) {
#if !FILL
  tallies[number] = 0u;
#endif
}
