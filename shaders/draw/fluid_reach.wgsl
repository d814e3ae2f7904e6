// The reach of particles in the field of a fluid in 2D. Needs frame and fluid.
// Needs: fluid, frame.

// Narrower kernels would fall between texels.
const NARROWEST_REACH = 2.0;

fn reach_drawn() -> f32 {
  return max(fluid.kernel.x, NARROWEST_REACH / (fluid.screen.z * frame.scale.y));
}
