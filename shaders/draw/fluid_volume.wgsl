// Turns the particles of a 3D fluid into a density on voxels, in two kernels. `scatter_particles` spreads each particle
// over the eight nearest voxels, as integers, so that the sums do not depend on the order. `gather_voxels` smooths the
// sums and stores the density in x and the position on the colour scale in y. The density is 1 in fluid at rest.
// Needs: fluid, position, is_drawable, frame, lift, share_of, counts, kinds, SOLID, volume.

// The sum that one particle adds to `counts`, over all voxels, if voxels are as wide as the distance between particles.
const UNIT = 4096.0;

// The density near a solid is divided by the free share around the voxel, but not by less than this.
const LEAST_FREE = 0.2;

fn voxels_along() -> vec3i {
  return vec3i(fluid.range.xyz);
}

// Voxels beyond a wall count as their mirror images, so the density is even up to the wall.
fn voxel_index(voxel: vec3i) -> u32 {
  let along = voxels_along();
  let near = clamp(voxel, vec3i(0), along - 1);
  return u32(near.x + along.x * (near.y + along.y * near.z));
}

#if SLOTS
@compute @workgroup_size(TILE_SIZE)
fn scatter_particles(
  @builtin(global_invocation_id) thread: vec3u,
  @builtin(num_workgroups) groups: vec3u,
) {
  let slot = thread.x + thread.y * groups.x * TILE_SIZE;
  if (slot >= u32(fluid.range.w)) {
    return;
  }
  let centre = body_position(position[slot]);
  if (!is_drawable(centre)) {
    return;
  }
  let edge = (frame.highest.xyz - frame.lowest.xyz) / fluid.range.xyz;
  let at = (lift(centre) + frame.origin.xyz - frame.lowest.xyz) / edge - 0.5;
  let base = floor(at);
  let share = at - base;
  let spacing = fluid.kernel.y;
  let unit = UNIT * (spacing / edge.x) * (spacing / edge.y) * (spacing / edge.z);
  let colour = share_of(slot);
  for (var corner = 0u; corner < 8u; corner++) {
    let side = vec3u(corner, corner >> 1u, corner >> 2u) & vec3u(1u);
    let weights = select(1.0 - share, share, side == vec3u(1u));
    let weight = unit * weights.x * weights.y * weights.z;
    let first = 2u * voxel_index(vec3i(base) + vec3i(side));
    atomicAdd(&counts[first], u32(weight + 0.5));
    atomicAdd(&counts[first + 1u], u32(weight * colour + 0.5));
  }
}
#else
fn is_solid(cell: vec3i) -> bool {
  let along = vec3i(fluid.cells.xyz);
  let near = clamp(cell, vec3i(0), along - 1);
  let layer = (along.x + 1) * (along.y + 1);
  return kinds[layer + near.x + near.y * (along.x + 1) + near.z * layer] >= SOLID;
}

// Returns the free share of the space from which a voxel gathers: its own cell and the nearest ones.
fn free_share(voxel: vec3u) -> f32 {
  let at = (vec3f(voxel) + 0.5) * fluid.cells.xyz / fluid.range.xyz;
  let own = vec3i(floor(at));
  let next = select(vec3i(-1), vec3i(1), at - floor(at) > vec3f(0.5));
  var free = 0.0;
  for (var corner = 0u; corner < 8u; corner++) {
    let side = vec3i(vec3u(corner, corner >> 1u, corner >> 2u) & vec3u(1u));
    let weights = select(vec3f(0.75), vec3f(0.25), side == vec3i(1));
    free += select(weights.x * weights.y * weights.z, 0.0, is_solid(own + side * next));
  }
  return max(free, LEAST_FREE);
}

@compute @workgroup_size(4, 4, 4)
fn gather_voxels(@builtin(global_invocation_id) voxel: vec3u) {
  if (any(voxel >= vec3u(voxels_along()))) {
    return;
  }
  let along = voxels_along();
  let own = vec3i(voxel);
  let low = u32(max(own.x - 1, 0));
  let high = u32(min(own.x + 1, along.x - 1));
  var sum = vec2f();
  for (var z = -1; z <= 1; z++) {
    for (var y = -1; y <= 1; y++) {
      let row = voxel_index(vec3i(0, own.y + y, own.z + z));
      sum += vec2f(counts[row + low] + counts[row + voxel.x] + counts[row + high]);
    }
  }
  let density = sum.x / (27.0 * UNIT * free_share(voxel));
  textureStore(volume, voxel, vec4f(density, sum.y / max(sum.x, 1.0), 0.0, 0.0));
}
#endif
