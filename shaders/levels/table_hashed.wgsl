// The table of a level of an unbounded world. A range of buckets may continue at the start of the table. Then the
// range's slots continue at the level's first slot.
// Needs: first_bucket, last_in_table, start.

struct Table {
  first: u32,
  // The number of buckets less one.
  last: u32,
  // The end and the number of the level's slots, or of its finer entries.
  end: u32,
  length: u32,
}

// `offset` is added to buckets, to read finer entries.
fn table_of(level: u32, offset: u32) -> Table {
  let first = offset + first_bucket(level);
  let last = last_in_table(level);
  let end = start[first + last + 1u];
  return Table(first, last, end, end - start[first]);
}

fn first_slot(table: Table, index: u32) -> u32 {
  return start[table.first + (index & table.last)];
}

// Returns the number of slots in `count` buckets, beginning with the bucket at `index` in the table.
fn slots_in(table: Table, index: u32, count: u32) -> u32 {
  let first = index & table.last;
  let end = first + count;
  let beyond = select(0u, table.length, end > table.last);
  return start[table.first + (end & table.last)] + beyond - start[table.first + first];
}

fn wrap_slot(table: Table, slot: u32) -> u32 {
  return slot - select(0u, table.length, slot >= table.end);
}
