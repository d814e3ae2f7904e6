// The part of a list that one owner may fill. It goes from the owner's offset to the next owner's, but not beyond the
// end of the list. If there are more entries than 32 bits can count, offsets may descend (see query/list_count.wgsl).
// If the next owner's offset is lower, `room` is 0.

struct Stretch {
  first: u32,
  room: u32,
}

fn stretch_of(offset: u32, next: u32, listed: u32) -> Stretch {
  let first = min(offset, listed);
  return Stretch(first, max(min(next, listed), first) - first);
}
