// Tells kernels that the solver is done, so that they return at once. That only saves time: update.wgsl then changes
// nothing. On software adapters such dispatches have no workgroups anyway. Linked with the kernels of an iteration.
// Needs: dispatches.

fn is_over() -> bool {
  return dispatches[0] == 0u;
}
