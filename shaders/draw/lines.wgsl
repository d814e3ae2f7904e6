// Draws a line from each slot to the next, and a line per pair, as strips of four vertices. With WRAPS, a pair across
// an end of the world has two half lines, one from each particle.
// Needs: Line, position, is_drawable, NO_LINE, overlay, LEAP_OPACITY, line_between, lift, THREAD_WIDTH, pairs.
// Needs: CANDIDATE_WIDTH, CONTACT_WIDTH, DASH.

const CONTACT_BIT = 0x80000000u;

@vertex
fn thread_vertex(@builtin(vertex_index) index: u32, @builtin(instance_index) slot: u32) -> Line {
  let own = body_position(position[slot]);
  let next = body_position(position[slot + 1u]);
  if (!is_drawable(own) || !is_drawable(next)) {
    return NO_LINE;
  }
  let share = f32(slot) / max(overlay.screen.w - 2.0, 1.0);
  let is_long_step = distance(own, next) > overlay.period.w;
  let colour = mix(overlay.first, overlay.last, share);
  let opacity = select(1.0, LEAP_OPACITY, is_long_step);
  return line_between(index, lift(own), lift(next), f32(THREAD_WIDTH), 0.0, vec4f(colour.rgb, opacity));
}

fn minimum_way(own: Vector, other: Vector) -> Vector {
  let apart = other - own;
#if WRAPS
  var way = apart;
  for (var axis = 0u; axis < DIMENSIONS; axis++) {
    let period = overlay.period[axis];
    if (period > 0.0) {
      way[axis] = apart[axis] - period * round(apart[axis] / period);
    }
  }
  return way;
#else
  return apart;
#endif
}

@vertex
fn pair_vertex(@builtin(vertex_index) index: u32, @builtin(instance_index) instance: u32) -> Line {
#if WRAPS
  let pair = pairs[instance / 2u];
#else
  let pair = pairs[instance];
#endif
  let is_marked = (pair.y & CONTACT_BIT) != 0u && overlay.shown.z > 0.0;
  let own = body_position(position[pair.x]);
  let other = body_position(position[pair.y & ~CONTACT_BIT]);
  if (!is_drawable(own) || !is_drawable(other)) {
    return NO_LINE;
  }
  var from_point = own;
  var way = minimum_way(own, other);
#if WRAPS
  let crosses_end = any(abs(way - (other - own)) > abs(way) * 0x1p-10f + 0x1p-40f);
  if (crosses_end) {
    if ((instance & 1u) == 1u) {
      from_point = other;
      way = -way;
    }
    way *= 0.5;
  } else if ((instance & 1u) == 1u) {
    return NO_LINE;
  }
#endif
  let width = select(f32(CANDIDATE_WIDTH), f32(CONTACT_WIDTH), is_marked);
  let dash = select(f32(DASH), 0.0, is_marked);
  let colour = select(overlay.candidate, overlay.contact, is_marked);
  return line_between(index, lift(from_point), lift(from_point + way), width, dash, colour);
}
