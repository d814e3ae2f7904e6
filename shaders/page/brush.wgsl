// A pointer that moves particles by their velocities: pushes them away or pulls them in along a ray from the eye (in
// the plane from a point), less the farther they are from it; or holds one of them. Linked with the particles' own
// layout; host: src/page/tools/brush.ts.

struct Stroke {
  // A point of the ray, and its direction, of length 1; 0 in the plane. Of the one that is held, where it is to be.
  origin: Vector,
  direction: Vector,
  // Units of length; those beyond are left alone. Of the one that is held, its greatest speed.
  reach: f32,
  // Speed at the ray itself; less than 0 pulls. Of the one that is held, speed a unit of length that it has to go.
  change: f32,
  count: u32,
  // Id of the one that is held.
  held: u32,
}

@group(0) @binding(0) var<uniform> stroke: Stroke;
@group(0) @binding(1) var<storage, read> position: array<PackedBody>;
@group(0) @binding(2) var<storage, read_write> velocity: array<Stored>;
@group(0) @binding(3) var<storage, read> id: array<u32>;

const LEAST_WAY = 1e-30;

@compute @workgroup_size(WORKGROUP_SIZE)
fn brush(@builtin(global_invocation_id) thread: vec3u, @builtin(num_workgroups) workgroups: vec3u) {
  for (var slot = thread.x; slot < stroke.count; slot += workgroups.x * WORKGROUP_SIZE) {
    let from_origin = body_position(position[slot]) - stroke.origin;
    let across = from_origin - dot(from_origin, stroke.direction) * stroke.direction;
    let distance = length(across);
    // Whoever is nowhere is not nearer either. In the very middle there is no way out.
    if (distance > 0.0 && distance < stroke.reach) {
      let push = stroke.change * (1.0 - distance / stroke.reach) / distance;
      velocity[slot] = store_vector(load_vector(velocity[slot]) + push * across);
    }
  }
}

@compute @workgroup_size(WORKGROUP_SIZE)
fn hold(@builtin(global_invocation_id) thread: vec3u, @builtin(num_workgroups) workgroups: vec3u) {
  for (var slot = thread.x; slot < stroke.count; slot += workgroups.x * WORKGROUP_SIZE) {
    if (id[slot] == stroke.held) {
      let way = stroke.origin - body_position(position[slot]);
      velocity[slot] = store_vector(way * min(stroke.change, stroke.reach / max(length(way), LEAST_WAY)));
    }
  }
}
