// The fluid of space: its surface from smoothed distances, mirrored light by Fresnel's law, what is behind it through
// refraction, less what its thickness absorbs. It ends at the walls of the box, flat as glass. Needs frame and fluid. A
// strip of four vertices over the picture; gives depth, so that bodies hide it and what is drawn later is hidden by it.

@group(1) @binding(1) var distances: texture_2d<f32>;
@group(1) @binding(2) var thicknesses: texture_2d<f32>;
// The picture without the fluid.
@group(1) @binding(3) var scene: texture_2d<f32>;
@group(1) @binding(4) var linear: sampler;

struct Pixel {
  @builtin(position) place: vec4f,
  // Where the eye's ray is when it has gone one unit along the line of sight.
  @location(0) ray: vec2f,
}

struct Water {
  @location(0) colour: vec4f,
  @builtin(frag_depth) depth: f32,
}

// Seen from the eye, of unit length, as in spheres.wgsl.
const LIGHT = vec3f(-0.4017, 0.7231, 0.5624);
// Of light that meets water head on, the share that is mirrored; air's index over water's.
const MIRRORED = 0.02;
const BENT = 0.75;
// Less along any axis counts as this.
const LEAST_SLOPE = 1e-7;
// Distances between particles: water is seen from the first thickness on and whole at the second, so that edges are
// smooth; it ends so far around a wall behind it; nearer to a wall in front of it, it touches the wall.
const THIN = vec2f(0.15, 0.5);
const BEYOND = 0.3;
const TOUCHES = vec2f(0.6, 1.3);
// Of what is behind the thinnest water, the share that is seen; how much cloudier than still water the fastest is.
const CLEAR = 0.6;
// Of its own colours, what is left in shade: bluish, since grey looks like dirt.
const SHADE = vec3f(0.56, 0.72, 0.86);
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

// Smoothed by a spline: the distance, and how it changes by a texel. NOTHING where there is none.
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
  // Of the spline's pieces, how they change.
  let change_x = 0.5 * vec4f(-rest.x * rest.x, (3.0 * share.x - 4.0) * share.x, 1.0 + (2.0 - 3.0 * share.x) * share.x, share.x * share.x);
  let change_y = 0.5 * vec4f(-rest.y * rest.y, (3.0 * share.y - 4.0) * share.y, 1.0 + (2.0 - 3.0 * share.y) * share.y, share.y * share.y);
  var found = vec3f();
  for (var row = 0; row < 4; row++) {
    var along = vec2f();
    for (var column = 0; column < 4; column++) {
      var distance = distance_at(base + vec2i(column, row) - 1);
      // What is far from it is another surface, or none.
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
  // Where the eye's ray enters and leaves the box, in the world's axes.
  let axes = transpose(mat3x3f(frame.view[0].xyz, frame.view[1].xyz, frame.view[2].xyz));
  let eye = axes * -frame.view[3].xyz + frame.origin.xyz;
  let towards = axes * ray;
  let ahead = select(vec3f(-1.0), vec3f(1.0), towards >= vec3f());
  let inverse = ahead / max(abs(towards), vec3f(LEAST_SLOPE));
  let entries = (select(frame.highest.xyz, frame.lowest.xyz, ahead > vec3f()) - eye) * inverse;
  let exits = (select(frame.lowest.xyz, frame.highest.xyz, ahead > vec3f()) - eye) * inverse;
  let entry = max(entries.x, max(entries.y, entries.z));
  let leave = min(exits.x, min(exits.y, exits.z));
  let size = length(frame.highest.xyz - frame.lowest.xyz);
  let through = clamp(leave - entry, -size, size);
  let in_box = clamp(0.5 + through / max(fwidth(through), LEAST_SLOPE), 0.0, 1.0);

  let texel = pixel.place.xy * fluid.screen.z;
  let found = surface_at(texel);
  let amount = smooth_sample(thicknesses, linear, texel).xy;
  let open = fluid.range.x + found.x * fluid.range.y;
  // Balls reach a little beyond the walls; the fluid does not.
  let in_front = clamp(0.5 + (leave - open) / (BEYOND * fluid.kernel.y), 0.0, 1.0);
  let coverage = in_box * in_front * smoothstep(THIN.x, THIN.y, amount.x);
  if (found.x >= f32(NOTHING) || coverage < 0.01) {
    discard;
  }
  // How the point of the surface moves by a pixel.
  let steps = found.yz * fluid.range.y * fluid.screen.z;
  let pixel_ray = vec2f(2.0, -2.0) / (fluid.screen.xy * vec2f(frame.projection[0].x, frame.projection[1].y));
  let across = vec3f(pixel_ray.x, 0.0, 0.0) * open + ray * steps.x;
  let down = vec3f(0.0, pixel_ray.y, 0.0) * open + ray * steps.y;
  let surface_normal = normalize(cross(down, across));

  // Near a wall it is the wall.
  let facing = select(vec3f(), -ahead, entries == vec3f(entry));
  let wall_normal = (frame.view * vec4f(facing, 0.0)).xyz;
  let from_wall = (open - entry) * abs(dot(towards, facing)) / fluid.kernel.y;
  let free = smoothstep(TOUCHES.x, TOUCHES.y, from_wall);
  let distance = mix(max(entry, 0.0), open, free);
  let normal = normalize(mix(wall_normal, surface_normal, free));
  let point = ray * distance;
  let view = -normalize(ray);
  let upright = max(dot(normal, view), 0.02);

  // How far the eye looks into it, and what is there.
  let way = min(amount.x * fluid.kernel.y, max(leave - distance, 0.0) * length(ray));
  let bent = refract(-view, select(normal, view, dot(normal, view) < 0.02), BENT);
  var behind = pixel_of(point + bent * way);
  let shown = vec2f(textureDimensions(scene));
  // Not what is in front of the fluid, nor beside it.
  let there = textureSampleLevel(thicknesses, linear, behind * shown * fluid.screen.z / vec2f(textureDimensions(thicknesses)), 0.0).x;
  behind = select(behind, pixel.place.xy / shown, there < THIN.x);
  let scenery = textureSampleLevel(scene, linear, behind, 0.0).rgb;
  let share = amount.y / max(amount.x, 1e-4);
  let passed = exp(-fluid.absorption.rgb * way);
  // Foam is what is fast.
  let cloud = 1.0 - CLEAR * exp(-fluid.absorption.a * (1.0 + FOAM * share * share) * way);
  let up = frame.view[1].xyz;
  let light = clamp(0.42 + 0.3 * dot(normal, up) + 0.45 * max(dot(normal, LIGHT), 0.0), 0.0, 1.0);
  let inside = mix(scenery * passed, colour_at(share) * mix(SHADE, vec3f(1.0), light), cloud);
  let mirrored = reflect(-view, normal);
  let sky = mix(fluid.horizon.rgb, fluid.zenith.rgb, smoothstep(-0.3, 0.9, dot(mirrored, up)));
  let fresnel = MIRRORED + (1.0 - MIRRORED) * pow(1.0 - upright, 5.0);
  let glint = pow(max(0.0, dot(normal, normalize(LIGHT + view))), 90.0);
  // Of edges, whose normals mean little, there is none.
  let shaded = mix(inside, sky, fresnel) + vec3f(0.45 * glint * smoothstep(1.0, 3.0, amount.x));
  let haze = smoothstep(frame.fog.x, frame.fog.y, distance) * frame.fog.z;
  let clip = frame.projection * vec4f(point, 1.0);
  return Water(
    vec4f(mix(shaded, frame.background.rgb, haze) * coverage, coverage),
    clamp(clip.z / clip.w, 0.0, 1.0),
  );
}
