// Overlapping pairs in two steps around a scan: tally counts, for each id, the overlapping neighbours of
// greater id; fill writes them from that id's offset on. Inputs: sorted positions on a fresh grid. Output:
// pairs (id, greater id), each once, grouped by the first id ascending; inside a group in slot order.

struct Visitor {
  id: u32,
  found: u32,
#if FILL
  first: u32,
  room: u32,
#endif
}

@group(1) @binding(0) var<storage, read> position_in: array<Stored>;
@group(1) @binding(1) var<storage, read> id_in: array<u32>;
@group(1) @binding(2) var<storage, read> start: array<u32>;
@group(1) @binding(3) var<storage, read> cell_of_slot: array<u32>;
#if FILL
@group(1) @binding(4) var<storage, read> offsets: array<u32>;
@group(1) @binding(5) var<storage, read_write> pairs: array<vec2u>;
#else
@group(1) @binding(4) var<storage, read_write> tallies: array<u32>;
#endif

fn visit(visitor: ptr<function, Visitor>, other: u32, apart: Vector, distance_squared: f32) {
  let other_id = id_in[other];
  if (other_id < (*visitor).id) {
    return;
  }
#if FILL
  if ((*visitor).found < (*visitor).room) {
    pairs[(*visitor).first + (*visitor).found] = vec2u((*visitor).id, other_id);
  }
#endif
  (*visitor).found += 1u;
}

@compute @workgroup_size(WORKGROUP_SIZE)
fn find_pairs(
  @builtin(workgroup_id) workgroup: vec3u,
  @builtin(num_workgroups) workgroups: vec3u,
  @builtin(local_invocation_index) thread: u32,
) {
  let slot = linear_workgroup(workgroup, workgroups) * WORKGROUP_SIZE + thread;
  let present = slot < grid.count;
  var visitor = Visitor();
  var cell = grid.cell_count;
  var position = Vector();
  if (present) {
    position = load_vector(position_in[slot]);
    visitor.id = id_in[slot];
    cell = cell_of_slot[slot];
#if FILL
    visitor.first = offsets[visitor.id];
    visitor.room = offsets[visitor.id + 1u] - visitor.first;
#endif
  }
  probe(&visitor, slot, cell, position, substep.diameter_squared, thread);
#if !FILL
  if (present) {
    tallies[visitor.id] = visitor.found;
  }
#endif
}
