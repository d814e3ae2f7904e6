// Draws the fluid in 3D as a strip of four vertices over the box. Each pixel follows its ray through the volume of
// densities to the surface. From there, it follows the refracted ray through the fluid. The fluid ends flat at the
// walls, like water behind glass.
// Needs: Sight, start_of, voxel_edge, volume_at, BORDER, MOST_STEPS, STRIDE, frame, sight_along, INNER_STEPS, clip_of.
// Needs: scene, linear, fluid, colour_at, SUN, sky, Pixel, corner_over, sight_of, LEAST_SLOPE.

struct Water {
  @location(0) colour: vec4f,
  @builtin(frag_depth) depth: f32,
}

struct Hit {
  distance: f32,
  coverage: f32,
}

// The share of head-on light that is mirrored, and the refractive index of air over that of water.
const MIRRORED = 0.02;
const BENT = 0.75;
// The share of each channel that is left in shade. Blue keeps most, because grey looks like dirt.
const SHADE = vec3f(0.3, 0.62, 0.84);
// Strength and sharpness of the sun's reflection.
const GLINT = vec2f(0.5, 240.0);
// The distance in voxels, along each axis, between a point and the densities that decide its normal.
const NORMAL_REACH = 1.1;
// If the density at a wall exceeds BORDER by at least this, the fluid's normal there is the wall's. At lower densities,
// the normal turns towards the surface's, so that the edge looks rounded.
const ROUNDING = 0.08;
// At the end of the colour scale, water is 1 + CHURN times as cloudy as at the beginning.
const CHURN = 1.0;
// The greatest share of foam. Foam grows with the position on the colour scale, from FAST.x to FAST.y. It shrinks to
// nothing as the density at a depth of AERATED.z voxels rises from AERATED.x to AERATED.y.
const FOAM = 0.75;
const FAST = vec2f(0.2, 0.5);
const AERATED = vec3f(0.5, 0.75, 1.5);
// A mirrored ray goes on inside the fluid for this share of the box's height.
const REBOUND = 0.35;
// The step in voxels from a point whose density is below EMPTY.
const EMPTY_STRIDE = 2.0;
const EMPTY = 0.02;
// Cosines at the border from water to air: light is mirrored wholly below MIRROR.x, and not at all above MIRROR.y.
const MIRROR = vec2f(0.62, 0.8);

fn point_on(sight: Sight, distance: f32) -> vec3f {
  return sight.origin + distance * sight.direction;
}

// Follows a ray from outside the fluid. A ray that passes close to the surface covers a part of its pixel.
fn hit_along(sight: Sight, pixel_width: f32) -> Hit {
  let start = start_of(sight);
  let voxel = voxel_edge() / length(sight.direction);
  var near = start;
  var near_density = volume_at(point_on(sight, start)).x;
  if (near_density >= BORDER) {
    return Hit(start, 1.0);
  }
  var closest = start;
  var most = near_density;
  for (var index = 0u; index < MOST_STEPS && near < sight.exit; index++) {
    // No surface is close to a point without fluid, because each particle reaches two voxels far.
    let step = voxel * select(f32(STRIDE), EMPTY_STRIDE, near_density < EMPTY);
    let far = min(near + step, sight.exit);
    let density = volume_at(point_on(sight, far)).x;
    if (density >= BORDER) {
      let share = (BORDER - near_density) / (density - near_density);
      let middle = mix(near, far, share);
      let found = volume_at(point_on(sight, middle)).x;
      let is_before = found < BORDER;
      let low = select(vec2f(near, near_density), vec2f(middle, found), is_before);
      let high = select(vec2f(middle, found), vec2f(far, density), is_before);
      return Hit(mix(low.x, high.x, (BORDER - low.y) / max(high.y - low.y, 1e-5)), 1.0);
    }
    if (density > most) {
      most = density;
      closest = far;
    }
    near = far;
    near_density = density;
  }
  // Assumes that the density falls by 0.4 per voxel near the surface.
  let away = (BORDER - most) / 0.4 * voxel_edge() / (closest * pixel_width);
  return Hit(closest, clamp(1.0 - away, 0.0, 1.0));
}

// Returns the outward normal of the surface, from the densities at the corners of a tetrahedron.
fn normal_at(point: vec3f) -> vec3f {
  let reach = NORMAL_REACH * voxel_edge();
  var slope = vec3f();
  for (var corner = 0u; corner < 4u; corner++) {
    let bits = vec3u(corner, corner >> 1u, corner ^ (corner >> 1u)) & vec3u(1u);
    let side = select(vec3f(-1.0), vec3f(1.0), bits == vec3u(1u));
    slope -= side * volume_at(point + reach * side).x;
  }
  return slope / max(length(slope), 1e-6);
}

// Follows the refracted ray up to where it leaves the fluid or the box, and returns the light that comes along it.
fn light_inside(point: vec3f, normal: vec3f, view: vec3f, brightness: f32) -> vec3f {
  let height = frame.highest.y - frame.lowest.y;
  let bent = refract(-view, select(normal, view, dot(normal, view) < 0.02), BENT);
  let sight = sight_along(point, bent);
  let stride = max(1.5 * f32(STRIDE) * voxel_edge(), sight.exit / f32(INNER_STEPS));
  var path = 0.5 * stride;
  var before = 1.0;
  var shares = vec2f();
  for (var index = 0u; index < INNER_STEPS && path < sight.exit; index++) {
    let found = volume_at(point + path * bent);
    if (found.x < BORDER && index > 0u) {
      path -= stride * (BORDER - found.x) / max(before - found.x, 1e-4);
      break;
    }
    before = found.x;
    // Points near the surface count more.
    shares += exp(-2.0 * f32(index) / f32(INNER_STEPS)) * vec2f(found.y, 1.0);
    path += stride;
  }
  path = clamp(path, 0.0, max(sight.exit, 0.0));
  let share = shares.x / max(shares.y, 1e-4);
  let end = point + path * bent;
  let clip = clip_of(end);
  let scenery = textureSampleLevel(scene, linear, clip.xy / clip.w * vec2f(0.5, -0.5) + 0.5, 0.0).rgb;
  // A ray that meets a far side of the fluid at a flat angle does not leave it: the far side mirrors the inside. The
  // tank's floor mirrors nothing. With SOFTWARE, the far side mirrors only where it is another wall of the tank.
#if SOFTWARE
  let far_surface = bent;
#else
  let far_surface = normal_at(end);
#endif
  let leaving = select(far_surface, sight.far_wall, path >= sight.exit);
  let kept = 1.0 - smoothstep(MIRROR.x, MIRROR.y, dot(leaving, bent));
  path += select(kept, 0.0, leaving.y < -0.9) * REBOUND * height;
  let passed = exp(-fluid.absorption.rgb * path);
  let cloud = 1.0 - exp(-fluid.absorption.a * (1.0 + CHURN * share * share) * path);
  return mix(scenery * passed, colour_at(share) * mix(SHADE, vec3f(1.0), brightness), cloud);
}

fn shade(sight: Sight, hit: Hit) -> vec3f {
  let point = point_on(sight, hit.distance);
  let view = -normalize(sight.direction);
  let found = volume_at(point);
  let flatness = select(0.0, smoothstep(0.0, ROUNDING, found.x - BORDER), hit.distance == sight.entry);
  let normal = normalize(mix(normal_at(point), sight.wall, flatness) + 1e-6 * view);
  let brightness = clamp(0.5 + 0.25 * normal.y + 0.35 * max(dot(normal, SUN), 0.0), 0.0, 1.0);
  let mirrored = reflect(-view, normal);
  let fresnel = MIRRORED + (1.0 - MIRRORED) * pow(1.0 - clamp(dot(normal, view), 0.02, 1.0), 5.0);
  let glint = GLINT.x * pow(max(0.0, dot(mirrored, SUN)), GLINT.y) * hit.coverage;
  let clear = mix(light_inside(point, normal, view, brightness), sky(mirrored), fresnel) + vec3f(glint);
  let within = volume_at(point - AERATED.z * voxel_edge() * normal).x;
  let foam = FOAM * smoothstep(FAST.x, FAST.y, found.y) * (1.0 - smoothstep(AERATED.x, AERATED.y, within));
  let haze = smoothstep(frame.fog.x, frame.fog.y, hit.distance) * frame.fog.z;
  return mix(mix(clear, fluid.zenith.rgb * mix(0.8, 1.0, brightness), foam), frame.background.rgb, haze);
}

@vertex
fn water_vertex(@builtin(vertex_index) index: u32) -> Pixel {
  return corner_over(index, frame.lowest.xyz, frame.highest.xyz);
}

@fragment
fn water_fragment(pixel: Pixel) -> Water {
  let sight = sight_of(pixel.ray);
  let size = length(frame.highest.xyz - frame.lowest.xyz);
  let through = clamp(sight.exit - start_of(sight), -size, size);
  let in_box = clamp(0.5 + through / max(fwidth(through), LEAST_SLOPE), 0.0, 1.0);
  let pixel_width = 2.0 / (fluid.screen.x * frame.projection[0].x);
  var hit = Hit(start_of(sight), 0.0);
  var colour = vec3f();
  // The two loops have at most one round and replace branches. A software adapter runs both sides of a branch for every
  // pixel, but skips a loop that has no rounds.
  for (var round = 0u; round < 1u && in_box > 0.0; round++) {
    hit = hit_along(sight, pixel_width);
  }
  let coverage = in_box * hit.coverage;
  for (var round = 0u; round < 1u && coverage >= 0.01; round++) {
    colour = shade(sight, hit);
  }
  if (coverage < 0.01) {
    discard;
  }
  let at = clip_of(point_on(sight, hit.distance));
  return Water(vec4f(colour * coverage, coverage), clamp(at.z / at.w, 0.0, 1.0));
}
