// Particles of the plane: one quad each, a disc with an edge antialiased over one pixel; with HAS_BOXES some are boxes,
// which cover of each pixel their share of it. Needs frame and colour.
// Drawn as a strip of four vertices, one instance a slot, straight from the simulation's buffers.

struct Disc {
  @builtin(position) place: vec4f,
  // From the centre, in pixels.
  @location(0) offset: vec2f,
  @location(1) @interpolate(flat) colour: vec3f,
  // Pixels.
  @location(2) @interpolate(flat) radius: f32,
#if HAS_BOXES
  // Pixels, 0 of a disc.
  @location(3) @interpolate(flat) half: vec2f,
#endif
}

@group(1) @binding(0) var<storage, read> position: array<PackedBody>;

// Below this radius in pixels a disc is drawn this large and fainter, lest it fall between pixels.
const SMALLEST = 0.6;

// Pixels.
const WIDEST_RIM = 5.0;

@vertex
fn disc_vertex(@builtin(vertex_index) index: u32, @builtin(instance_index) slot: u32) -> Disc {
  let centre = body_position(position[slot]);
  if (!is_drawable(centre)) {
#if HAS_BOXES
    return Disc(NOWHERE, vec2f(), vec3f(), 0.0, vec2f());
#else
    return Disc(NOWHERE, vec2f(), vec3f(), 0.0);
#endif
  }
#if HAS_BOXES
  let half = position[slot].shape.xy * frame.scale.y;
  let is_box = half.x > 0.0;
  // Of a box, that of the largest disc in it.
  let radius = select(drawn_radius(position[slot]) * frame.scale.y, min(half.x, half.y), is_box);
  let pixels = select(vec2f(max(radius, SMALLEST)), half, is_box) + 1.0;
#else
  let radius = drawn_radius(position[slot]) * frame.scale.y;
  let pixels = max(radius, SMALLEST) + 1.0;
#endif
  let corner = quad_corner(index) * pixels;
  let place = frame.projection * frame.view * vec4f(lift(centre) + vec3f(corner / frame.scale.y, 0.0), 1.0);
#if HAS_BOXES
  return Disc(place, corner, colour_of(slot), radius, half);
#else
  return Disc(place, corner, colour_of(slot), radius);
#endif
}

@fragment
fn disc_fragment(disc: Disc) -> @location(0) vec4f {
  let radius = disc.radius;
  let drawn = max(radius, SMALLEST);
#if HAS_BOXES
  var distance = length(disc.offset);
  var coverage = clamp(drawn + 0.5 - distance, 0.0, 1.0) * min(1.0, (radius * radius) / (SMALLEST * SMALLEST));
  if (disc.half.x > 0.0) {
    let middle = abs(disc.offset);
    // Of the pixel's square, along each axis: what lies in the box, however narrow that is.
    let covered = max(min(middle + 0.5, disc.half) - max(middle - 0.5, -disc.half), vec2f());
    coverage = covered.x * covered.y;
    // As far from the edge as at this distance from the middle of the disc.
    let beyond = middle - disc.half;
    distance = radius + max(beyond.x, beyond.y);
  }
#else
  let distance = length(disc.offset);
  let coverage = clamp(drawn + 0.5 - distance, 0.0, 1.0) * min(1.0, (radius * radius) / (SMALLEST * SMALLEST));
#endif
  // A darker rim tells neighbours of one colour apart; there is none where it would be all there is.
  let rim = smoothstep(max(radius * 0.7, radius - WIDEST_RIM), radius, distance) * smoothstep(1.5, 5.0, radius);
  return vec4f(disc.colour * (1.0 - 0.38 * rim) * coverage, coverage);
}
