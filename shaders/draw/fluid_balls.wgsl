// Draws the fluid in 3D as balls, as a strip of four vertices per slot. Outputs the depth along the camera's axis and
// the thickness of the fluid. The blending keeps the least depth and adds up thicknesses.
// Needs: is_drawable, OFF_SCREEN, frame, lift, quad_corner, fluid, share_of, bodies.

struct Ball {
  @builtin(position) position: vec4f,
  // The offset from the centre, in radii.
  @location(0) offset: vec2f,
  @location(1) @interpolate(flat) distance: f32,
  @location(2) @interpolate(flat) share: f32,
}

struct BallPixel {
  // The depth relative to the camera's target, in units of `fluid.range.y`. Half floats are finest near 0, where the
  // fluid is.
  @location(0) distance: f32,
  // x: thickness, in distances between particles. y: x times the position on the colour scale.
  @location(1) thickness: vec2f,
}

// The volume of a ball of radius 1, divided by its diameter.
const BALL_VOLUME = 2.0943951;

@vertex
fn ball_vertex(@builtin(vertex_index) index: u32, @builtin(instance_index) slot: u32) -> Ball {
  let centre = body_position(position[slot]);
  if (!is_drawable(centre)) {
    return Ball(OFF_SCREEN, vec2f(), 0.0, 0.0);
  }
  let in_view = (frame.view * vec4f(lift(centre), 1.0)).xyz;
  let corner = quad_corner(index);
  let clip = frame.projection * vec4f(in_view + vec3f(corner * fluid.kernel.x, 0.0), 1.0);
  return Ball(clip, corner, -in_view.z, share_of(slot));
}

// Returns the depth beyond which a body hides the fluid: the greatest depth of the pixel's samples.
fn hidden_beyond(texel: vec2f) -> f32 {
  let pixel = vec2u(min(texel / fluid.screen.z, fluid.screen.xy - 1.0));
#if SAMPLED
  var depth = 0.0;
  for (var index = 0u; index < textureNumSamples(bodies); index++) {
    depth = max(depth, textureLoad(bodies, pixel, index));
  }
#else
  let depth = textureLoad(bodies, pixel, 0);
#endif
  return frame.projection[3].z / (depth + frame.projection[2].z);
}

@fragment
fn ball_fragment(ball: Ball) -> BallPixel {
  let square = dot(ball.offset, ball.offset);
  if (square >= 1.0) {
    discard;
  }
  let half = fluid.kernel.x * sqrt(1.0 - square);
  let nearest = ball.distance - half;
  var length = 2.0 * half;
  if (fluid.kernel.w > 0.0) {
    length = clamp(hidden_beyond(ball.position.xy) - nearest, 0.0, length);
  }
  // A particle has the volume of a cube whose edge is the distance between particles.
  let shrunk = fluid.kernel.y / fluid.kernel.x;
  let thickness = length / (2.0 * fluid.kernel.x) * shrunk * shrunk / BALL_VOLUME;
  return BallPixel((nearest - fluid.range.x) / fluid.range.y, vec2f(thickness, thickness * ball.share));
}
