// Uniforms and lines of overlays. All fields are vec4f, so their order fixes the layout. Host twin: OVERLAY_FIELDS in
// src/page/view/overlay-uniforms.ts.
// Needs: OFF_SCREEN, overlay, frame, CASING.

struct Overlay {
  // `first` and `last` colour the ends of the line through all slots. `casing` surrounds lines, for contrast.
  cell: vec4f,
  heat: vec4f,
  first: vec4f,
  last: vec4f,
  candidate: vec4f,
  contact: vec4f,
  casing: vec4f,
  // xy: size of the picture in CSS pixels. z: device pixels per CSS pixel. w: the number of particles.
  screen: vec4f,
  // xyz: the low corner of the box. w: cells of the lowest level per unit of length.
  origin: vec4f,
  // xyz: cells of the lowest level along each axis. w: the number of levels.
  cells: vec4f,
  // xyz: the period of each axis or 0. w: if a step of the line through all slots is longer than this, it is drawn
  // fainter.
  period: vec4f,
  // xy: the number of counters along the axes of the heat map. z: cells along an edge of a counter's block. w: 1 /
  // particles per cell (3D: per column) at the end of the colour scale.
  heat_map: vec4f,
  // x: 1 if the lines of cells are drawn. y: 1 if the heat map is drawn. z: 1 if contacts look different from other
  // pairs. w: the factor that scales line widths.
  shown: vec4f,
  // x: 1 if colours show buckets. y, z: the saturation and the value of those colours.
  buckets: vec4f,
}

struct Line {
  @builtin(position) position: vec4f,
  // The distances from the middle of the line and from its beginning, in CSS pixels.
  @location(0) @interpolate(linear) across: f32,
  @location(1) @interpolate(linear) along: f32,
  @location(2) @interpolate(flat) colour: vec4f,
  // Half the width of the line, and the length of a dash, in CSS pixels. `dash` is 0 for a solid line.
  @location(3) @interpolate(flat) half_width: f32,
  @location(4) @interpolate(flat) dash: f32,
}

const NO_LINE = Line(OFF_SCREEN, 0.0, 0.0, vec4f(), 0.0, 0.0);

fn line_share() -> f32 {
  return overlay.shown.w;
}

// Returns the distance of the near plane, or −1 in 2D.
fn nearest_seen() -> f32 {
  return select(-1.0, frame.projection[3].z / frame.projection[2].z, DIMENSIONS == 3u);
}

// Returns a vertex of a line, which is a strip of four vertices. line_share scales `full_width` and `full_dash`.
fn line_between(
  index: u32,
  from_point: vec3f,
  to_point: vec3f,
  full_width: f32,
  full_dash: f32,
  colour: vec4f,
) -> Line {
  let width = full_width * line_share();
  var first = frame.view * vec4f(from_point, 1.0);
  var second = frame.view * vec4f(to_point, 1.0);
  if (DIMENSIONS == 3u) {
    // A line that extends behind the camera ends at the near plane.
    let near = nearest_seen() * 1.0001;
    if (-first.z < near && -second.z < near) {
      return NO_LINE;
    }
    let way = second - first;
    if (-first.z < near) {
      first += way * ((-near - first.z) / way.z);
    }
    if (-second.z < near) {
      second = first + way * ((-near - first.z) / (second.z - first.z));
    }
  }
  let first_clip = frame.projection * first;
  let second_clip = frame.projection * second;
  let half_screen = 0.5 * overlay.screen.xy;
  let a = first_clip.xyz / first_clip.w;
  let b = second_clip.xyz / second_clip.w;
  let way = (b.xy - a.xy) * half_screen;
  let length = length(way);
  let ahead = select(vec2f(1.0, 0.0), way / max(length, 1e-6), length > 1e-6);
  let reach = 0.5 * width + CASING * line_share() + 0.5;
  let side = f32(index & 1u) * 2.0 - 1.0;
  let is_end = index >= 2u;
  let cap = select(-0.5, 0.5, is_end) * width;
  let offset = vec2f(-ahead.y, ahead.x) * side * reach + ahead * cap;
  let corner = select(a, b, is_end);
  return Line(
    vec4f(corner.xy + offset / half_screen, corner.z, 1.0),
    side * reach,
    select(0.0, length, is_end) + cap,
    colour,
    0.5 * width,
    full_dash * line_share(),
  );
}

@fragment
fn line_fragment(line: Line) -> @location(0) vec4f {
  let ratio = overlay.screen.z;
  let away = abs(line.across);
  let core = clamp((line.half_width - away) * ratio + 0.5, 0.0, 1.0);
  let around = clamp((line.half_width + CASING * line_share() - away) * ratio + 0.5, 0.0, 1.0) * overlay.casing.a;
  if (line.dash > 0.0 && fract(line.along / (2.0 * line.dash)) >= 0.5) {
    discard;
  }
  let opacity = mix(around, 1.0, core) * line.colour.a;
  return vec4f(mix(overlay.casing.rgb, line.colour.rgb, core) * opacity, opacity);
}
