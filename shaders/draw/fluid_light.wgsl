// The surroundings of a 3D fluid's water: camera rays, the volume of densities (fluid_volume.wgsl), sun, sky and floor.
// Positions and directions are in the axes of the world.
// Needs: fluid, quad_corner, frame, volume, linear, SHADOW_STEPS.

struct Pixel {
  @builtin(position) position: vec4f,
  // The x and y of the camera's ray at depth 1.
  @location(0) ray: vec2f,
}

// A ray and the part of it inside the box. Distances are multiples of `direction`. For a ray of the camera, they are
// depths along the camera's axis.
struct Sight {
  origin: vec3f,
  direction: vec3f,
  entry: f32,
  exit: f32,
  // The outward normals of the walls through which the ray enters and leaves.
  wall: vec3f,
  far_wall: vec3f,
}

// The density at the surface. It is so low that even a thin layer of fluid is denser.
const BORDER = 0.42;
const LEAST_SLOPE = 1e-7;
const SUN = vec3f(-0.4567, 0.8119, -0.3637);
// The radius of the drawn floor, in half diagonals of the tank's floor.
const FLOOR_END = 1.7;
// The tank's height divided by the edge of a floor tile.
const TILES = 5.0;
const TILE_TONE = 0.5;
// The share of each channel that is left on the floor in the shadow of much fluid.
const SHADOW = vec3f(0.5, 0.6, 0.72);

// Returns a corner of a rectangle on the screen that covers a box.
fn corner_over(index: u32, lowest: vec3f, highest: vec3f) -> Pixel {
  var least = vec2f(1.0);
  var most = vec2f(-1.0);
  var nearest = 1.0;
  for (var bits = 0u; bits < 8u; bits++) {
    let clip = clip_of(select(lowest, highest, (vec3u(bits, bits >> 1u, bits >> 2u) & vec3u(1u)) == vec3u(1u)));
    nearest = min(nearest, clip.z);
    least = min(least, clip.xy / clip.w);
    most = max(most, clip.xy / clip.w);
  }
  // If a corner is nearer than the near plane, it cannot be projected, so the rectangle covers the whole picture.
  // Otherwise the rectangle leaves room for antialiased edges.
  let room = 4.0 / fluid.screen.xy;
  let is_whole = nearest < 0.0;
  let low = select(max(least - room, vec2f(-1.0)), vec2f(-1.0), is_whole);
  let high = select(min(most + room, vec2f(1.0)), vec2f(1.0), is_whole);
  let corner = mix(low, high, 0.5 + 0.5 * quad_corner(index));
  let ray = (corner + frame.projection[2].xy) / vec2f(frame.projection[0].x, frame.projection[1].y);
  return Pixel(vec4f(corner, 0.5, 1.0), ray);
}

fn to_world(direction: vec3f) -> vec3f {
  return transpose(mat3x3f(frame.view[0].xyz, frame.view[1].xyz, frame.view[2].xyz)) * direction;
}

fn sight_along(origin: vec3f, direction: vec3f) -> Sight {
  let ahead = select(vec3f(-1.0), vec3f(1.0), direction >= vec3f());
  let inverse = ahead / max(abs(direction), vec3f(LEAST_SLOPE));
  let entries = (select(frame.highest.xyz, frame.lowest.xyz, ahead > vec3f()) - origin) * inverse;
  let exits = (select(frame.lowest.xyz, frame.highest.xyz, ahead > vec3f()) - origin) * inverse;
  let entry = max(entries.x, max(entries.y, entries.z));
  let exit = min(exits.x, min(exits.y, exits.z));
  let wall = select(vec3f(), -ahead, entries == vec3f(entry));
  let far_wall = select(vec3f(), ahead, exits == vec3f(exit));
  return Sight(origin, direction, entry, exit, wall, far_wall);
}

fn sight_of(ray: vec2f) -> Sight {
  return sight_along(to_world(-frame.view[3].xyz) + frame.origin.xyz, to_world(vec3f(ray, -1.0)));
}

// Returns the distance at which the camera begins to see: at the box, or at the near plane inside the box.
fn start_of(sight: Sight) -> f32 {
  return max(sight.entry, frame.projection[3].z / frame.projection[2].z);
}

fn voxel_edge() -> f32 {
  let edges = (frame.highest.xyz - frame.lowest.xyz) / fluid.range.xyz;
  return min(edges.x, min(edges.y, edges.z));
}

// Returns the density and the position on the colour scale.
fn volume_at(point: vec3f) -> vec2f {
  let at = (point - frame.lowest.xyz) / (frame.highest.xyz - frame.lowest.xyz);
  return textureSampleLevel(volume, linear, at, 0.0).xy;
}

fn clip_of(point: vec3f) -> vec4f {
  return frame.projection * frame.view * vec4f(point - frame.origin.xyz, 1.0);
}

// Returns the share of the sun's light at a point on the floor, per channel.
fn sunlight_at(point: vec3f) -> vec3f {
  let sight = sight_along(point, SUN);
  let start = max(sight.entry, 0.0);
  let step = max(sight.exit - start, 0.0) / f32(SHADOW_STEPS);
  var depth = 0.0;
  for (var index = 0u; index < SHADOW_STEPS && step > 0.0; index++) {
    depth += step * smoothstep(0.1, 0.7, volume_at(point + SUN * (start + (f32(index) + 0.5) * step)).x);
  }
  return mix(SHADOW, vec3f(1.0), exp(-9.0 * depth / (frame.highest.y - frame.lowest.y)));
}

// Returns the colour of the tiles at a point of the floor. `width` is the size of a pixel there.
fn tiles_at(point: vec2f, width: vec2f) -> vec3f {
  let tile = TILES / (frame.highest.y - frame.lowest.y);
  let at = (point - frame.lowest.xz) * tile;
  let wide = max(width * tile, vec2f(1e-4));
  // The mean of the pattern over a pixel, so that far tiles do not flicker.
  let mean = 2.0 * (abs(fract((at - 0.5 * wide) * 0.5) - 0.5) - abs(fract((at + 0.5 * wide) * 0.5) - 0.5)) / wide;
  return mix(frame.surface.rgb, frame.line.rgb, TILE_TONE * (0.5 - 0.5 * mean.x * mean.y));
}

// Returns the light from a direction. A bright window above the tank gives the water something to mirror.
fn sky(direction: vec3f) -> vec3f {
  let up = direction.y;
  var colour = mix(fluid.horizon.rgb, fluid.zenith.rgb, smoothstep(0.1, 1.0, up));
  colour = mix(colour, mix(frame.surface.rgb, frame.line.rgb, 0.3), smoothstep(0.05, -0.35, up));
  let at = abs(direction.xz / max(up, 0.05) - vec2f(-0.5, -0.2)) / vec2f(0.9, 0.5);
  let pane = (1.0 - smoothstep(0.75, 1.0, at.x)) * (1.0 - smoothstep(0.75, 1.0, at.y)) * smoothstep(0.1, 0.3, up);
  return colour + vec3f(fluid.zenith.a * pane);
}
