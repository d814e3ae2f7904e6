// Uniforms and splines for the shaders of a fluid's surface. Host twin: FLUID_FIELDS in
// src/page/view/fluid/uniforms.ts; all fields are whole vec4f, so their order alone fixes the layout. Needs frame. With
// SLOTS particles are in group 1 and this is in group 2.

struct Fluid {
  // Size of the picture in device pixels; texels of the fluid's textures per pixel; device pixels per CSS pixel.
  screen: vec4f,
  // In units of the world: the reach of a particle, the distance between particles, the radius of a drop. In w 1 if
  // bodies hide fluid.
  kernel: vec4f,
  // Cells along each axis, and the length of their edges.
  cells: vec4f,
  // In 3D, in units of the world: the camera's distance from its target, the unit of `distances` around it, the radius
  // of smoothing, and the greatest step that is smoothed over.
  range: vec4f,
  // The mirrored colours, above and level with the camera.
  zenith: vec4f,
  horizon: vec4f,
  // Exponents of the share of light that a unit of length absorbs, per colour; in w of the share that it replaces by
  // its own.
  absorption: vec4f,
}

#if SLOTS
@group(2) @binding(0) var<uniform> fluid: Fluid;
#else
@group(1) @binding(0) var<uniform> fluid: Fluid;
#endif

// The weights of four neighbouring texels for a cubic B-spline, for a share along one axis.
fn spline(share: f32) -> vec4f {
  let rest = 1.0 - share;
  let square = share * share;
  let cube = square * share;
  return vec4f(
    rest * rest * rest,
    4.0 - 6.0 * square + 3.0 * cube,
    1.0 + 3.0 * (share + square - cube),
    cube,
  ) / 6.0;
}

// Samples a texture smoothed by that spline, with four samples between texels. `texel`: texel i lies from i to i + 1.
fn smooth_sample(source: texture_2d<f32>, linear: sampler, texel: vec2f) -> vec4f {
  let size = vec2f(textureDimensions(source));
  let base = floor(texel - 0.5);
  let share = texel - 0.5 - base;
  let x = spline(share.x);
  let y = spline(share.y);
  let low = vec2f(x.x + x.y, y.x + y.y);
  let high = vec2f(x.z + x.w, y.z + y.w);
  let first = (base - 0.5 + vec2f(x.y, y.y) / low) / size;
  let second = (base + 1.5 + vec2f(x.w, y.w) / high) / size;
  return low.y * (low.x * textureSampleLevel(source, linear, first, 0.0)
      + high.x * textureSampleLevel(source, linear, vec2f(second.x, first.y), 0.0))
    + high.y * (low.x * textureSampleLevel(source, linear, vec2f(first.x, second.y), 0.0)
      + high.x * textureSampleLevel(source, linear, second, 0.0));
}
