// Lets the page's pointer change velocities. `brush` pushes particles away from the pointer's ray (2D: point) or pulls
// them in; the effect falls with the distance. `hold` pulls one particle. Host: src/page/tools/brush.ts.
// Needs: stroke, position, velocity, id.

struct Stroke {
  // A point of the ray, and the unit direction of the ray, which is 0 in 2D. For `hold`, `origin` is the target.
  origin: Vector,
  direction: Vector,
  // The radius of the brush. For `hold`, the greatest speed.
  reach: f32,
  // The change of speed at the ray; a negative value pulls. For `hold`, speed per distance to the target.
  change: f32,
  count: u32,
  held: u32,
}

const LEAST_WAY = 1e-30;

@compute @workgroup_size(WORKGROUP_SIZE)
fn brush(@builtin(global_invocation_id) thread: vec3u, @builtin(num_workgroups) workgroups: vec3u) {
  for (var slot = thread.x; slot < stroke.count; slot += workgroups.x * WORKGROUP_SIZE) {
    let from_origin = body_position(position[slot]) - stroke.origin;
    let across = from_origin - dot(from_origin, stroke.direction) * stroke.direction;
    let distance = length(across);
    // Skips NaNs, and particles on the ray, because these have no direction away from it.
    if (distance > 0.0 && distance < stroke.reach) {
      let push = stroke.change * (1.0 - distance / stroke.reach) / distance;
      velocity[slot] = with_vector(velocity[slot], load_vector(velocity[slot]) + push * across);
    }
  }
}

@compute @workgroup_size(WORKGROUP_SIZE)
fn hold(@builtin(global_invocation_id) thread: vec3u, @builtin(num_workgroups) workgroups: vec3u) {
  for (var slot = thread.x; slot < stroke.count; slot += workgroups.x * WORKGROUP_SIZE) {
    if (id[slot] == stroke.held) {
      let way = stroke.origin - body_position(position[slot]);
      velocity[slot] = with_vector(velocity[slot], way * min(stroke.change, stroke.reach / max(length(way), LEAST_WAY)));
    }
  }
}
