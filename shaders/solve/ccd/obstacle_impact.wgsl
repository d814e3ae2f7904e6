// Impacts on obstacles of any size.
// Needs: Near, nearness, grid, EVERYWHERE, PIECE_SHARE, NEVER, impact_of.

// Returns how near a body may come to an obstacle. Along a periodic axis, a box at least a period long has no end.
fn nearness_to_obstacle(body: PackedBody, obstacle: PackedBody) -> Near {
  var near = nearness(body, obstacle);
#if HAS_BOXES
#if WRAPS
  let is_endless = (grid.period > Vector()) & (upper_of(obstacle.shape) >= 0.5 * grid.period);
  near.sides = select(near.sides, Vector(EVERYWHERE), is_endless);
#endif
#endif
  return near;
}

// Returns the key of the body's first hit, at or after `since`, on a piece of its path. An obstacle may be almost as
// long as the period, so the body may hit the next image ahead instead of the nearest one. On a piece, it can hit no
// other image. Twin: keyOnImages in src/core/ccd/impact.ts.
fn impact_on_images(apart: Vector, motion: Vector, since: f32, near: Near) -> u32 {
#if WRAPS
  // The offset to the next image along each axis; 0 if that image is out of reach.
  let reach = near.sides + near.round;
  let is_ahead = grid.period - sign(motion) * apart <= reach + PIECE_SHARE * grid.period;
  let steps = select(Vector(), sign(motion) * grid.period, is_ahead & (reach < Vector(EVERYWHERE)));
  var key = NEVER;
  // Per axis, a bit of `image` chooses the nearest image or the next one.
  for (var image = 0u; image < (1u << DIMENSIONS); image++) {
    let is_next = (Extent(image) & (Extent(1u) << AXES)) != Extent();
    if (!any(is_next & (steps == Vector()))) {
      key = min(key, impact_of(apart - select(Vector(), steps, is_next), motion, since, near));
    }
  }
  return key;
#else
  return impact_of(apart, motion, since, near);
#endif
}
