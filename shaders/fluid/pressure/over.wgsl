// Tells kernels whether the solver is done; they then return at once. This only saves time, because update.wgsl then
// changes no pressure. On software adapters, indirect dispatches then have no workgroups anyway. Linked with the
// kernels of an iteration.
// Needs: dispatches.

fn is_over() -> bool {
  return dispatches[0] == 0u;
}
