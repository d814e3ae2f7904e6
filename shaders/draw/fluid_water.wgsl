// Draws the fluid in 3D as a strip of four vertices over the picture. The surface mirrors light; the fluid refracts and
// absorbs the light from behind. The fluid ends flat at the walls, like water behind glass. Writes depth. Textures hold
// depths as fluid_balls.wgsl stores them.
// Needs: quad_corner, frame, distances, NOTHING, fluid, spline, smooth_sample, thicknesses, linear, scene, LIGHT.
// Needs: colour_at.

struct Pixel {
  @builtin(position) position: vec4f,
  // The x and y of the camera's ray at depth 1.
  @location(0) ray: vec2f,
}

struct Water {
  @location(0) colour: vec4f,
  @builtin(frag_depth) depth: f32,
}

// The share of head-on light that is mirrored, and the refractive index of air over that of water.
const MIRRORED = 0.02;
const BENT = 0.75;
const LEAST_SLOPE = 1e-7;
// The unit of THIN, BEYOND and TOUCHES is the distance between particles. Water fades in between the two thicknesses of
// THIN.
const THIN = vec2f(0.15, 0.5);
// The width over which water fades out at the wall behind it.
const BEYOND = 0.3;
// If the surface is nearer to the front wall than TOUCHES.x, it is as flat as the wall. If it is farther than
// TOUCHES.y, the wall has no effect.
const TOUCHES = vec2f(0.6, 1.3);
const CLEAR = 0.6;
// The share of each channel that is left in shade. Blue keeps most, because grey looks like dirt.
const SHADE = vec3f(0.56, 0.72, 0.86);
// Fast water looks like foam: at the end of the colour scale, it is 1 + FOAM times as cloudy as at the beginning.
const FOAM = 5.0;

@vertex
fn water_vertex(@builtin(vertex_index) index: u32) -> Pixel {
  let corner = quad_corner(index);
  let ray = (corner + frame.projection[2].xy) / vec2f(frame.projection[0].x, frame.projection[1].y);
  return Pixel(vec4f(corner, 0.5, 1.0), ray);
}

fn distance_at(texel: vec2i) -> f32 {
  let last = vec2i(textureDimensions(distances)) - 1;
  return textureLoad(distances, clamp(texel, vec2i(0), last), 0).x;
}

// Returns the smoothed depth of the surface, or NOTHING, and its change per texel along x and y.
fn surface_at(texel: vec2f) -> vec3f {
  let base = vec2i(floor(texel - 0.5));
  let share = texel - 0.5 - vec2f(base);
  var middle = distance_at(vec2i(floor(texel)));
  for (var corner = 0; corner < 4 && middle >= f32(NOTHING); corner++) {
    middle = distance_at(base + vec2i(corner & 1, corner >> 1));
  }
  if (middle >= f32(NOTHING)) {
    return vec3f(f32(NOTHING), 0.0, 0.0);
  }
  let allowed = 2.0 * fluid.range.w / fluid.range.y;
  let x = spline(share.x);
  let y = spline(share.y);
  let rest = 1.0 - share;
  let change_x = 0.5 * vec4f(-rest.x * rest.x, (3.0 * share.x - 4.0) * share.x, 1.0 + (2.0 - 3.0 * share.x) * share.x, share.x * share.x);
  let change_y = 0.5 * vec4f(-rest.y * rest.y, (3.0 * share.y - 4.0) * share.y, 1.0 + (2.0 - 3.0 * share.y) * share.y, share.y * share.y);
  var found = vec3f();
  for (var row = 0; row < 4; row++) {
    var along = vec2f();
    for (var column = 0; column < 4; column++) {
      var distance = distance_at(base + vec2i(column, row) - 1);
      // A texel at a very different depth is not of this surface.
      distance = select(middle, distance, abs(distance - middle) < allowed);
      along += vec2f(x[column], change_x[column]) * distance;
    }
    found += vec3f(y[row] * along.x, y[row] * along.y, change_y[row] * along.x);
  }
  return found;
}

fn pixel_of(point: vec3f) -> vec2f {
  let clip = frame.projection * vec4f(point, 1.0);
  return clip.xy / clip.w * vec2f(0.5, -0.5) + 0.5;
}

@fragment
fn water_fragment(pixel: Pixel) -> Water {
  let ray = vec3f(pixel.ray, -1.0);
  // The depths at which the camera's ray enters and leaves the box.
  let axes = transpose(mat3x3f(frame.view[0].xyz, frame.view[1].xyz, frame.view[2].xyz));
  let camera = axes * -frame.view[3].xyz + frame.origin.xyz;
  let towards = axes * ray;
  let ahead = select(vec3f(-1.0), vec3f(1.0), towards >= vec3f());
  let inverse = ahead / max(abs(towards), vec3f(LEAST_SLOPE));
  let entries = (select(frame.highest.xyz, frame.lowest.xyz, ahead > vec3f()) - camera) * inverse;
  let exits = (select(frame.lowest.xyz, frame.highest.xyz, ahead > vec3f()) - camera) * inverse;
  let entry = max(entries.x, max(entries.y, entries.z));
  let exit = min(exits.x, min(exits.y, exits.z));
  let size = length(frame.highest.xyz - frame.lowest.xyz);
  let through = clamp(exit - entry, -size, size);
  let in_box = clamp(0.5 + through / max(fwidth(through), LEAST_SLOPE), 0.0, 1.0);

  let texel = pixel.position.xy * fluid.screen.z;
  let found = surface_at(texel);
  let amount = smooth_sample(thicknesses, linear, texel).xy;
  let open = fluid.range.x + found.x * fluid.range.y;
  // Balls extend beyond the walls; the fluid does not.
  let in_front = clamp(0.5 + (exit - open) / (BEYOND * fluid.kernel.y), 0.0, 1.0);
  let coverage = in_box * in_front * smoothstep(THIN.x, THIN.y, amount.x);
  if (found.x >= f32(NOTHING) || coverage < 0.01) {
    discard;
  }
  // The change of the surface's depth per pixel, along x and y.
  let steps = found.yz * fluid.range.y * fluid.screen.z;
  let pixel_ray = vec2f(2.0, -2.0) / (fluid.screen.xy * vec2f(frame.projection[0].x, frame.projection[1].y));
  let across = vec3f(pixel_ray.x, 0.0, 0.0) * open + ray * steps.x;
  let down = vec3f(0.0, pixel_ray.y, 0.0) * open + ray * steps.y;
  let surface_normal = normalize(cross(down, across));

  let facing = select(vec3f(), -ahead, entries == vec3f(entry));
  let wall_normal = (frame.view * vec4f(facing, 0.0)).xyz;
  let from_wall = (open - entry) * abs(dot(towards, facing)) / fluid.kernel.y;
  let free = smoothstep(TOUCHES.x, TOUCHES.y, from_wall);
  let distance = mix(max(entry, 0.0), open, free);
  let normal = normalize(mix(wall_normal, surface_normal, free));
  let point = ray * distance;
  let view = -normalize(ray);
  let upright = max(dot(normal, view), 0.02);

  // The length of the ray inside the fluid, and the pixel where the refracted ray ends.
  let path_length = min(amount.x * fluid.kernel.y, max(exit - distance, 0.0) * length(ray));
  let bent = refract(-view, select(normal, view, dot(normal, view) < 0.02), BENT);
  var behind = pixel_of(point + bent * path_length);
  let shown = vec2f(textureDimensions(scene));
  // If that pixel has no fluid, the background straight behind this pixel is used instead.
  let amount_behind = textureSampleLevel(thicknesses, linear, behind * shown * fluid.screen.z / vec2f(textureDimensions(thicknesses)), 0.0).x;
  behind = select(behind, pixel.position.xy / shown, amount_behind < THIN.x);
  let scenery = textureSampleLevel(scene, linear, behind, 0.0).rgb;
  let share = amount.y / max(amount.x, 1e-4);
  let passed = exp(-fluid.absorption.rgb * path_length);
  let cloud = 1.0 - CLEAR * exp(-fluid.absorption.a * (1.0 + FOAM * share * share) * path_length);
  let up = frame.view[1].xyz;
  let light = clamp(0.42 + 0.3 * dot(normal, up) + 0.45 * max(dot(normal, LIGHT), 0.0), 0.0, 1.0);
  let inside = mix(scenery * passed, colour_at(share) * mix(SHADE, vec3f(1.0), light), cloud);
  let mirrored = reflect(-view, normal);
  let sky = mix(fluid.horizon.rgb, fluid.zenith.rgb, smoothstep(-0.3, 0.9, dot(mirrored, up)));
  let fresnel = MIRRORED + (1.0 - MIRRORED) * pow(1.0 - upright, 5.0);
  let glint = pow(max(0.0, dot(normal, normalize(LIGHT + view))), 90.0);
  // Normals at edges are unreliable, so edges have no glint.
  let shaded = mix(inside, sky, fresnel) + vec3f(0.45 * glint * smoothstep(1.0, 3.0, amount.x));
  let haze = smoothstep(frame.fog.x, frame.fog.y, distance) * frame.fog.z;
  let clip = frame.projection * vec4f(point, 1.0);
  return Water(
    vec4f(mix(shaded, frame.background.rgb, haze) * coverage, coverage),
    clamp(clip.z / clip.w, 0.0, 1.0),
  );
}
