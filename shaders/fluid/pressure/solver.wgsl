// The state of the conjugate gradients. Host: src/methods/fluid/passes/pressure.ts.

struct Solver {
  greatest: f32,
  // The dot product of the residual and the preconditioned residual, and the length of the step along the direction:
  // those of the last step that was judged, then those of the step after it.
  product: f32,
  step: f32,
  next_product: f32,
  left: f32,
  next_step: f32,
  iterations: u32,
  // 1 once the solver has stopped. Atomic, because some workgroups read it in the dispatch in which another writes it.
  done: atomic<u32>,
  unconverged: u32,
  substeps: u32,
  begun: u32,
}
