// Tests whether two bodies overlap, for engines that do not use HashGrid. Link with params.

// `equal_reach`: the squared diameter, for bodies of one radius. Callers read it once, before their loops.
fn overlaps(body: PackedBody, other: PackedBody, equal_reach: f32) -> bool {
  let apart = body_position(body) - body_position(other);
#if VARIABLE_RADII
  let reach = radius_of(body) + radius_of(other);
  return dot(apart, apart) < reach * reach;
#else
  return dot(apart, apart) < equal_reach;
#endif
}

// The range of workgroups or slots that one dispatch handles; the kernel's file says which.
struct Slice {
  first: u32,
  count: u32,
}
