// Returns true if the solver is done. Kernels then return at once, which only saves time: update.wgsl changes no
// pressure once the solver is done. On software adapters, indirect dispatches then have no workgroups at all. Linked
// with kernels of an iteration.
// Needs: dispatches.

fn is_over() -> bool {
  return dispatches[0] == 0u;
}
