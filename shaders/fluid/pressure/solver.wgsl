// The numbers that the kernels of the conjugate gradients share. Host: src/methods/fluid/passes/pressure.ts.

struct Solver {
  // The greatest magnitude of a right-hand side.
  greatest: f32,
  // The dot product of the residual and the preconditioned residual.
  product: f32,
  // The length of the step along the direction.
  step: f32,
  // The share of the last direction that the next one keeps.
  share: f32,
  // The greatest residual divided by `greatest`.
  left: f32,
  // The number that is subtracted from every right-hand side.
  mean: f32,
  iterations: u32,
  done: u32,
  unconverged: u32,
  substeps: u32,
}
