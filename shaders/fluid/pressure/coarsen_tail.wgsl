// Computes the equations of all small levels in one workgroup, because a dispatch per level would take longer. Twin:
// src/methods/fluid/reference/multigrid.ts.
// Needs: Level, WORKGROUP, slots, TAIL_LEAD, coarsen_cell.

var<private> level: Level;

@compute @workgroup_size(WORKGROUP)
fn coarsen_tail(@builtin(local_invocation_index) thread: u32) {
  // The struct Level in fluid/shared.wgsl says what coarse_cells.w holds.
  let end = slots[0].level.coarse_cells.w;
  let tail = slots[1].level.coarse_cells.w;
  // Host: firstInTail in src/methods/fluid/passes/pressure.ts.
  for (var index = max(tail, TAIL_LEAD) - TAIL_LEAD; index + 1u < end; index++) {
    level = slots[index].level;
    let count = level.coarse_cells.x * level.coarse_cells.y * level.coarse_cells.z;
    for (var cell = thread; cell < count; cell += WORKGROUP) {
      coarsen_cell(cell);
    }
    storageBarrier();
  }
}
