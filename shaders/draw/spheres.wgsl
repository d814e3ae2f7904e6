// Particles of space: one quad each that faces the eye, shaded and given depth as the sphere it stands for.
// Needs frame. Drawn as a strip of four vertices, one instance a slot, straight from the simulation's buffers.

struct Sphere {
  @builtin(position) place: vec4f,
  // From the centre, in radii.
  @location(0) offset: vec2f,
  @location(1) @interpolate(flat) centre: vec3f,
  @location(2) @interpolate(flat) colour: vec3f,
  @location(3) @interpolate(flat) radius: f32,
}

struct Shaded {
  @location(0) colour: vec4f,
  @builtin(frag_depth) depth: f32,
}

@group(1) @binding(0) var<storage, read> position: array<Body>;
@group(1) @binding(1) var<storage, read> velocity: array<Stored>;

// Seen from the eye, of unit length: over the left shoulder.
const LIGHT = vec3f(-0.4017, 0.7231, 0.5624);

@vertex
fn sphere_vertex(@builtin(vertex_index) index: u32, @builtin(instance_index) slot: u32) -> Sphere {
  let centre = place_of(position[slot]);
  if (!is_drawable(centre)) {
    return Sphere(NOWHERE, vec2f(), vec3f(), vec3f(), 0.0);
  }
  let radius = drawn_radius(position[slot]);
  // A little larger than the sphere: room for the antialiased edge.
  let corner = quad_corner(index) * 1.1;
  let eye = (frame.view * vec4f(lift(centre), 1.0)).xyz;
  let place = frame.projection * vec4f(eye + vec3f(corner * radius, 0.0), 1.0);
  return Sphere(place, corner, eye, speed_colour(length(load_vector(velocity[slot]))), radius);
}

@fragment
fn sphere_fragment(sphere: Sphere) -> Shaded {
  let distance = length(sphere.offset);
  let coverage = clamp(0.5 + (1.0 - distance) / max(fwidth(distance), 1e-4), 0.0, 1.0);
  if (coverage <= frame.scale.w) {
    discard;
  }
  let normal = vec3f(sphere.offset, sqrt(max(0.0, 1.0 - distance * distance)));
  let point = sphere.centre + normal * sphere.radius;
  let clip = frame.projection * vec4f(point, 1.0);
  // World's up, as the eye sees it.
  let sky = 0.5 + 0.5 * dot(normal, frame.view[1].xyz);
  let diffuse = max(0.0, dot(normal, LIGHT));
  let glint = pow(max(0.0, dot(normal, normalize(LIGHT + vec3f(0.0, 0.0, 1.0)))), 40.0);
  let shaded = sphere.colour * (0.34 + 0.26 * sky + 0.62 * diffuse) + vec3f(0.14 * glint);
  let haze = smoothstep(frame.fog.x, frame.fog.y, -point.z) * frame.fog.z;
  return Shaded(vec4f(mix(shaded, frame.background.rgb, haze), coverage), clamp(clip.z / clip.w, 0.0, 1.0));
}
