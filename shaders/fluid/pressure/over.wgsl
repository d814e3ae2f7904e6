// Returns true if the solver is done. Kernels then return at once. This only saves time, because update.wgsl changes no
// pressure once the solver is done. On software adapters, it makes no difference to indirect dispatches, which then
// have no workgroups. Linked with the kernels of an iteration.
// Needs: dispatches.

fn is_over() -> bool {
  return dispatches[0] == 0u;
}
