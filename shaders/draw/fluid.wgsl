// The uniforms of shaders that draw a fluid's surface, and splines that smooth its textures. All fields are vec4f, so
// their order fixes the layout. Host twin: FLUID_FIELDS in src/page/view/fluid/uniforms.ts.

struct Fluid {
  // xy: size of the picture in device pixels. z: texels of the fluid's textures per device pixel. w: device pixels per
  // CSS pixel.
  screen: vec4f,
  // x: the radius of a particle in 2D, which fluid_reach.wgsl may enlarge. y: the initial distance between particles.
  // z: a drop's radius.
  kernel: vec4f,
  // xyz: cells along each axis. w: their edge.
  cells: vec4f,
  // xyz: voxels of the volume along each axis, in 3D. w: the number of particles.
  range: vec4f,
  // The colours that the surface mirrors: from above (`zenith`) and from the side (`horizon`). zenith.a: the light of a
  // bright window above the tank.
  zenith: vec4f,
  horizon: vec4f,
  // Rates per length: the share exp(−rate × length) of the light remains. rgb: absorbed light. a: light replaced by the
  // fluid's own colour.
  absorption: vec4f,
}

// Returns the weights of a cubic B-spline for four texels. `share` is the position between the middle two texels, from
// 0 to 1.
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

// Samples a texture with cubic B-spline smoothing. Texel i covers the coordinates from i to i + 1.
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
