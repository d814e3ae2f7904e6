// The neighbour loop for any reach and any world. It has no variant for heavy particles (HEAVY). Visits the cells of a
// box on every level, or all particles if there are fewer of them than segments in the box. The order of neighbours
// depends on the state alone; in a bounded world without levels, their slots ascend.
// Needs: Box, grid, box_in_world, Gathered, Particle, position_in, minimum_image, has_images, visit, neighbour_of.
// Needs: Cell, is_in_grid, start, levels_to_search, segments_in, block_of_box, is_occupied, segment_count, segment_of.
// Needs: is_in_segment.

// Coordinates farther out than this are in the outermost cells.
const ANYWHERE = 0x1p120f;

// Returns a box that holds all positions closer than `reach`. The margin is many times the rounding errors.
fn box_around(position: Vector, reach: f32) -> Box {
  let wraps = grid.period > Vector();
  let middle = clamp(position, Vector(-ANYWHERE), Vector(ANYWHERE));
  let world_extent = select(Vector(), abs(grid.origin) + grid.period, wraps);
  let share = select(Vector(0x1p-20f), Vector(0x1p-18f), wraps);
  let margin = Vector(reach) + (abs(middle) + world_extent + Vector(reach)) * share;
  let low = middle - margin;
  let high = middle + margin;
  let box = box_in_world(Box(low, high));
  let is_all = wraps & (high - low >= grid.period);
  return Box(select(box.low, Vector(-ANYWHERE), is_all), select(box.high, Vector(ANYWHERE), is_all));
}

fn visit_if_near(gathered: ptr<function, Gathered>, particle: Particle, except: u32, reach_squared: f32, other: u32) {
  let body = position_in[other];
  let apart = minimum_image(particle.position, body_position(body));
  let distance_squared = dot(apart, apart);
  if (distance_squared < reach_squared && other != except && has_images(body_position(body))) {
    visit(gathered, particle, neighbour_of(other, apart, distance_squared, body));
  }
}

fn probe(
  gathered: ptr<function, Gathered>,
  particle: Particle,
  except: u32,
  cell: Cell,
  reach_squared: f32,
  thread: u32,
) {
#if !VARIABLE_RADII
  // With variable radii, each_point.wgsl passes NOWHERE for every point.
  if (!is_in_grid(cell)) {
    return;
  }
#endif
  let box = box_around(particle.position, sqrt(reach_squared));
  // Bounded, so that a corrupt grid cannot hang the device.
  let active_count = min(start[grid.cell_count], grid.count);
  var segments = 0.0;
  for (var level = 0u; level < levels_to_search(); level++) {
    segments += select(0.0, segments_in(block_of_box(box, level)), is_occupied(level));
  }
  if (segments > f32(active_count)) {
    for (var other = 0u; other < active_count; other++) {
      visit_if_near(gathered, particle, except, reach_squared, other);
    }
    return;
  }
  for (var level = 0u; level < levels_to_search(); level++) {
    let block = block_of_box(box, level);
    let end = select(0u, segment_count(block), is_occupied(level));
    for (var index = 0u; index < end; index++) {
      let segment = segment_of(block, index);
      for (var other = segment.first; other < min(segment.end, grid.count); other++) {
        if (is_in_segment(segment, other)) {
          visit_if_near(gathered, particle, except, reach_squared, other);
        }
      }
    }
  }
}
