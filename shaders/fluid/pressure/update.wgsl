// Takes one step of the conjugate gradients, finds the greatest residual, and zeroes `solution` for the next V-cycle.
// Both dot products come from the preconditioned residual, not from the direction. So one kernel, apply.wgsl or
// ascend.wgsl, can sum both (Chronopoulos and Gear, 1989). Twin: src/methods/fluid/reference/pressure.ts.
// Needs: WORKGROUP, total_of, DOTS, solver, MOST_STEP, frame, solution, direction, image, direction_image, pressure.
// Needs: right, store_partial, RESIDUALS.

@compute @workgroup_size(WORKGROUP)
fn update(
  @builtin(workgroup_id) group: vec3u,
  @builtin(num_workgroups) groups: vec3u,
  @builtin(local_invocation_index) thread: u32,
) {
  let products = total_of(DOTS, thread);
  let product = products.x;
  var share = 0.0;
  var curvature = products.y;
  if (solver.product > 0.0) {
    share = product / solver.product;
    curvature -= share * product / solver.step;
  }
  // There is no step if the solver has stopped (on GPUs, this kernel still runs then), if a product is not positive, or
  // if the step would be far too long. In the last two cases, judge.wgsl stops the solver.
  let is_valid = atomicLoad(&solver.done) == 0u && product > 0.0 && product <= f32(MOST_STEP) * curvature;
  let step = select(0.0, product / curvature, is_valid);
  if (group.x == 0u && thread == 0u) {
    solver.next_product = product;
    solver.next_step = step;
  }
  let end = select(0u, frame.sizes.w, is_valid);
  var greatest = 0.0;
  for (var index = group.x * WORKGROUP + thread; index < end; index += groups.x * WORKGROUP) {
    let entry = frame.strides.w + index;
    // If the share is 0, direction and direction_image may hold a NaN from an earlier substep, and 0 × NaN is NaN.
    let along = solution[entry] + select(share * direction[entry], 0.0, share == 0.0);
    let across = image[entry] + select(share * direction_image[entry], 0.0, share == 0.0);
    direction[entry] = along;
    direction_image[entry] = across;
    pressure[entry] += step * along;
    let row = right[entry] - step * across;
    right[entry] = row;
    solution[entry] = 0.0;
    greatest = max(greatest, abs(row));
  }
  store_partial(vec4f(0.0, 0.0, greatest, 0.0), RESIDUALS + group.x, thread);
}
