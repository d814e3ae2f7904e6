// Sorts a stretch of a list, by one thread: Shell's sort, which takes little for what is nearly in order and still
// not the square for what is not. The kernel defines
//   struct Entry
//   fn entry_at(place: u32) -> Entry
//   fn put(place: u32, entry: Entry)
//   fn is_before(entry: Entry, other: Entry) -> bool          entries that are not before each other are the same

fn sort_stretch(first: u32, end: u32) {
  var gap = 1u;
  while (gap < (end - first) / 9u) {
    gap = 3u * gap + 1u;
  }
  for (; gap > 0u; gap /= 3u) {
    for (var index = first + gap; index < end; index++) {
      let moving = entry_at(index);
      var place = index;
      while (place >= first + gap && is_before(moving, entry_at(place - gap))) {
        put(place, entry_at(place - gap));
        place -= gap;
      }
      put(place, moving);
    }
  }
}
