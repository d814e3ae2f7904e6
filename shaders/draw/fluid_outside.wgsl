// Lists the particles of a 3D fluid that may lie outside its surface, in any order, behind the arguments of an indirect
// draw. drops[1] counts the listed particles.
// Needs: fluid, position, is_drawable, lift, frame, volume, drops, FIRST_DROP.

// Particles in voxels at least this dense are not listed. DENSEST is greater than DROPS.y of fluid_spray.wgsl, because
// that shader interpolates densities: a drop may be in a voxel denser than DROPS.y.
const DENSEST = 0.6;

@compute @workgroup_size(TILE_SIZE)
fn list_outside(
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
  let share = (lift(centre) + frame.origin.xyz - frame.lowest.xyz) / (frame.highest.xyz - frame.lowest.xyz);
  let voxel = clamp(vec3i(share * fluid.range.xyz), vec3i(0), vec3i(fluid.range.xyz) - 1);
  if (textureLoad(volume, voxel, 0).x < DENSEST) {
    atomicStore(&drops[FIRST_DROP + atomicAdd(&drops[1], 1u)], slot);
  }
}
