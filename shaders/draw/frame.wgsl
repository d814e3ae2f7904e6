// Uniforms and functions for all drawing shaders. Host twin: FRAME_FIELDS in src/page/view/frame.ts; all fields are
// whole vec4f, so their order alone fixes the layout.
// Needs: STOPS.

const STOPS_LAST = STOPS - 1u;
const EXPONENT_BITS = 0x7f800000u;

struct Frame {
  // World to camera space: the camera looks along −z, y is up.
  view: mat4x4f,
  // Camera to clip space.
  projection: mat4x4f,
  background: vec4f,
  // The inside of the box (2D) or its floor (3D), and its edges; alpha is opacity.
  surface: vec4f,
  line: vec4f,
  // The colour of particles that never move.
  obstacle: vec4f,
  // Subtracted from positions before `view`. 0 except in unbounded worlds, whose box is not drawn.
  origin: vec4f,
  // Corners of the world's box; in w of the lowest, the share of their size at which particles are drawn.
  lowest: vec4f,
  highest: vec4f,
  // The radius of a particle (with variable radii, of the largest); pixels per unit of length (2D only); 1 / value of
  // the last colour; the least coverage of a pixel that is drawn (3D only).
  scale: vec4f,
  // Camera distances at which fog begins and is thickest, its greatest share, and the simulated time.
  fog: vec4f,
  stops: array<vec4f, STOPS>,
}

@group(0) @binding(0) var<uniform> frame: Frame;

// The colour at a share of the scale.
fn colour_at(share: f32) -> vec3f {
  let stop = clamp(share, 0.0, 1.0) * f32(STOPS_LAST);
  let first = min(u32(stop), STOPS_LAST - 1u);
  return mix(frame.stops[first].rgb, frame.stops[first + 1u].rgb, stop - f32(first));
}

// With VARIABLE_RADII, particles have radii of their own.
fn drawn_radius(body: PackedBody) -> f32 {
#if VARIABLE_RADII
  return radius_of(body);
#else
  return frame.scale.x;
#endif
}

// The corner of a quad that is drawn as a strip of four; each coordinate is −1 or 1.
fn quad_corner(index: u32) -> vec2f {
  return vec2f(f32(index & 1u), f32(index >> 1u)) * 2.0 - 1.0;
}

// A position in the coordinates that the camera's matrices take.
fn lift(vector: Vector) -> vec3f {
  var lifted = vec3f();
  for (var axis = 0u; axis < DIMENSIONS; axis++) {
    lifted[axis] = vector[axis] - frame.origin[axis];
  }
  return lifted;
}

// Compilers may assume that NaN and infinity do not exist, so this tests the bits.
fn is_drawable(vector: Vector) -> bool {
  return all((bitcast<Extent>(vector) & Extent(EXPONENT_BITS)) != Extent(EXPONENT_BITS));
}

// Behind the far plane: a vertex here draws nothing.
const NOWHERE = vec4f(0.0, 0.0, 2.0, 1.0);
