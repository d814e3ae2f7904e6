// The time of impact on an obstacle of any size. Linked with impact.wgsl.
// Needs: Near, nearness, grid, EVERYWHERE, PIECE_SHARE, NEVER, impact_of.

// Returns the nearness of a particle to an obstacle. Along a periodic axis, a box with a half extent of at least half
// the period has no end, so no path enters or leaves it there.
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

// Returns the key of the first hit with an obstacle, on a piece of a path that begins at `since`. An obstacle may be
// almost as long as the period, so an image that is not the nearest one may be hit. A piece is so short that, along
// each axis, it can hit only the nearest image and the next one ahead. Twin: keyOnImages in src/core/ccd/impact.ts.
fn impact_on_images(apart: Vector, motion: Vector, since: f32, near: Near) -> u32 {
#if WRAPS
  // `steps` is the offset to the next image along each axis; 0 where the piece cannot reach that image.
  let reach = near.sides + near.round;
  let is_ahead = grid.period - sign(motion) * apart <= reach + PIECE_SHARE * grid.period;
  let steps = select(Vector(), sign(motion) * grid.period, is_ahead & (reach < Vector(EVERYWHERE)));
  var key = NEVER;
  // Each bit of `image` chooses the next image along one axis.
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
