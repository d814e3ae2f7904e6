// Shell's sort of a stretch in one thread: fast if the stretch is nearly sorted. The kernel defines
//   struct Entry
//   fn entry_at(index: u32) -> Entry
//   fn put(index: u32, entry: Entry)
//   fn is_before(entry: Entry, other: Entry) -> bool
// Needs: entry_at, is_before, put.

fn sort_stretch(first: u32, end: u32) {
  var gap = 1u;
  while (gap < (end - first) / 9u) {
    gap = 3u * gap + 1u;
  }
  for (; gap > 0u; gap /= 3u) {
    for (var index = first + gap; index < end; index++) {
      let moving = entry_at(index);
      var target_index = index;
      while (target_index >= first + gap && is_before(moving, entry_at(target_index - gap))) {
        put(target_index, entry_at(target_index - gap));
        target_index -= gap;
      }
      put(target_index, moving);
    }
  }
}
