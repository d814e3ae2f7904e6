// The places of a list that one owner may fill: from its offset to the next one's, as far as the list goes. Offsets
// descend only where there are more entries than 32 bits count (see query/list_count.wgsl): then there is no room.

struct Stretch {
  first: u32,
  room: u32,
}

fn stretch_of(offset: u32, next: u32, listed: u32) -> Stretch {
  let first = min(offset, listed);
  return Stretch(first, max(min(next, listed), first) - first);
}
