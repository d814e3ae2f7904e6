// Draws the surface of a fluid in 2D from the field of fluid_splat.wgsl, as a strip of four vertices over the box. With
// SLOTS, draws each particle at a low density as a drop, a strip of four vertices.
// Needs: fluid, SOLID, kinds, frame, reach_drawn, fullness, OFF_SCREEN, is_drawable, lift, smooth_sample, field.
// Needs: linear, quad_corner, colour_of, colour_at.

// free_share replaces the disc of radius reach_drawn by a square. Half the square's width is SQUARE_SHARE radii, but at
// most WIDEST_SQUARE cells.
const SQUARE_SHARE = 0.548;
const WIDEST_SQUARE = 1.5;

const LEAST_FREE = 0.2;

// A cell's fullness is 1 if it holds as many particles as fluid at rest. Near particles, the density is at least
// min(WITHIN, fullness − GAP), so cells with a fullness above BORDER + GAP have no gaps.
const GAP = 0.3;

// A greater density than WITHIN looks the same as WITHIN. Below NOWHERE_NEAR, no particle is near.
const WITHIN = 0.75;
const NOWHERE_NEAR = 0.01;

const BORDER = 0.5;

fn is_cell(cell: vec2i) -> bool {
  return all(cell >= vec2i(0)) && all(cell < vec2i(fluid.cells.xy));
}

fn entry_of(cell: vec2i) -> u32 {
  let row = u32(fluid.cells.x) + 1u;
  return row + u32(cell.x) + u32(cell.y) * row;
}

fn kind_at(cell: vec2i) -> u32 {
  return select(SOLID, kinds[entry_of(clamp(cell, vec2i(0), vec2i(fluid.cells.xy) - 1))], is_cell(cell));
}

fn free_share(point: vec2f) -> f32 {
  let middle = (point - frame.lowest.xy) / fluid.cells.w;
  let half = min(SQUARE_SHARE * reach_drawn() / fluid.cells.w, WIDEST_SQUARE);
  let low = middle - half;
  let high = middle + half;
  let first = vec2i(floor(low));
  let last = vec2i(floor(high));
  var free = 0.0;
  for (var y = first.y; y <= last.y; y++) {
    let along_y = min(high.y, f32(y) + 1.0) - max(low.y, f32(y));
    for (var x = first.x; x <= last.x; x++) {
      let along_x = min(high.x, f32(x) + 1.0) - max(low.x, f32(x));
      free += select(0.0, along_x * along_y, kind_at(vec2i(x, y)) < SOLID);
    }
  }
  return max(LEAST_FREE, free / (4.0 * half * half));
}

fn fullness_at(point: vec2f) -> f32 {
  let at = (point - frame.lowest.xy) / fluid.cells.w - 0.5;
  let base = floor(at);
  let share = at - base;
  var sum = 0.0;
  var total = 1e-4;
  for (var corner = 0; corner < 4; corner++) {
    let side = vec2i(corner & 1, corner >> 1);
    let cell = vec2i(base) + side;
    let weights = select(1.0 - share, share, side == vec2i(1));
    let weight = select(0.0, weights.x * weights.y, kind_at(cell) < SOLID);
    sum += weight * fullness[entry_of(clamp(cell, vec2i(0), vec2i(fluid.cells.xy) - 1))];
    total += weight;
  }
  return sum / total;
}

// Returns the drawn density, at most WITHIN.
fn density_at(sampled: f32, point: vec2f) -> f32 {
  if (sampled >= WITHIN || sampled < NOWHERE_NEAR) {
    return min(sampled, WITHIN);
  }
  return min(WITHIN, max(sampled / free_share(point), fullness_at(point) - GAP));
}

fn in_depth(colour: vec3f, height: f32) -> vec3f {
  let share = clamp((height - frame.lowest.y) / (frame.highest.y - frame.lowest.y), 0.0, 1.0);
  return mix(colour, colour * frame.stops[0].rgb * 2.0, 0.35 * (1.0 - share));
}

#if SLOTS
struct Drop {
  @builtin(position) position: vec4f,
  // The offset from the centre, in pixels.
  @location(0) offset: vec2f,
  @location(1) @interpolate(flat) colour: vec3f,
  // The radius in pixels.
  @location(2) @interpolate(flat) radius: f32,
}

// Drops have their full size up to the density DROPS.x, and vanish at the density DROPS.y.
const DROPS = vec2f(0.32, 0.5);

const DROP_LIGHT = 0.25;

// The least drawn radius in pixels. Smaller drops are drawn fainter at this radius.
const SMALLEST = 0.6;

@vertex
fn drop_vertex(@builtin(vertex_index) index: u32, @builtin(instance_index) slot: u32) -> Drop {
  let none = Drop(OFF_SCREEN, vec2f(), vec3f(), 0.0);
  let centre = body_position(position[slot]);
  if (!is_drawable(centre)) {
    return none;
  }
  let clip = frame.projection * frame.view * vec4f(lift(centre), 1.0);
  let texel = (clip.xy * vec2f(0.5, -0.5) + 0.5) * fluid.screen.xy * fluid.screen.z;
  let density = density_at(smooth_sample(field, linear, texel).x, centre);
  if (density >= DROPS.y) {
    return none;
  }
  let radius = fluid.kernel.z * frame.scale.y * (1.0 - smoothstep(DROPS.x, DROPS.y, density));
  let corner = quad_corner(index) * (max(radius, SMALLEST) + 1.0);
  let corner_clip = clip + vec4f(2.0 * corner / fluid.screen.xy, 0.0, 0.0);
  // Drops are lighter than the surface, so that slow ones are visible on a dark background.
  let colour = mix(in_depth(colour_of(slot), centre.y), fluid.zenith.rgb, DROP_LIGHT);
  return Drop(corner_clip, corner, colour, radius);
}

@fragment
fn drop_fragment(drop: Drop) -> @location(0) vec4f {
  let drawn = max(drop.radius, SMALLEST);
  let faint = min(1.0, (drop.radius * drop.radius) / (SMALLEST * SMALLEST));
  let coverage = clamp(drawn + 0.5 - length(drop.offset), 0.0, 1.0) * faint;
  return vec4f(drop.colour * coverage, coverage);
}
#else
struct Surface {
  @builtin(position) position: vec4f,
  @location(0) world: vec2f,
}

// The width of the line along the border, in CSS pixels.
const RIM = 1.75;
const RIM_SHARE = 0.6;

@vertex
fn surface_vertex(@builtin(vertex_index) index: u32) -> Surface {
  let world = mix(frame.lowest.xyz, frame.highest.xyz, vec3f(0.5 + 0.5 * quad_corner(index), 0.0));
  return Surface(frame.projection * frame.view * vec4f(world, 1.0), world.xy);
}

@fragment
fn surface_fragment(surface: Surface) -> @location(0) vec4f {
  let texel = surface.position.xy * fluid.screen.z;
  var found = textureSampleLevel(field, linear, texel / vec2f(textureDimensions(field)), 0.0).xy;
  if (found.x > 0.0) {
    found = smooth_sample(field, linear, texel).xy;
  }
  let density = density_at(found.x, surface.world);
  let slope = max(length(vec2f(dpdx(density), dpdy(density))), 1e-4);
  // The distance from the border, in pixels; positive inside the fluid.
  let within = (density - BORDER) / slope;
  let cell = vec2i(floor((surface.world - frame.lowest.xy) / fluid.cells.w));
  let coverage = select(clamp(0.5 + within, 0.0, 1.0), 0.0, kind_at(cell) == SOLID);
  let colour = in_depth(colour_at(found.y / max(found.x, 1e-4)), surface.world.y);
  let lit = colour * (1.0 + 0.12 * (1.0 - smoothstep(BORDER, WITHIN, density)));
  let rim = 1.0 - smoothstep(0.5, 1.0, within / (RIM * fluid.screen.w));
  return vec4f(mix(lit, fluid.zenith.rgb, RIM_SHARE * rim) * coverage, coverage);
}
#endif
