// Sorts the entries of crowded buckets by id. With FINER, sorts long lists of finer entries by slot instead.
// sort_tiles sorts tiles of CROWD_TILE entries. merge_pieces runs twice: it merges tiles into runs of CROWD_RUN
// entries, then the runs of each bucket.
// Needs: start, grid, crowd, linear_workgroup, entries, pieces, WHOLE, PIECE, merged.

// `crowd` holds CROWD_HEADER words of counters and dispatches, then two words per tile: its bucket, and its index among
// the tiles of the bucket.

#if FINER
alias Entry = u32;

fn key_of(entry: Entry) -> u32 {
  return entry;
}

fn first_entry_of(bucket: u32) -> u32 {
  return FINER_HEADER + start[bucket] - grid.count;
}
#else
alias Entry = vec2u;

fn key_of(entry: Entry) -> u32 {
  return entry.y;
}

fn first_entry_of(bucket: u32) -> u32 {
  return min(start[bucket], grid.count);
}
#endif

struct Tile {
  // The range of the bucket's entries.
  first: u32,
  end: u32,
  // The range of the tile's entries.
  begin: u32,
  stop: u32,
}

fn tile_at(index: u32) -> Tile {
  let bucket = crowd[CROWD_HEADER + 2u * index];
  let first = first_entry_of(bucket);
  let end = first_entry_of(bucket + 1u);
  let begin = min(first + crowd[CROWD_HEADER + 2u * index + 1u] * CROWD_TILE, end);
  return Tile(first, end, begin, min(begin + CROWD_TILE, end));
}

#if TILES
const PER_THREAD = CROWD_TILE / WORKGROUP_SIZE;

// Strips of this many entries are sorted by counting, then merged into a tile.
const STRIP = 32u;

var<workgroup> keys: array<u32, CROWD_TILE>;
var<workgroup> strips: array<u32, CROWD_TILE>;

fn smaller_in_strip(begin: u32, stop: u32, key: u32) -> u32 {
  var low = begin;
  var high = stop;
  while (low < high) {
    let middle = (low + high) / 2u;
    if (strips[middle] < key) {
      low = middle + 1u;
    } else {
      high = middle;
    }
  }
  return low - begin;
}

@compute @workgroup_size(WORKGROUP_SIZE)
fn sort_tiles(
  @builtin(workgroup_id) workgroup: vec3u,
  @builtin(num_workgroups) workgroups: vec3u,
  @builtin(local_invocation_index) thread: u32,
) {
  for (
    var index = linear_workgroup(workgroup, workgroups);
    index < crowd[0];
    index += workgroups.x * workgroups.y
  ) {
    let tile = tile_at(index);
    let length = tile.stop - tile.begin;
    var own = array<Entry, PER_THREAD>();
    for (var part = 0u; part < PER_THREAD; part++) {
      let index_in_tile = part * WORKGROUP_SIZE + thread;
      if (index_in_tile < length) {
        own[part] = entries[tile.begin + index_in_tile];
        keys[index_in_tile] = key_of(own[part]);
      }
    }
    workgroupBarrier();
    for (var part = 0u; part < PER_THREAD; part++) {
      let index_in_tile = part * WORKGROUP_SIZE + thread;
      let strip = index_in_tile / STRIP * STRIP;
      if (index_in_tile < length) {
        var smaller = 0u;
        for (var other = strip; other < min(strip + STRIP, length); other++) {
          smaller += select(0u, 1u, keys[other] < keys[index_in_tile]);
        }
        strips[strip + smaller] = keys[index_in_tile];
      }
    }
    workgroupBarrier();
    for (var part = 0u; part < PER_THREAD; part++) {
      if (part * WORKGROUP_SIZE + thread < length) {
        var smaller = 0u;
        for (var strip = 0u; strip < length; strip += STRIP) {
          smaller += smaller_in_strip(strip, min(strip + STRIP, length), key_of(own[part]));
        }
        entries[tile.begin + smaller] = own[part];
      }
    }
    workgroupBarrier();
  }
}
#else
fn smaller_in(begin: u32, stop: u32, id: u32) -> u32 {
  var low = begin;
  var high = stop;
  while (low < high) {
    let middle = (low + high) / 2u;
    if (key_of(pieces[middle]) < id) {
      low = middle + 1u;
    } else {
      high = middle;
    }
  }
  return low - begin;
}

// Merges sorted runs of PIECE entries into sorted runs of WHOLE entries.
@compute @workgroup_size(WORKGROUP_SIZE)
fn merge_pieces(
  @builtin(workgroup_id) workgroup: vec3u,
  @builtin(num_workgroups) workgroups: vec3u,
  @builtin(local_invocation_index) thread: u32,
) {
  for (var index = linear_workgroup(workgroup, workgroups); index < crowd[0]; index += workgroups.x * workgroups.y) {
    let tile = tile_at(index);
    let whole = tile.first + (tile.begin - tile.first) / WHOLE * WHOLE;
    let whole_end = whole + min(WHOLE, tile.end - whole);
    for (var position = tile.begin + thread; position < tile.stop; position += WORKGROUP_SIZE) {
      let entry = pieces[position];
      var smaller = 0u;
      for (var piece = whole; piece < whole_end; piece += PIECE) {
        smaller += smaller_in(piece, min(piece + PIECE, whole_end), key_of(entry));
      }
      merged[whole + smaller] = entry;
    }
  }
}
#endif
