// Bodies of one radius or of many, for engines without cells, which keep them in input order. Needs params.

// `equal_reach`: squared diameter of equal bodies, which callers read once, before their loops.
fn overlaps(body: PackedBody, other: PackedBody, equal_reach: f32) -> bool {
  let apart = body_position(body) - body_position(other);
#if VARIABLE_RADII
  let reach = radius_of(body) + radius_of(other);
  return dot(apart, apart) < reach * reach;
#else
  return dot(apart, apart) < equal_reach;
#endif
}

// Part of the work of a dispatch, in workgroups or threads, depending on the kernel.
struct Slice {
  first: u32,
  count: u32,
}
