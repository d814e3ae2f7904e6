// A particle as the grid has it: its position, or where each has a size of its own, that too. With SHAPED each is a ball or
// a box: see src/core/particles/shapes.ts. Host twins: bodyFloats and toBodies in src/gpu/layout.ts.

#if MIXED
#if SHAPED
struct Body {
  // The position and the radius, of a box that of the ball around it.
  place: vec4f,
  // Half of the edges, 0 of a ball; and the radius of a ball as large.
  shape: vec4f,
}

struct BodyBits {
  place: vec4u,
  shape: vec4u,
}

fn place_of(body: Body) -> Vector {
  return upper_of(body.place);
}

fn with_place(body: Body, place: Vector) -> Body {
  return Body(with_last(place, body.place.w), body.shape);
}

fn radius_of(body: Body) -> f32 {
  return body.place.w;
}

// Nowhere: a NaN can be written as bits only.
fn set_aside(bits: BodyBits) -> BodyBits {
  return BodyBits(vec4u(vec3u(NOT_A_NUMBER), bits.place.w), bits.shape);
}

fn bits_of(body: Body) -> BodyBits {
  return BodyBits(bitcast<vec4u>(body.place), bitcast<vec4u>(body.shape));
}

fn body_of(bits: BodyBits) -> Body {
  return Body(bitcast<vec4f>(bits.place), bitcast<vec4f>(bits.shape));
}
#else
alias Body = vec4f;
alias BodyBits = vec4u;

fn place_of(body: Body) -> Vector {
  return upper_of(body);
}

fn with_place(body: Body, place: Vector) -> Body {
  return with_last(place, body.w);
}

fn radius_of(body: Body) -> f32 {
  return body.w;
}

fn set_aside(bits: BodyBits) -> BodyBits {
  return BodyBits(vec3u(NOT_A_NUMBER), bits.w);
}
#endif

// What decides about a cell.
fn located(body: Body) -> Body {
  return body;
}
#else
alias Body = Stored;
alias BodyBits = StoredBits;

fn place_of(body: Body) -> Vector {
  return load_vector(body);
}

fn with_place(body: Body, place: Vector) -> Body {
  return store_vector(place);
}

fn located(body: Body) -> Vector {
  return load_vector(body);
}

fn set_aside(bits: BodyBits) -> BodyBits {
  return BodyBits(NOT_A_NUMBER);
}
#endif

#if !SHAPED
fn bits_of(body: Body) -> BodyBits {
  return bitcast<BodyBits>(body);
}

fn body_of(bits: BodyBits) -> Body {
  return bitcast<Body>(bits);
}
#endif

#if MIXED
// How far a body reaches along each axis.
fn reach_of(body: Body) -> Vector {
#if SHAPED
  let half = upper_of(body.shape);
  return select(Vector(radius_of(body)), half, half > Vector());
#else
  return Vector(radius_of(body));
#endif
}

// Its diameter, of a box its shortest edge.
fn thickness_of(body: Body) -> f32 {
  let reach = reach_of(body);
  return 2.0 * min(reach.x, min(reach.y, reach[DIMENSIONS - 1u]));
}
#endif
