// Judges the last step of the conjugate gradients. Stops the solver if the residual is small enough or there was no
// step; over.wgsl says what the remaining kernels then do. Linked with kernels whose first workgroup calls `judge`, or
// alone. Twin: src/methods/fluid/reference/pressure.ts.
// Needs: solver, dispatches, frame, total_of, RESIDUALS, WORKGROUP.

fn stop() {
  atomicStore(&solver.done, 1u);
  for (var word = 0u; word < arrayLength(&dispatches); word++) {
    dispatches[word] = 0u;
  }
}

fn judge_step(residual: f32) {
  if (solver.begun == 0u) {
    solver.begun = 1u;
    solver.iterations = 0u;
    solver.product = 0.0;
    solver.greatest = residual;
    solver.left = select(1.0, 0.0, residual == 0.0);
    if (residual == 0.0) {
      stop();
    }
    return;
  }
  if (solver.next_step == 0.0) {
    stop();
    return;
  }
  solver.product = solver.next_product;
  solver.step = solver.next_step;
  solver.iterations += 1u;
  solver.left = residual / solver.greatest;
  if (solver.left <= frame.rules.w) {
    stop();
  }
}

fn judge(thread: u32) {
  let residual = total_of(RESIDUALS, thread).z;
  if (thread == 0u && atomicLoad(&solver.done) == 0u) {
    judge_step(residual);
  }
}

@compute @workgroup_size(WORKGROUP)
fn judge_alone(@builtin(local_invocation_index) thread: u32) {
  judge(thread);
}
