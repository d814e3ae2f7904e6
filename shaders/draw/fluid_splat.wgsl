// Draws the fluid in 2D into a texture, as a strip of four vertices per slot. Outputs the density, which is 1 inside
// and ½ at the border, and the density times the position on the colour scale. The blending adds up all instances.
// Needs: is_drawable, OFF_SCREEN, reach_drawn, quad_corner, frame, lift, fluid, share_of.

struct Splat {
  @builtin(position) position: vec4f,
  // The offset from the centre, in units of the reach.
  @location(0) offset: vec2f,
  @location(1) @interpolate(flat) weight: f32,
  @location(2) @interpolate(flat) share: f32,
}

// The integral of (1 − r²)³ over a disc of radius 1.
const KERNEL_AREA = 0.7853982;

@vertex
fn splat_vertex(@builtin(vertex_index) index: u32, @builtin(instance_index) slot: u32) -> Splat {
  let centre = body_position(position[slot]);
  if (!is_drawable(centre)) {
    return Splat(OFF_SCREEN, vec2f(), 0.0, 0.0);
  }
  let reach = reach_drawn();
  let corner = quad_corner(index);
  let clip = frame.projection * frame.view * vec4f(lift(centre) + vec3f(corner * reach, 0.0), 1.0);
  let apart = fluid.kernel.y / reach;
  return Splat(clip, corner, apart * apart / KERNEL_AREA, share_of(slot));
}

@fragment
fn splat_fragment(splat: Splat) -> @location(0) vec2f {
  let inside = max(0.0, 1.0 - dot(splat.offset, splat.offset));
  let weight = splat.weight * inside * inside * inside;
  return vec2f(weight, weight * splat.share);
}
