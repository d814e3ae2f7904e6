// Uniforms and functions for all drawing. All fields consist of vec4f, so their order fixes the layout. Host twin:
// FRAME_FIELDS in src/page/view/frame.ts.
// Needs: STOPS, frame.

const STOPS_LAST = STOPS - 1u;
const EXPONENT_BITS = 0x7f800000u;

struct Frame {
  // World to camera. The camera looks along −z, and y is up.
  view: mat4x4f,
  // Camera to clip space.
  projection: mat4x4f,
  background: vec4f,
  surface: vec4f,
  line: vec4f,
  obstacle: vec4f,
  // The point that is subtracted from positions before `view` is applied. 0 except in unbounded worlds.
  origin: vec4f,
  // The corners of the box. lowest.w: the factor that scales particles in 3D.
  lowest: vec4f,
  highest: vec4f,
  // x: the largest radius. y: pixels per length (2D). z: 1 / the value at the end of the colour scale. w: pixels with
  // at most this coverage are not drawn (3D).
  scale: vec4f,
  // x, y: the distances at which fog begins and is thickest. z: the greatest share of fog. w: the simulated time.
  fog: vec4f,
  stops: array<vec4f, STOPS>,
}

fn colour_at(share: f32) -> vec3f {
  let stop = clamp(share, 0.0, 1.0) * f32(STOPS_LAST);
  let first = min(u32(stop), STOPS_LAST - 1u);
  return mix(frame.stops[first].rgb, frame.stops[first + 1u].rgb, stop - f32(first));
}

// Returns the radius of a body before drawn_share scales it.
fn drawn_radius(body: PackedBody) -> f32 {
#if VARIABLE_RADII
  return radius_of(body);
#else
  return frame.scale.x;
#endif
}

// Returns a corner of a quad drawn as a strip; coordinates are −1 or 1.
fn quad_corner(index: u32) -> vec2f {
  return vec2f(f32(index & 1u), f32(index >> 1u)) * 2.0 - 1.0;
}

// Returns a position in the coordinates that `view` expects.
fn lift(vector: Vector) -> vec3f {
  var lifted = vec3f();
  for (var axis = 0u; axis < DIMENSIONS; axis++) {
    lifted[axis] = vector[axis] - frame.origin[axis];
  }
  return lifted;
}

// Tests the bits, because compilers may assume that NaN and infinity do not exist.
fn is_drawable(vector: Vector) -> bool {
  return all((bitcast<Extent>(vector) & Extent(EXPONENT_BITS)) != Extent(EXPONENT_BITS));
}

// The direction towards the light, in camera coordinates. Host twin: LIGHT in src/page/view/canvas-view.ts.
const LIGHT = vec3f(-0.4017, 0.7231, 0.5624);

// A position behind the far plane, where a vertex draws nothing.
const OFF_SCREEN = vec4f(0.0, 0.0, 2.0, 1.0);
