// For restitution: finds each particle's fastest approaching contact, among those faster than rest_speed.
// Inputs: sorted state. Output: the other's slot, or NO_PARTNER. Two particles that name each other bounce in
// resolve.wgsl. Ties go to the lower pair of slots, the same from both sides, so the fastest pair anywhere is
// always mutual.

struct Visitor {
  slot: u32,
  velocity: Vector,
  fastest: f32,
  partner: u32,
}

@group(1) @binding(0) var<storage, read> position_in: array<Stored>;
@group(1) @binding(1) var<storage, read> velocity_in: array<Stored>;
@group(1) @binding(2) var<storage, read> start: array<u32>;
@group(1) @binding(3) var<storage, read> cell_of_slot: array<u32>;
@group(1) @binding(4) var<storage, read_write> partner_out: array<u32>;

fn visit(visitor: ptr<function, Visitor>, other: u32, apart: Vector, distance_squared: f32) {
  let contact = contact_from(apart, distance_squared, (*visitor).slot, other);
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
  var visitor = Visitor(slot, Vector(), -substep.rest_speed, NO_PARTNER);
  var cell = grid.cell_count;
  var position = Vector();
  if (present) {
    position = load_vector(position_in[slot]);
    visitor.velocity = load_vector(velocity_in[slot]);
    cell = cell_of_slot[slot];
  }
  probe(&visitor, slot, cell, position, substep.diameter_squared, thread);
  if (present) {
    partner_out[slot] = visitor.partner;
  }
}
