// An owner's part of a list: from its offset to the next owner's offset, but not beyond the list. `room` is 0 if
// offsets descend (query/list_count.wgsl).

struct Stretch {
  first: u32,
  room: u32,
}

fn stretch_of(offset: u32, next: u32, listed: u32) -> Stretch {
  let first = min(offset, listed);
  return Stretch(first, max(min(next, listed), first) - first);
}
