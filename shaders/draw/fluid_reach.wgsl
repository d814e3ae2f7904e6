// The reach of a particle: the radius at which it is drawn into the field of a fluid (see fluid_splat.wgsl) in 2D.
// Linked with frame.wgsl and fluid.wgsl.
// Needs: fluid, frame.

// The least reach in texels. A particle with a smaller reach could fall between texels.
const NARROWEST_REACH = 2.0;

fn reach_drawn() -> f32 {
  return max(fluid.kernel.x, NARROWEST_REACH / (fluid.screen.z * frame.scale.y));
}
