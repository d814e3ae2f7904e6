// Draws particles in 2D from the simulation's buffers, as a strip of four vertices per slot. Disc edges are antialiased
// over one pixel; the coverage of boxes is exact.
// Needs: is_drawable, OFF_SCREEN, frame, drawn_radius, quad_corner, lift, colour_of.

struct Disc {
  @builtin(position) position: vec4f,
  // The offset from the centre, in pixels.
  @location(0) offset: vec2f,
  @location(1) @interpolate(flat) colour: vec3f,
  // The radius in pixels.
  @location(2) @interpolate(flat) radius: f32,
#if HAS_BOXES
  // Half the edges of a box in pixels; 0 for a disc.
  @location(3) @interpolate(flat) half: vec2f,
#endif
}

// The least drawn radius in pixels. Smaller discs, which could vanish between pixels, are drawn fainter at this radius.
const SMALLEST = 0.6;

// The greatest width of the darker rim, in pixels.
const WIDEST_RIM = 5.0;

@vertex
fn disc_vertex(@builtin(vertex_index) index: u32, @builtin(instance_index) slot: u32) -> Disc {
  let centre = body_position(position[slot]);
  if (!is_drawable(centre)) {
#if HAS_BOXES
    return Disc(OFF_SCREEN, vec2f(), vec3f(), 0.0, vec2f());
#else
    return Disc(OFF_SCREEN, vec2f(), vec3f(), 0.0);
#endif
  }
#if HAS_BOXES
  let half = position[slot].shape.xy * frame.scale.y;
  let is_box = half.x > 0.0;
  // For a box, the radius of the largest disc inside.
  let radius = select(drawn_radius(position[slot]) * frame.scale.y, min(half.x, half.y), is_box);
  let pixels = select(vec2f(max(radius, SMALLEST)), half, is_box) + 1.0;
#else
  let radius = drawn_radius(position[slot]) * frame.scale.y;
  let pixels = max(radius, SMALLEST) + 1.0;
#endif
  let corner = quad_corner(index) * pixels;
  let clip = frame.projection * frame.view * vec4f(lift(centre) + vec3f(corner / frame.scale.y, 0.0), 1.0);
#if HAS_BOXES
  return Disc(clip, corner, colour_of(slot), radius, half);
#else
  return Disc(clip, corner, colour_of(slot), radius);
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
    let covered = max(min(middle + 0.5, disc.half) - max(middle - 0.5, -disc.half), vec2f());
    coverage = covered.x * covered.y;
    let beyond = middle - disc.half;
    distance = radius + max(beyond.x, beyond.y);
  }
#else
  let distance = length(disc.offset);
  let coverage = clamp(drawn + 0.5 - distance, 0.0, 1.0) * min(1.0, (radius * radius) / (SMALLEST * SMALLEST));
#endif
  let rim = smoothstep(max(radius * 0.7, radius - WIDEST_RIM), radius, distance) * smoothstep(1.5, 5.0, radius);
  return vec4f(disc.colour * (1.0 - 0.38 * rim) * coverage, coverage);
}
