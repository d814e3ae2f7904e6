// Computes sums and maxima over all particles, which the caller has just sorted. With EXACT, link measure/exact.wgsl,
// too. Outputs MEASURE_WORDS words per workgroup. Adds in order of threads, so the bits are reproducible.
// Words (* counts each pair twice):
//   0, 1    candidates (low, high)*
//   2, 3    contacts (low, high)*
//   4       occupied cells
//   5       most particles in a cell
//   6       particles outside the world
//   7       particles without a cell
//   8       twice the kinetic energy
//   9 … 11  momentum
//   12      deepest overlap
//   13      sum of overlaps*
//   14, 15  state hash (low, high), as in src/core/state/hash.ts
//   16      borderline pairs*, as in src/core/world/borderline.ts
//   17      particles whose bucket also holds another cell
//   18      particles in crowded cells
//   19      overlaps with obstacles
// Needs: Cell, Particle, Neighbour, Contact, measure, MAGNITUDE_BITS, grid, contact_with, are_candidates, cell_of_slot.
// Needs: position_in, are_adjacent, lattice_of, substep, NOWHERE, particle_of, id_in, probe, velocity_bits.
// Needs: position_bits, is_in_grid, count_candidates, census_of, probe_obstacles, partials.

struct Measure {
  // The world's corners; substep.lower and substep.upper are the limits of centres.
  lowest: Vector,
  highest: Vector,
  // Squared distances in [low, high) are borderline, unless both particles are on the exact lattice; see
  // src/core/world/borderline.ts.
  borderline_low: f32,
  borderline_high: f32,
  lattice_scale: f32,
  // With variable radii, distances² from reach² − margin to reach² + margin are borderline, where
  //   margin = borderline_share × reach² + borderline_around × reach.
  // `borderline_high` is then a factor: pairs beyond borderline_high × reach² are never borderline. With boxes, `visit`
  // compares overlaps instead.
  borderline_share: f32,
  borderline_around: f32,
}

struct Census {
  // True for one particle of each cell.
  is_first: bool,
  occupancy: u32,
  is_shared: bool,
}

struct Gathered {
  cell: Cell,
  exact: bool,
  borderline: u32,
  contacts: u32,
  deepest: f32,
  overlap: f32,
}

// `position_bits` is `position_in` as bits, because loading floats may flush or change bits.

#if OBSTACLES
struct ObstacleSum {
  count: u32,
}

fn meet_obstacle(met: ptr<function, ObstacleSum>, particle: Particle, obstacle: Neighbour, contact: Contact) {
  (*met).count += 1u;
}

#endif
var<workgroup> words: array<array<u32, MEASURE_WORKGROUP_SIZE>, MEASURE_WORDS>;

fn is_on_lattice(position: Vector) -> bool {
  let scaled = position * measure.lattice_scale;
  // Scaling may turn a coordinate that is not 0 into 0.
  let is_zero = (bitcast<Extent>(position) & Extent(MAGNITUDE_BITS)) == Extent();
  return measure.lattice_scale > 0.0 && all((scaled == floor(scaled)) & ((scaled != Vector()) | is_zero));
}

#if VARIABLE_RADII
fn is_exact(body: PackedBody) -> bool {
  let is_whole = is_on_lattice(body_position(body));
  let scaled = radius_of(body) * measure.lattice_scale;
#if HAS_BOXES
  if (body.shape.x > 0.0) {
    return is_whole && is_on_lattice(upper_of(body.shape));
  }
#endif
  return is_whole && scaled == floor(scaled);
}

// Returns the mass as a share of the largest allowed mass.
fn weight_of(particle: Particle) -> f32 {
#if HAS_BOXES
  let ratio = particle.bulk / grid.greatest_radius;
#else
  let ratio = particle.radius / grid.greatest_radius;
#endif
  return select(ratio * ratio, ratio * ratio * ratio, DIMENSIONS == 3u);
}

#if HAS_BOXES
fn size_of(half: Vector, radius: f32) -> f32 {
  return select(radius, dot(half, Vector(1.0)), half.x > 0.0);
}

fn visit(gathered: ptr<function, Gathered>, particle: Particle, other: Neighbour) {
  let contact = contact_with(particle, other);
  let size = size_of(particle.half, particle.radius) + size_of(other.half, other.radius);
  if (abs(contact.overlap) <= measure.borderline_share * size + measure.borderline_around) {
    let adjacent = are_candidates((*gathered).cell, particle.radius, cell_of_slot[other.slot], other.radius);
    if (adjacent && !((*gathered).exact && is_exact(position_in[other.slot]))) {
      (*gathered).borderline += 1u;
    }
  }
  if (!contact.is_contact) {
    return;
  }
  (*gathered).contacts += 1u;
  (*gathered).deepest = max((*gathered).deepest, contact.overlap);
  (*gathered).overlap += contact.overlap;
}
#else
fn visit(gathered: ptr<function, Gathered>, particle: Particle, other: Neighbour) {
  let reach = particle.radius + other.radius;
  let limit = reach * reach;
  let margin = limit * measure.borderline_share + reach * measure.borderline_around;
  if (other.distance_squared >= limit - margin && other.distance_squared < limit + margin) {
    let adjacent = are_candidates((*gathered).cell, particle.radius, cell_of_slot[other.slot], other.radius);
    if (adjacent && !((*gathered).exact && is_exact(position_in[other.slot]))) {
      (*gathered).borderline += 1u;
    }
  }
  if (other.distance_squared >= limit) {
    return;
  }
  let overlap = reach - sqrt(other.distance_squared);
  (*gathered).contacts += 1u;
  (*gathered).deepest = max((*gathered).deepest, overlap);
  (*gathered).overlap += overlap;
}
#endif
#elif !EXACT
fn visit(gathered: ptr<function, Gathered>, particle: Particle, other: Neighbour) {
  if (other.distance_squared >= measure.borderline_low) {
    // The naive loop also sees pairs in cells that are not adjacent, which cannot overlap.
    let adjacent = are_adjacent(lattice_of((*gathered).cell), lattice_of(cell_of_slot[other.slot]));
    if (adjacent && !((*gathered).exact && is_on_lattice(body_position(position_in[other.slot])))) {
      (*gathered).borderline += 1u;
    }
    if (other.distance_squared >= substep.diameter_squared) {
      return;
    }
  }
  let overlap = substep.diameter - sqrt(other.distance_squared);
  (*gathered).contacts += 1u;
  (*gathered).deepest = max((*gathered).deepest, overlap);
  (*gathered).overlap += overlap;
}
#endif

#if !EXACT
fn is_outside(slot: u32, position: Vector) -> bool {
  return any(position < measure.lowest) || any(position > measure.highest);
}
#endif

fn mix_word(value: u32, word: u32) -> u32 {
  var mixed = (value ^ word) * 0xcc9e2d51u;
  mixed = (mixed ^ (mixed >> 15u)) * 0x1b873593u;
  mixed ^= mixed >> 13u;
  return mixed * 5u + 0xe6546b64u;
}

fn hash_of(seed: u32, id: u32, body: PackedBodyBits, velocity: StoredBits) -> u32 {
  var hash = mix_word(seed, id);
#if HAS_BOXES
  let coordinates = body.ball;
#else
  let coordinates = body;
#endif
  for (var axis = 0u; axis < DIMENSIONS; axis++) {
    hash = mix_word(hash, coordinates[axis]);
  }
  for (var axis = 0u; axis < DIMENSIONS; axis++) {
    hash = mix_word(hash, velocity[axis]);
  }
#if VARIABLE_RADII
  hash = mix_word(hash, coordinates.w);
#endif
#if HAS_BOXES
  for (var axis = 0u; axis < DIMENSIONS; axis++) {
    hash = mix_word(hash, body.shape[axis]);
  }
#endif
  return hash;
}

fn add_wide(low: ptr<function, u32>, high: ptr<function, u32>, value: u32) {
  let sum = *low + value;
  *high += select(0u, 1u, sum < value);
  *low = sum;
}

@compute @workgroup_size(MEASURE_WORKGROUP_SIZE)
fn measure_state(
  @builtin(workgroup_id) workgroup: vec3u,
  @builtin(num_workgroups) workgroups: vec3u,
  @builtin(local_invocation_index) thread: u32,
) {
  let stride = workgroups.x * MEASURE_WORKGROUP_SIZE;
  var candidates_low = 0u;
  var candidates_high = 0u;
  var contacts_low = 0u;
  var contacts_high = 0u;
  var occupied = 0u;
  var greatest = 0u;
  var outside = 0u;
  var not_finite = 0u;
  var energy = 0.0;
  var momentum = vec3f();
  var deepest = 0.0;
  var overlap = 0.0;
  var hash_low = 0u;
  var hash_high = 0u;
  var borderline = 0u;
  var colliding = 0u;
  var crowded = 0u;
#if OBSTACLES
  var met = ObstacleSum();
#endif
  // The naive probe has barriers, so all threads of a workgroup must run the same rounds.
  for (var base = workgroup.x * MEASURE_WORKGROUP_SIZE; base < grid.count; base += stride) {
    let slot = base + thread;
    let present = slot < grid.count;
    // Some implementations do not clear variables in each round.
    var gathered = Gathered();
    var cell = NOWHERE;
    var position = Vector();
    var particle = Particle();
    var id = 0u;
    if (present) {
      position = body_position(position_in[slot]);
      particle = particle_of(slot, position_in[slot]);
#if VARIABLE_RADII
      gathered.exact = is_exact(position_in[slot]);
#else
      gathered.exact = is_on_lattice(position);
#endif
      gathered.cell = cell_of_slot[slot];
      id = id_in[slot];
      cell = cell_of_slot[slot];
    }
    probe(&gathered, particle, slot, cell, measure.borderline_high, thread);
    if (present) {
      let bits = velocity_bits[slot];
      hash_low += hash_of(HASH_SEED_LOW, id, position_bits[slot], bits);
      hash_high += hash_of(HASH_SEED_HIGH, id, position_bits[slot], bits);
      if (!is_in_grid(cell)) {
        not_finite += 1u;
      } else {
        add_wide(&candidates_low, &candidates_high, count_candidates(slot, cell));
        add_wide(&contacts_low, &contacts_high, gathered.contacts);
        borderline += gathered.borderline;
        deepest = max(deepest, gathered.deepest);
        overlap += gathered.overlap;
        let velocity = load_vector(bitcast<Stored>(bits));
#if VARIABLE_RADII
        let impulse = weight_of(particle) * velocity;
#else
        let impulse = velocity;
#endif
        energy += dot(impulse, velocity);
        for (var axis = 0u; axis < DIMENSIONS; axis++) {
          momentum[axis] += impulse[axis];
        }
        outside += select(0u, 1u, is_outside(slot, position));
        let census = census_of(slot, cell);
        occupied += select(0u, 1u, census.is_first);
        greatest = max(greatest, census.occupancy);
        colliding += select(0u, 1u, census.is_shared);
        crowded += select(0u, 1u, census.occupancy > CROWDED);
#if OBSTACLES
        probe_obstacles(&met, particle);
#endif
      }
    }
  }
  words[0][thread] = candidates_low;
  words[1][thread] = candidates_high;
  words[2][thread] = contacts_low;
  words[3][thread] = contacts_high;
  words[4][thread] = occupied;
  words[5][thread] = greatest;
  words[6][thread] = outside;
  words[7][thread] = not_finite;
  words[8][thread] = bitcast<u32>(energy);
  words[9][thread] = bitcast<u32>(momentum.x);
  words[10][thread] = bitcast<u32>(momentum.y);
  words[11][thread] = bitcast<u32>(momentum.z);
  words[12][thread] = bitcast<u32>(deepest);
  words[13][thread] = bitcast<u32>(overlap);
  words[14][thread] = hash_low;
  words[15][thread] = hash_high;
  words[16][thread] = borderline;
  words[17][thread] = colliding;
  words[18][thread] = crowded;
#if OBSTACLES
  words[19][thread] = met.count;
#endif
  workgroupBarrier();
  if (thread >= MEASURE_WORDS) {
    return;
  }
  // Thread n combines word n of all threads in every way (sum or maximum, integer or float). The switch chooses the
  // result.
  var sum = 0u;
  var carried = 0u;
  var most = 0u;
  var sum_float = 0.0;
  var most_float = 0.0;
  // High words of 64-bit sums also get the carries of their low words.
  var low = 0u;
  let low_word = select(0u, thread - 1u, thread > 0u);
  for (var index = 0u; index < MEASURE_WORKGROUP_SIZE; index++) {
    let word = words[thread][index];
    sum += word;
    most = max(most, word);
    sum_float += bitcast<f32>(word);
    most_float = max(most_float, bitcast<f32>(word));
    add_wide(&low, &carried, words[low_word][index]);
  }
  var result = sum;
  switch (thread) {
    case 1u, 3u: {
      result = sum + carried;
    }
    case 5u: {
      result = most;
    }
    case 8u, 9u, 10u, 11u, 13u: {
      result = bitcast<u32>(sum_float);
    }
    case 12u: {
      result = bitcast<u32>(most_float);
    }
    default: {
    }
  }
  partials[workgroup.x * MEASURE_WORDS + thread] = result;
}
