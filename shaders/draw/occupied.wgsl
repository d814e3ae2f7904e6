// Draws the occupied cells of an unbounded world: squares in 2D, the edges of cubes in 3D. Each square or edge is a
// strip of four vertices. Colours show the number of particles, or the bucket. If they show buckets, cells that share a
// bucket are hatched in 2D, and have thicker lines than other cells in 3D.
// Needs: overlay, cells, FAINTEST_HEAT, DARKEST_HEAT, frame, BUCKET_OPACITY, HATCH, NARROWEST_CELL, WIDE_CELL.
// Needs: DARKEST_LINE, Line, LONE_CELL, CANDIDATE_WIDTH, CONTACT_WIDTH, line_between.

struct Square {
  @builtin(position) position: vec4f,
  // From 0 to 1 along each edge.
  @location(0) inside: vec2f,
  @location(1) @interpolate(flat) cell: u32,
  // The edge in CSS pixels.
  @location(2) @interpolate(flat) pixels: f32,
}

// The hue is a multiplicative hash of the bucket, so nearby buckets differ. Twin: bucketColour in
// src/page/view/occupied-cells.ts.
fn bucket_colour(bucket: u32) -> vec3f {
  let hue = f32((bucket * 0x9e3779b1u) >> 8u) * 0x1p-24f;
  let away = abs(fract(vec3f(hue) + vec3f(1.0, 2.0, 3.0) / 3.0) * 6.0 - 3.0);
  let wheel = clamp(away - 1.0, vec3f(), vec3f(1.0));
  return mix(vec3f(1.0), wheel, overlay.buckets.y) * overlay.buckets.z;
}

fn is_marked(cell: u32) -> bool {
  return overlay.buckets.x > 0.0 && cells[cell].is_shared > 0u;
}

fn heat_opacity(cell: u32) -> f32 {
  let share = clamp(f32(cells[cell].occupancy) * overlay.heat_map.w, 0.0, 1.0);
  return mix(FAINTEST_HEAT, DARKEST_HEAT, share);
}

@vertex
fn square_vertex(@builtin(vertex_index) index: u32, @builtin(instance_index) cell: u32) -> Square {
  let inside = vec2f(f32(index & 1u), f32(index >> 1u));
  let point = cells[cell].corner + vec3f(inside * cells[cell].size, 0.0);
  let pixels = cells[cell].size * frame.scale.y / overlay.screen.z;
  return Square(frame.projection * frame.view * vec4f(point, 1.0), inside, cell, pixels);
}

fn over(below: vec4f, colour: vec3f, opacity: f32) -> vec4f {
  return mix(below, vec4f(colour, 1.0), opacity);
}

@fragment
fn square_fragment(square: Square) -> @location(0) vec4f {
  let marked = is_marked(square.cell);
  var colour = vec4f();
  if (overlay.shown.y > 0.0) {
    colour = over(colour, overlay.heat.rgb, heat_opacity(square.cell));
  }
  if (overlay.buckets.x > 0.0) {
    colour = over(colour, bucket_colour(cells[square.cell].bucket), BUCKET_OPACITY);
  }
  let ratio = overlay.screen.z;
  if (marked) {
    let along = (square.position.x + square.position.y) / ratio / f32(HATCH);
    let is_filled = fract(along) < 0.2 || square.pixels < f32(HATCH);
    colour = over(colour, overlay.contact.rgb, select(0.0, 0.85, is_filled));
  }
  let border = min(square.inside, 1.0 - square.inside) * square.pixels;
  let width = select(0.5, 1.5, marked);
  let coverage = clamp((width - min(border.x, border.y)) * ratio + 0.5, 0.0, 1.0);
  let fade = smoothstep(f32(NARROWEST_CELL), f32(WIDE_CELL), square.pixels);
  if (marked) {
    return over(colour, overlay.contact.rgb, coverage * fade);
  }
  return over(colour, overlay.cell.rgb, coverage * fade * DARKEST_LINE * overlay.shown.x);
}

@vertex
fn edge_vertex(@builtin(vertex_index) index: u32, @builtin(instance_index) instance: u32) -> Line {
  let cell = instance / 12u;
  let axis = (instance % 12u) / 4u;
  var from_point = cells[cell].corner;
  let size = cells[cell].size;
  from_point[(axis + 1u) % 3u] += f32(instance & 1u) * size;
  from_point[(axis + 2u) % 3u] += f32((instance >> 1u) & 1u) * size;
  var to_point = from_point;
  to_point[axis] += size;
  var colour = vec4f(overlay.cell.rgb, DARKEST_LINE);
  if (overlay.shown.y > 0.0) {
    colour = vec4f(overlay.heat.rgb, heat_opacity(cell));
  }
  let marked = is_marked(cell);
  if (overlay.buckets.x > 0.0) {
    colour = vec4f(bucket_colour(cells[cell].bucket), select(LONE_CELL, 1.0, marked));
  }
  let width = select(f32(CANDIDATE_WIDTH), f32(CONTACT_WIDTH), marked);
  return line_between(index, from_point, to_point, width, 0.0, colour);
}
