// A body as buffers store it. Host twins: bodyFloats and toBodies in src/gpu/layout.ts.
// Needs: grid.

#if VARIABLE_RADII
#if HAS_BOXES
struct PackedBody {
  // The position and the radius; for a box, the radius of the ball around the box.
  ball: vec4f,
  // xyz: half the edges of a box; 0 for a ball. w: the radius of a ball of the same volume.
  shape: vec4f,
}

struct PackedBodyBits {
  ball: vec4u,
  shape: vec4u,
}

fn ball_of(body: PackedBody) -> vec4f {
  return body.ball;
}

fn with_ball(body: PackedBody, ball: vec4f) -> PackedBody {
  return PackedBody(ball, body.shape);
}

// Replaces the position by NaN, so that the particle is in no cell. WGSL can write NaN only as bits.
fn with_nan(bits: PackedBodyBits) -> PackedBodyBits {
  return PackedBodyBits(with_upper_nan(bits.ball), bits.shape);
}

fn bits_of(body: PackedBody) -> PackedBodyBits {
  return PackedBodyBits(bitcast<vec4u>(body.ball), bitcast<vec4u>(body.shape));
}

fn body_of(bits: PackedBodyBits) -> PackedBody {
  return PackedBody(bitcast<vec4f>(bits.ball), bitcast<vec4f>(bits.shape));
}
#else
alias PackedBody = vec4f;
alias PackedBodyBits = vec4u;

fn ball_of(body: PackedBody) -> vec4f {
  return body;
}

fn with_ball(body: PackedBody, ball: vec4f) -> PackedBody {
  return ball;
}

fn with_nan(bits: PackedBodyBits) -> PackedBodyBits {
  return with_upper_nan(bits);
}
#endif

fn body_position(body: PackedBody) -> Vector {
  return upper_of(ball_of(body));
}

fn with_position(body: PackedBody, position: Vector) -> PackedBody {
  return with_ball(body, with_upper(ball_of(body), position));
}

fn radius_of(body: PackedBody) -> f32 {
  return ball_of(body).w;
}

fn stored_load(body: PackedBody, velocity: Stored) -> f32 {
  return spare_of(ball_of(body), velocity);
}

fn with_load(body: PackedBody, load: f32) -> PackedBody {
  return with_ball(body, with_spare(ball_of(body), load));
}

fn cell_key_source(body: PackedBody) -> PackedBody {
  return body;
}
#else
alias PackedBody = Stored;
alias PackedBodyBits = StoredBits;

#if EXACT
// Returns a rounded position. Use it only to draw and to find candidates.
fn body_position(body: PackedBody) -> Vector {
  return grid.origin + load_vector(body);
}

fn cell_key_source(body: PackedBody) -> Lattice {
  return load_whole(body);
}

// Marks a removed particle: see ABSENT in world/exact.wgsl.
fn with_nan(bits: PackedBodyBits) -> PackedBodyBits {
  return PackedBodyBits(0x80000000u);
}
#else
fn body_position(body: PackedBody) -> Vector {
  return load_vector(body);
}

fn with_position(body: PackedBody, position: Vector) -> PackedBody {
  return store_vector(position);
}

fn cell_key_source(body: PackedBody) -> Vector {
  return load_vector(body);
}

fn with_nan(bits: PackedBodyBits) -> PackedBodyBits {
  return PackedBodyBits(NOT_A_NUMBER);
}
#endif
#endif

#if !HAS_BOXES
fn bits_of(body: PackedBody) -> PackedBodyBits {
  return bitcast<PackedBodyBits>(body);
}

fn body_of(bits: PackedBodyBits) -> PackedBody {
  return bitcast<PackedBody>(bits);
}
#endif

#if VARIABLE_RADII
fn reach_of(body: PackedBody) -> Vector {
#if HAS_BOXES
  let half = upper_of(body.shape);
  return select(Vector(radius_of(body)), half, half > Vector());
#else
  return Vector(radius_of(body));
#endif
}

fn thickness_of(body: PackedBody) -> f32 {
  let reach = reach_of(body);
  return 2.0 * min(reach.x, min(reach.y, reach[DIMENSIONS - 1u]));
}
#endif
