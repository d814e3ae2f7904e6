// The radius at which fluid_splat.wgsl draws a particle.
// Needs: fluid, frame.

// The least radius in texels. A smaller particle could fall between texels.
const NARROWEST_REACH = 2.0;

fn reach_drawn() -> f32 {
  return max(fluid.kernel.x, NARROWEST_REACH / (fluid.screen.z * frame.scale.y));
}
