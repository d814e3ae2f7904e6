// What every drawing shader knows of the frame. Host twin: FRAME_FIELDS in src/page/view/gpu-view.ts; all fields
// are whole vec4f, so their order alone fixes the layout.

const STOPS_LAST = STOPS - 1u;
const EXPONENT_BITS = 0x7f800000u;

struct Frame {
  // World to eye: the eye looks along −z, y is up.
  view: mat4x4f,
  // Eye to clip space.
  projection: mat4x4f,
  background: vec4f,
  // Inside of the box (2D) or its floor (3D), and its edges; alpha is opacity.
  surface: vec4f,
  line: vec4f,
  // Particles that never move.
  obstacle: vec4f,
  // What is taken from positions before `view`: 0 but in worlds without end, whose box is not drawn.
  origin: vec4f,
  // Corners of the world's box; in w of the lowest the share of their size that particles are drawn in.
  lowest: vec4f,
  highest: vec4f,
  // Radius of a particle (where each has its own, of the largest), pixels a unit of length (2D only), 1 / value of the
  // last colour, least coverage of a pixel that is drawn (3D only).
  scale: vec4f,
  // Eye distances where fog begins and is thickest, its greatest share, and the simulated time.
  fog: vec4f,
  stops: array<vec4f, STOPS>,
}

@group(0) @binding(0) var<uniform> frame: Frame;

// Of a share of the scale.
fn colour_at(share: f32) -> vec3f {
  let place = clamp(share, 0.0, 1.0) * f32(STOPS_LAST);
  let first = min(u32(place), STOPS_LAST - 1u);
  return mix(frame.stops[first].rgb, frame.stops[first + 1u].rgb, place - f32(first));
}

// With VARIABLE_RADII particles have radii of their own.
fn drawn_radius(body: PackedBody) -> f32 {
#if VARIABLE_RADII
  return radius_of(body);
#else
  return frame.scale.x;
#endif
}

// Corner of a quad drawn as a strip of four, each coordinate −1 or 1.
fn quad_corner(index: u32) -> vec2f {
  return vec2f(f32(index & 1u), f32(index >> 1u)) * 2.0 - 1.0;
}

// A position as the eye's matrices take it.
fn lift(vector: Vector) -> vec3f {
  var lifted = vec3f();
  for (var axis = 0u; axis < DIMENSIONS; axis++) {
    lifted[axis] = vector[axis] - frame.origin[axis];
  }
  return lifted;
}

// Compilers may assume that NaN and infinity do not exist, so the bits are asked.
fn is_drawable(vector: Vector) -> bool {
  return all((bitcast<Extent>(vector) & Extent(EXPONENT_BITS)) != Extent(EXPONENT_BITS));
}

// Behind the far plane: a vertex here draws nothing.
const NOWHERE = vec4f(0.0, 0.0, 2.0, 1.0);
