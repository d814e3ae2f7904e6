// The state of the conjugate gradients. Host: src/methods/fluid/passes/pressure.ts.

struct Solver {
  greatest: f32,
  // The dot product of the residual and the preconditioned residual.
  product: f32,
  step: f32,
  // The share of the last direction in the next one.
  share: f32,
  left: f32,
  mean: f32,
  iterations: u32,
  done: u32,
  unconverged: u32,
  substeps: u32,
}
