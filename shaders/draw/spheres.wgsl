// Draws particles in 3D from the simulation's buffers, as a strip of four vertices per slot. Each particle has the
// shading and depth of its sphere or box. Distances are measured along the camera's axis.
// Needs: is_drawable, OFF_SCREEN, drawn_radius, drawn_share, quad_corner, frame, lift, colour_of, LIGHT.

struct Sphere {
  @builtin(position) position: vec4f,
  // For a sphere, the offset from the centre in radii. For a box, the camera ray through the vertex: its x and y at
  // distance 1.
  @location(0) offset: vec2f,
  @location(1) @interpolate(flat) centre: vec3f,
  @location(2) @interpolate(flat) colour: vec3f,
  @location(3) @interpolate(flat) radius: f32,
#if HAS_BOXES
  // Half the edges; 0 for a sphere.
  @location(4) @interpolate(flat) half: vec3f,
#endif
}

struct Shaded {
  @location(0) colour: vec4f,
  @builtin(frag_depth) depth: f32,
}

#if HAS_BOXES
// FARTHEST exceeds the distance of any box. A slope of a ray counts as at least LEAST_SLOPE, so that no division
// overflows.
const FARTHEST = 1e30;
const LEAST_SLOPE = 1e-7;

// A darker rim along edges separates faces of one colour. WIDEST_RIM is its greatest width in pixels; DARKEST_RIM is
// the share of light lost at the edge.
const WIDEST_RIM = 4.0;
const DARKEST_RIM = 0.3;
#endif

@vertex
fn sphere_vertex(@builtin(vertex_index) index: u32, @builtin(instance_index) slot: u32) -> Sphere {
  let centre = body_position(position[slot]);
  if (!is_drawable(centre)) {
#if HAS_BOXES
    return Sphere(OFF_SCREEN, vec2f(), vec3f(), vec3f(), 0.0, vec3f());
#else
    return Sphere(OFF_SCREEN, vec2f(), vec3f(), vec3f(), 0.0);
#endif
  }
  let radius = drawn_radius(position[slot]) * drawn_share();
  // Leaves room for the antialiased edge.
  let corner = quad_corner(index) * 1.1;
  let middle = (frame.view * vec4f(lift(centre), 1.0)).xyz;
  let clip = frame.projection * vec4f(middle + vec3f(corner * radius, 0.0), 1.0);
#if HAS_BOXES
  let colour = colour_of(slot);
  let half = position[slot].shape.xyz * drawn_share();
  if (half.x > 0.0) {
    let ray = ray_of(index, middle, half);
    // Any depth between the near and the far plane works here, because the fragment shader writes the true one.
    let screen = vec4f((frame.projection * vec4f(ray, -1.0, 1.0)).xy, 0.5, 1.0);
    return Sphere(screen, ray, middle, colour, radius, half);
  }
  return Sphere(clip, corner, middle, colour, radius, half);
#else
  return Sphere(clip, corner, middle, colour_of(slot), radius);
#endif
}

#if HAS_BOXES
fn near_plane() -> f32 {
  return frame.projection[3].z / frame.projection[2].z;
}

// Returns the camera ray through a corner of a quad that covers the box, as the ray's x and y at distance 1.
fn ray_of(index: u32, centre: vec3f, half: vec3f) -> vec2f {
  var least = vec2f(FARTHEST);
  var most = vec2f(-FARTHEST);
  var nearest = FARTHEST;
  for (var bits = 0u; bits < 8u; bits++) {
    let side = (vec3f((vec3u(bits) >> vec3u(0u, 1u, 2u)) & vec3u(1u)) * 2.0 - 1.0) * half;
    let corner = centre + (frame.view * vec4f(side, 0.0)).xyz;
    nearest = min(nearest, -corner.z);
    least = min(least, corner.xy / -corner.z);
    most = max(most, corner.xy / -corner.z);
  }
  if (nearest < near_plane()) {
    // Corners nearer than the near plane cannot be projected, so the quad covers the whole picture.
    return (quad_corner(index) + frame.projection[2].xy) / vec2f(frame.projection[0].x, frame.projection[1].y);
  }
  return mix(least, most, 0.5) + quad_corner(index) * (most - least) * 0.55;
}

struct Cut {
  coverage: f32,
  depth: f32,
  // The normal in the camera's axes. On an edge, it is the mean of the normals of both faces, so that light changes
  // evenly.
  normal: vec3f,
  kept: f32,
}

// Intersects a box with the ray (ray.x, ray.y, −1). Call it in uniform control flow.
fn cut(ray: vec2f, centre: vec3f, half: vec3f) -> Cut {
  // The camera's position relative to the centre of the box, and the direction of the ray, in the axes of the world.
  // These are also the axes of the box.
  let axes = transpose(mat3x3f(frame.view[0].xyz, frame.view[1].xyz, frame.view[2].xyz));
  let camera = axes * -centre;
  let towards = axes * vec3f(ray, -1.0);
  let ahead = select(vec3f(-1.0), vec3f(1.0), towards >= vec3f());
  let inverse = ahead / max(abs(towards), vec3f(LEAST_SLOPE));
  let entries = (-ahead * half - camera) * inverse;
  let exits = (ahead * half - camera) * inverse;
  let entry = max(entries.x, max(entries.y, entries.z));
  // The length of the ray inside the box, negative if it misses; at least −size, because huge values make fwidth
  // useless.
  let size = length(half);
  let through = max(min(exits.x, min(exits.y, exits.z)) - entry, -size);
  let coverage = clamp(0.5 + through / max(fwidth(through), LEAST_SLOPE), 0.0, 1.0);
  // The ray enters the box once it has crossed the front planes of all axes. Where two faces meet, `later` is 0 for
  // both of their axes.
  let later = max(entries - max(entries.yzx, entries.zxy), vec3f(-size));
  let weights = clamp(0.5 + later / max(fwidth(later), vec3f(LEAST_SLOPE)), vec3f(), vec3f(1.0));
  let facing = -ahead * weights / dot(weights, vec3f(1.0));
  let gaps = select(half - abs(camera + towards * entry), vec3f(FARTHEST), entries == vec3f(entry));
  let narrowest = min(half.x, min(half.y, half.z));
  let pixel = entry * fwidth(ray.x);
  let rim = 1.0 - smoothstep(0.0, min(0.3 * narrowest, WIDEST_RIM * pixel), min(gaps.x, min(gaps.y, gaps.z)));
  return Cut(
    select(coverage, 0.0, entry < near_plane()),
    entry,
    (frame.view * vec4f(facing, 0.0)).xyz,
    1.0 - DARKEST_RIM * rim * smoothstep(1.5, 5.0, narrowest / pixel),
  );
}
#endif

@fragment
fn sphere_fragment(sphere: Sphere) -> Shaded {
  let distance = length(sphere.offset);
#if HAS_BOXES
  let is_box = sphere.half.x > 0.0;
  let box = cut(sphere.offset, sphere.centre, sphere.half);
  let ball = clamp(0.5 + (1.0 - distance) / max(fwidth(distance), 1e-4), 0.0, 1.0);
  let coverage = select(ball, box.coverage, is_box);
#else
  let coverage = clamp(0.5 + (1.0 - distance) / max(fwidth(distance), 1e-4), 0.0, 1.0);
#endif
  if (coverage <= frame.scale.w) {
    discard;
  }
#if HAS_BOXES
  var normal = vec3f(sphere.offset, sqrt(max(0.0, 1.0 - distance * distance)));
  var point = sphere.centre + normal * sphere.radius;
  var kept = 1.0;
  if (is_box) {
    kept = box.kept;
    normal = box.normal;
    point = vec3f(sphere.offset, -1.0) * box.depth;
  }
#else
  let normal = vec3f(sphere.offset, sqrt(max(0.0, 1.0 - distance * distance)));
  let point = sphere.centre + normal * sphere.radius;
#endif
  let clip = frame.projection * vec4f(point, 1.0);
  // How far the normal points up: 0 for down, 1 for up.
  let sky = 0.5 + 0.5 * dot(normal, frame.view[1].xyz);
  let diffuse = max(0.0, dot(normal, LIGHT));
  let glint = pow(max(0.0, dot(normal, normalize(LIGHT + vec3f(0.0, 0.0, 1.0)))), 40.0);
#if HAS_BOXES
  let shaded = kept * sphere.colour * (0.34 + 0.26 * sky + 0.62 * diffuse) + vec3f(0.14 * glint);
#else
  let shaded = sphere.colour * (0.34 + 0.26 * sky + 0.62 * diffuse) + vec3f(0.14 * glint);
#endif
  let haze = smoothstep(frame.fog.x, frame.fog.y, -point.z) * frame.fog.z;
  return Shaded(vec4f(mix(shaded, frame.background.rgb, haze), coverage), clamp(clip.z / clip.w, 0.0, 1.0));
}
