// Draws the heat map and the lines between cells, as a strip of four vertices per face. In 2D the face is the box. In
// 3D the faces are the floor and the two walls farther from the camera.
// Needs: NARROWEST_CELL, WIDE_CELL, frame, overlay, FAINTEST_LINE, DARKEST_LINE, heat, FAINTEST_HEAT, DARKEST_HEAT.

// Lines appear where cells are wider than NARROWEST CSS pixels, and have their full opacity from WIDE CSS pixels on.
const NARROWEST = f32(NARROWEST_CELL);
const WIDE = f32(WIDE_CELL);

struct Face {
  @builtin(position) position: vec4f,
  // The position in cells of the lowest level, along the axes of the face.
  @location(0) cell: vec2f,
  @location(1) @interpolate(flat) axes: vec2u,
}

@vertex
fn face_vertex(@builtin(vertex_index) index: u32, @builtin(instance_index) face: u32) -> Face {
  let corner = vec2f(f32(index & 1u), f32(index >> 1u));
  var share = vec3f(corner, 0.0);
  var axes = vec2u(0u, 1u);
  if (DIMENSIONS == 3u) {
    // Per axis, 1 if its upper end is farther from the camera than its lower end, otherwise 0.
    let far = select(vec3f(), vec3f(1.0), vec3f(frame.view[0].z, frame.view[1].z, frame.view[2].z) < vec3f());
    if (face == 0u) {
      share = vec3f(corner.x, 0.0, corner.y);
      axes = vec2u(0u, 2u);
    } else if (face == 1u) {
      share = vec3f(far.x, corner);
      axes = vec2u(1u, 2u);
    } else {
      share = vec3f(corner, far.z);
    }
  }
  let point = mix(frame.lowest.xyz, frame.highest.xyz, share);
  let cell = (point - overlay.origin.xyz) * overlay.origin.w;
  return Face(frame.projection * frame.view * vec4f(point, 1.0), vec2f(cell[axes.x], cell[axes.y]), axes);
}

// Returns the opacity of a level's lines. `pixel`: cells of the lowest level per device pixel.
fn lines_of(cell: vec2f, pixel: vec2f, axes: vec2u, level: u32) -> f32 {
  let width = f32(1u << level);
  let scaled = cell / width;
  let border = round(scaled);
  let cells = vec2f(overlay.cells[axes.x], overlay.cells[axes.y]);
  let wraps = vec2f(overlay.period[axes.x], overlay.period[axes.y]) > vec2f();
  // The last cell along a periodic axis also covers the rest of the period.
  let last = select(floor((cells - 1.0) / width) + 1.0, floor(cells / width), wraps);
  let device = overlay.screen.z;
  let distance = abs(scaled - border) * width / pixel;
  let size = width / pixel / device;
  let is_between = (border > vec2f(0.5)) & (border < last - 0.5);
  let fade = smoothstep(vec2f(NARROWEST), vec2f(WIDE), size);
  let coverage = clamp(vec2f(0.5 * device + 0.5) - distance, vec2f(), vec2f(1.0)) * fade;
  let lines = select(vec2f(), coverage, is_between);
  let share = f32(level) / max(overlay.cells.w - 1.0, 1.0);
  return max(lines.x, lines.y) * mix(FAINTEST_LINE, DARKEST_LINE, share);
}

// Returns the number of particles per cell, averaged over a pixel. In 3D, a cell of the floor stands for its column.
fn heat_at(cell: vec2f, pixel: vec2f) -> f32 {
  let counters = overlay.heat_map.xy;
  let footprint = pixel / overlay.heat_map.z;
  let steps = vec2u(clamp(ceil(footprint), vec2f(1.0), vec2f(4.0)));
  var sum = 0.0;
  for (var row = 0u; row < steps.y; row++) {
    for (var column = 0u; column < steps.x; column++) {
      let offset = ((vec2f(f32(column), f32(row)) + 0.5) / vec2f(steps) - 0.5) * footprint;
      let counter = clamp(floor(cell / overlay.heat_map.z + offset), vec2f(), counters - 1.0);
      sum += f32(heat[u32(counter.y) * u32(counters.x) + u32(counter.x)]);
    }
  }
  return sum / (f32(steps.x * steps.y) * overlay.heat_map.z * overlay.heat_map.z);
}

@fragment
fn face_fragment(face: Face) -> @location(0) vec4f {
  let pixel = max(fwidth(face.cell), vec2f(1e-9));
  var colour = vec4f();
  if (overlay.shown.y > 0.0 && face.axes.x == 0u && face.axes.y == select(1u, 2u, DIMENSIONS == 3u)) {
    let count = heat_at(face.cell, pixel);
    let share = clamp(count * overlay.heat_map.w, 0.0, 1.0);
    let opacity = mix(FAINTEST_HEAT, DARKEST_HEAT, share) * clamp(count, 0.0, 1.0);
    colour = vec4f(overlay.heat.rgb, 1.0) * opacity;
  }
  if (overlay.shown.x > 0.0) {
    let levels = max(u32(overlay.cells.w), 1u);
    var opacity = 0.0;
    for (var level = 0u; level < levels; level++) {
      opacity = max(opacity, lines_of(face.cell, pixel, face.axes, level));
    }
    colour = mix(colour, vec4f(overlay.cell.rgb, 1.0), opacity);
  }
  return colour;
}
