// Linked with the kernels of the conjugate gradients: their shared numbers. Host: src/methods/fluid/passes/pressure.ts.

struct Solver {
  // Greatest right-hand side.
  greatest: f32,
  // Residual · preconditioned residual.
  product: f32,
  // Length of the step along the direction.
  step: f32,
  // Share of the last direction that the next one keeps.
  share: f32,
  // Greatest residual divided by `greatest`.
  left: f32,
  // Subtracted from every right-hand side.
  mean: f32,
  iterations: u32,
  done: u32,
  // Counts over all substeps.
  unconverged: u32,
  substeps: u32,
}
