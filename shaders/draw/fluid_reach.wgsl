// The reach with which particles are drawn into the field of a fluid in 2D. Linked with frame.wgsl and fluid.wgsl.
// Needs: fluid, frame.

// The least reach in texels. Narrower kernels would fall between texels.
const NARROWEST_REACH = 2.0;

fn reach_drawn() -> f32 {
  return max(fluid.kernel.x, NARROWEST_REACH / (fluid.screen.z * frame.scale.y));
}
