// For restitution: finds each particle's fastest approaching contact, among those faster than rest_speed.
// Inputs: sorted state. Output: the other's slot, or NO_PARTNER. Two particles that name each other bounce in
// resolve.wgsl. Ties go to the lower pair of slots, the same from both sides, so the fastest pair anywhere is
// always mutual.

struct Visitor {
  id: u32,
  position: Vector,
  velocity: Vector,
  fastest: f32,
  partner: u32,
}

@group(1) @binding(0) var<storage, read> position_in: array<Stored>;
@group(1) @binding(1) var<storage, read> velocity_in: array<Stored>;
@group(1) @binding(2) var<storage, read> id_in: array<u32>;
@group(1) @binding(3) var<storage, read> start: array<u32>;
@group(1) @binding(4) var<storage, read> cell_of_slot: array<u32>;
@group(1) @binding(5) var<storage, read_write> partner_out: array<u32>;

fn visit(visitor: ptr<function, Visitor>, other: u32, other_position: Vector) {
  let apart = (*visitor).position - other_position;
  let distance_squared = dot(apart, apart);
  if (distance_squared >= substep.diameter_squared) {
    return;
  }
  let contact = contact_from(apart, distance_squared, (*visitor).id, id_in[other]);
  let approach = dot((*visitor).velocity - load_vector(velocity_in[other]), contact.normal);
  if (approach < (*visitor).fastest) {
    (*visitor).fastest = approach;
    (*visitor).partner = other;
  }
}

@compute @workgroup_size(WORKGROUP_SIZE)
fn partner(
  @builtin(workgroup_id) workgroup: vec3u,
  @builtin(num_workgroups) workgroups: vec3u,
  @builtin(local_invocation_index) thread: u32,
) {
  let slot = linear_workgroup(workgroup, workgroups) * WORKGROUP_SIZE + thread;
  let present = slot < grid.count;
  var visitor = Visitor(0u, Vector(), Vector(), -substep.rest_speed, NO_PARTNER);
  var cell = grid.cell_count;
  if (present) {
    visitor.id = id_in[slot];
    visitor.position = load_vector(position_in[slot]);
    visitor.velocity = load_vector(velocity_in[slot]);
    cell = cell_of_slot[slot];
  }
  probe(&visitor, slot, cell, thread);
  if (present) {
    partner_out[slot] = visitor.partner;
  }
}
