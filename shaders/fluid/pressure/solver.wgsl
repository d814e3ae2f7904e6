// The state of the conjugate gradients. Host: src/methods/fluid/passes/pressure.ts.

struct Solver {
  // The greatest residual at the start.
  greatest: f32,
  // `product` is the dot product of the residual and the preconditioned residual, `step` the length of the step along
  // the direction. Both belong to the last step that was judged; next_product and next_step belong to the next step.
  product: f32,
  step: f32,
  next_product: f32,
  // The greatest residual now, divided by `greatest`.
  left: f32,
  next_step: f32,
  iterations: u32,
  // 1 once the solver has stopped. Atomic, because some workgroups read it in the dispatch in which another writes it.
  done: atomic<u32>,
  unconverged: u32,
  substeps: u32,
  begun: u32,
}
