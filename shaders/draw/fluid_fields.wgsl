// Draws pressure, solid cells, and velocities as arrows, from the fluid's lattice. In 3D, pressure and arrows are in
// the middle layer along z, and solid cells show only their faces beside other cells. Host twin of the struct: FIELDS
// in src/page/view/fluid/fields.ts. src/methods/fluid/lattice.ts describes the lattice.
// Needs: PRESSURE_STOPS, fields, SOLID, kinds, frame, quad_corner, FLUID, OFF_SCREEN, LIGHT, velocity.

struct Fields {
  // xyz: cells along each axis, 1 along z in 2D. w: their edge.
  cells: vec4f,
  // xy: size of the picture in CSS pixels. z: device pixels per CSS pixel. w: the longest arrow in CSS pixels.
  screen: vec4f,
  // x: the distance between arrows in cells. yz: the x and y of the first cell with an arrow. w: arrows per row.
  arrows: vec4f,
  // x: 1 / pressure at the end of the colour scale.
  // y: 1 / speed of the longest arrow.
  // z: the z coordinate of the drawn layer, in cells.
  // w: the number of entries in an array over the lattice.
  scale: vec4f,
  // x: 1 if pressure is drawn. y: 1 if solid cells are drawn.
  shown: vec4f,
  arrow: vec4f,
  casing: vec4f,
  solid: vec4f,
  pressure: array<vec4f, PRESSURE_STOPS>,
}

// The distance between lines of the hatching, and half the width of a line, both along x in CSS pixels.
const HATCH = 9.0;
const HATCH_HALF = 0.6;
// The opacity of solid cells between the lines of the hatching, and on these lines.
const TONE = 0.3;
const HATCH_TONE = 0.95;

fn cells_along() -> vec3i {
  return vec3i(fields.cells.xyz);
}

// xyz: the difference in index between a cell and the next one along each axis. w: the index of the first cell.
fn strides() -> vec4i {
  let wide = cells_along() + 1;
  let layer = wide.x * wide.y;
  return vec4i(1, wide.x, layer, select(wide.x, layer, DIMENSIONS == 3u));
}

fn is_in_tank(cell: vec3i) -> bool {
  return all(cell >= vec3i(0)) && all(cell < cells_along());
}

fn entry_of(cell: vec3i) -> u32 {
  let step = strides();
  let near = clamp(cell, vec3i(0), cells_along() - 1);
  return u32(step.w + near.x + near.y * step.y + near.z * step.z);
}

fn kind_at(cell: vec3i) -> u32 {
  return select(SOLID, kinds[entry_of(cell)], is_in_tank(cell));
}

// `point` is in cells from the corner of the tank.
fn clip_of(point: vec3f) -> vec4f {
  return frame.projection * frame.view * vec4f(frame.lowest.xyz + point * fields.cells.w - frame.origin.xyz, 1.0);
}

struct Slice {
  @builtin(position) position: vec4f,
  // The position in the layer, in cells.
  @location(0) at: vec2f,
}

@vertex
fn slice_vertex(@builtin(vertex_index) index: u32) -> Slice {
  let at = (0.5 + 0.5 * quad_corner(index)) * fields.cells.xy;
  return Slice(clip_of(vec3f(at, select(0.0, fields.scale.z, DIMENSIONS == 3u))), at);
}

fn pressure_at(at: vec2f, layer: i32) -> f32 {
  let base = floor(at - 0.5);
  let share = at - 0.5 - base;
  var sum = 0.0;
  var total = 1e-6;
  for (var corner = 0; corner < 4; corner++) {
    let side = vec2i(corner & 1, corner >> 1);
    let cell = vec3i(vec2i(base) + side, layer);
    let weights = select(1.0 - share, share, side == vec2i(1));
    let weight = select(0.0, weights.x * weights.y, kind_at(cell) == FLUID);
    sum += weight * pressure[entry_of(cell)];
    total += weight;
  }
  return sum / total;
}

fn pressure_colour(share: f32) -> vec4f {
  let stop = clamp(share, 0.0, 1.0) * f32(PRESSURE_STOPS - 1u);
  let first = min(u32(stop), PRESSURE_STOPS - 2u);
  return mix(fields.pressure[first], fields.pressure[first + 1u], stop - f32(first));
}

@fragment
fn slice_fragment(slice: Slice) -> @location(0) vec4f {
  let layer = i32(fields.scale.z);
  let kind = kind_at(vec3i(vec2i(floor(slice.at)), layer));
  var colour = vec4f();
  if (fields.shown.x > 0.0 && kind == FLUID) {
    let shade = pressure_colour(pressure_at(slice.at, layer) * fields.scale.x);
    colour = vec4f(shade.rgb, 1.0) * shade.a;
  }
  if (DIMENSIONS == 2u && fields.shown.y > 0.0 && kind >= SOLID) {
    let along = (slice.position.x + slice.position.y) / fields.screen.z;
    let away = abs(fract(along / HATCH) - 0.5) * HATCH;
    let line = clamp((HATCH_HALF - away) * fields.screen.z + 0.5, 0.0, 1.0);
    colour = vec4f(fields.solid.rgb, 1.0) * mix(TONE, HATCH_TONE, line);
  }
  return colour;
}

struct Face {
  @builtin(position) position: vec4f,
  // The position on the face, in cells.
  @location(0) at: vec2f,
  @location(1) @interpolate(flat) light: f32,
  @location(2) distance: f32,
}

// Each instance draws the face between two neighbouring cells of the tank, if exactly one of them is solid. There are
// three instances per node. Nodes are the cells and one more layer at each upper end.
@vertex
fn face_vertex(@builtin(vertex_index) index: u32, @builtin(instance_index) instance: u32) -> Face {
  let none = Face(OFF_SCREEN, vec2f(), 0.0, 0.0);
  let axis = instance % 3u;
  let wide = vec3u(cells_along()) + 1u;
  let node = instance / 3u;
  let above = vec3i(vec3u(node % wide.x, (node / wide.x) % wide.y, node / (wide.x * wide.y)));
  var below = above;
  below[axis] -= 1;
  let is_solid = kind_at(above) >= SOLID;
  if (is_solid == (kind_at(below) >= SOLID) || !is_in_tank(above) || !is_in_tank(below)) {
    return none;
  }
  let corner = 0.5 + 0.5 * quad_corner(index);
  var point = vec3f(above);
  point[(axis + 1u) % 3u] += corner.x;
  point[(axis + 2u) % 3u] += corner.y;
  var facing = vec3f();
  facing[axis] = select(1.0, -1.0, is_solid);
  let normal = (frame.view * vec4f(facing, 0.0)).xyz;
  let light = 0.4 + 0.26 * (0.5 + 0.5 * dot(normal, frame.view[1].xyz)) + 0.5 * max(0.0, dot(normal, LIGHT));
  let clip = clip_of(point);
  return Face(clip, corner, light, clip.w);
}

@fragment
fn face_fragment(face: Face) -> @location(0) vec4f {
  let pixel = max(fwidth(face.at), vec2f(1e-6));
  let away = min(face.at, 1.0 - face.at) / pixel;
  let line = 1.0 - clamp(min(away.x, away.y), 0.0, 1.0);
  let seen = 1.0 - smoothstep(0.1, 0.4, max(pixel.x, pixel.y));
  let shaded = fields.solid.rgb * face.light * (1.0 - 0.45 * line * seen);
  let haze = smoothstep(frame.fog.x, frame.fog.y, face.distance) * frame.fog.z;
  return vec4f(mix(shaded, frame.background.rgb, haze), 1.0);
}

struct Arrow {
  @builtin(position) position: vec4f,
  // The distance from the tail along the arrow, and the distance across the arrow, in CSS pixels.
  @location(0) @interpolate(linear) at: vec2f,
  @location(1) @interpolate(flat) length: f32,
}

// SHAFT is half the width of a shaft. SHAFT, HEAD, CASING and SHORTEST are in CSS pixels.
const SHAFT = 0.9;
const HEAD = 8.0;
const CASING = 1.25;
const SHORTEST = 2.5;
// Half the width of a head, divided by its length.
const OPENING = 0.5;

fn velocity_at(cell: vec3i) -> vec3f {
  let step = strides();
  let entry = entry_of(cell);
  var mean = vec3f();
  for (var axis = 0u; axis < DIMENSIONS; axis++) {
    let face = axis * u32(fields.scale.w) + entry;
    mean[axis] = 0.5 * (velocity[face] + velocity[face + u32(step[axis])]);
  }
  return mean;
}

@vertex
fn arrow_vertex(@builtin(vertex_index) index: u32, @builtin(instance_index) instance: u32) -> Arrow {
  let none = Arrow(OFF_SCREEN, vec2f(), 0.0);
  let row = u32(fields.arrows.w);
  let site = vec2f(f32(instance % row), f32(instance / row));
  let cell = vec3i(vec2i(fields.arrows.yz + site * fields.arrows.x), i32(fields.scale.z));
  if (kind_at(cell) != FLUID) {
    return none;
  }
  let flow = velocity_at(cell);
  let speed = length(flow);
  let middle = vec3f(cell) + select(vec3f(0.5, 0.5, 0.0), vec3f(0.5), DIMENSIONS == 3u);
  let centre = clip_of(middle);
  if (!(speed > 0.0) || speed > 3e38 || centre.w <= 0.0) {
    return none;
  }
  let little = 0.25 * flow / speed;
  let tip = clip_of(middle + little);
  let tail = clip_of(middle - little);
  let half_screen = 0.5 * fields.screen.xy;
  let moved = (tip.xy / tip.w - tail.xy / tail.w) * half_screen;
  // The length of half a cell on the screen, seen from the side.
  let unit = 0.5 * frame.projection[1].y * fields.cells.w * half_screen.y / centre.w;
  let seen = clamp(length(moved) / unit, 0.0, 1.0);
  let size = fields.screen.w * min(1.0, speed * fields.scale.y) * seen;
  if (size < SHORTEST) {
    return none;
  }
  let ahead = moved / length(moved);
  let corner = quad_corner(index);
  let reach = HEAD * OPENING + CASING + 1.0;
  let at = vec2f(corner.x * (0.5 * size + reach) + 0.5 * size, corner.y * reach);
  let offset = ahead * (at.x - 0.5 * size) + vec2f(-ahead.y, ahead.x) * at.y;
  let clip = vec4f(centre.xy / centre.w + offset / half_screen, clamp(centre.z / centre.w, 0.0, 1.0), 1.0);
  return Arrow(clip, at, size);
}

@fragment
fn arrow_fragment(arrow: Arrow) -> @location(0) vec4f {
  let head = min(HEAD, 0.6 * arrow.length);
  let neck = arrow.length - head;
  let across = abs(arrow.at.y);
  let shaft = max(across - SHAFT, max(-arrow.at.x, arrow.at.x - neck));
  let slant = (across - (arrow.length - arrow.at.x) * OPENING) / sqrt(1.0 + OPENING * OPENING);
  let outside = min(shaft, max(slant, neck - arrow.at.x));
  let ratio = fields.screen.z;
  let core = clamp(0.5 - outside * ratio, 0.0, 1.0);
  let around = clamp(0.5 - (outside - CASING) * ratio, 0.0, 1.0) * fields.casing.a;
  let opacity = mix(around, 1.0, core);
  return vec4f(mix(fields.casing.rgb, fields.arrow.rgb, core) * opacity, opacity);
}
