// An occupied cell of an unbounded world, as occupied_cells.wgsl lists it and draw/occupied.wgsl draws it.

struct OccupiedCell {
  // The low corner, relative to the camera's origin. 0 along z in 2D.
  corner: vec3f,
  size: f32,
  bucket: u32,
  occupancy: u32,
  // 1 if another cell shares the bucket.
  is_shared: u32,
}
