// Particles of the plane: one quad each, a disc with an edge antialiased over one pixel. Needs frame.
// Drawn as a strip of four vertices, one instance a slot, straight from the simulation's buffers.

struct Disc {
  @builtin(position) place: vec4f,
  // From the centre, in pixels.
  @location(0) offset: vec2f,
  @location(1) @interpolate(flat) colour: vec3f,
  // Pixels.
  @location(2) @interpolate(flat) radius: f32,
}

@group(1) @binding(0) var<storage, read> position: array<Body>;
@group(1) @binding(1) var<storage, read> velocity: array<Stored>;

// Below this radius in pixels a disc is drawn this large and fainter, lest it fall between pixels.
const SMALLEST = 0.6;

// Pixels.
const WIDEST_RIM = 5.0;

@vertex
fn disc_vertex(@builtin(vertex_index) index: u32, @builtin(instance_index) slot: u32) -> Disc {
  let centre = place_of(position[slot]);
  if (!is_drawable(centre)) {
    return Disc(NOWHERE, vec2f(), vec3f(), 0.0);
  }
  let radius = drawn_radius(position[slot]) * frame.scale.y;
  let pixels = max(radius, SMALLEST) + 1.0;
  let corner = quad_corner(index) * pixels;
  let place = frame.projection * frame.view * vec4f(lift(centre) + vec3f(corner / frame.scale.y, 0.0), 1.0);
  return Disc(place, corner, speed_colour(length(load_vector(velocity[slot]))), radius);
}

@fragment
fn disc_fragment(disc: Disc) -> @location(0) vec4f {
  let radius = disc.radius;
  let drawn = max(radius, SMALLEST);
  let distance = length(disc.offset);
  let coverage = clamp(drawn + 0.5 - distance, 0.0, 1.0) * min(1.0, (radius * radius) / (SMALLEST * SMALLEST));
  // A darker rim tells neighbours of one colour apart; there is none where it would be all there is.
  let rim = smoothstep(max(radius * 0.7, radius - WIDEST_RIM), radius, distance) * smoothstep(1.5, 5.0, radius);
  return vec4f(disc.colour * (1.0 - 0.38 * rim) * coverage, coverage);
}
