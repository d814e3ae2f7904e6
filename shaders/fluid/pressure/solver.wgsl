// Linked with kernels of the conjugate gradients: what they share beside arrays. Host: src/methods/fluid/passes/pressure.ts.

struct Solver {
  // Greatest right side.
  greatest: f32,
  // Residual · preconditioned residual.
  product: f32,
  // How far along the direction.
  step: f32,
  // Of the last direction, what the next one keeps.
  share: f32,
  // Greatest residual in shares of `greatest`.
  left: f32,
  // What is taken from every right side.
  mean: f32,
  iterations: u32,
  done: u32,
  // Over all substeps.
  unconverged: u32,
  substeps: u32,
}
