// A particle as the grid has it: its position, or where each has a size of its own, that too. With HAS_BOXES each is a ball or
// a box: see src/core/particles/shapes.ts. Host twins: bodyFloats and toBodies in src/gpu/layout.ts.

#if VARIABLE_RADII
#if HAS_BOXES
struct PackedBody {
  // The position and the radius, of a box that of the ball around it.
  place: vec4f,
  // Half of the edges, 0 of a ball; and the radius of a ball as large.
  shape: vec4f,
}

struct PackedBodyBits {
  place: vec4u,
  shape: vec4u,
}

fn place_of(body: PackedBody) -> Vector {
  return upper_of(body.place);
}

fn with_place(body: PackedBody, place: Vector) -> PackedBody {
  return PackedBody(with_last(place, body.place.w), body.shape);
}

fn radius_of(body: PackedBody) -> f32 {
  return body.place.w;
}

// Nowhere: a NaN can be written as bits only.
fn set_aside(bits: PackedBodyBits) -> PackedBodyBits {
  return PackedBodyBits(vec4u(vec3u(NOT_A_NUMBER), bits.place.w), bits.shape);
}

fn bits_of(body: PackedBody) -> PackedBodyBits {
  return PackedBodyBits(bitcast<vec4u>(body.place), bitcast<vec4u>(body.shape));
}

fn body_of(bits: PackedBodyBits) -> PackedBody {
  return PackedBody(bitcast<vec4f>(bits.place), bitcast<vec4f>(bits.shape));
}
#else
alias PackedBody = vec4f;
alias PackedBodyBits = vec4u;

fn place_of(body: PackedBody) -> Vector {
  return upper_of(body);
}

fn with_place(body: PackedBody, place: Vector) -> PackedBody {
  return with_last(place, body.w);
}

fn radius_of(body: PackedBody) -> f32 {
  return body.w;
}

fn set_aside(bits: PackedBodyBits) -> PackedBodyBits {
  return PackedBodyBits(vec3u(NOT_A_NUMBER), bits.w);
}
#endif

// What decides about a cell.
fn cell_key_source(body: PackedBody) -> PackedBody {
  return body;
}
#else
alias PackedBody = Stored;
alias PackedBodyBits = StoredBits;

fn place_of(body: PackedBody) -> Vector {
  return load_vector(body);
}

fn with_place(body: PackedBody, place: Vector) -> PackedBody {
  return store_vector(place);
}

fn cell_key_source(body: PackedBody) -> Vector {
  return load_vector(body);
}

fn set_aside(bits: PackedBodyBits) -> PackedBodyBits {
  return PackedBodyBits(NOT_A_NUMBER);
}
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
// How far a body reaches along each axis.
fn reach_of(body: PackedBody) -> Vector {
#if HAS_BOXES
  let half = upper_of(body.shape);
  return select(Vector(radius_of(body)), half, half > Vector());
#else
  return Vector(radius_of(body));
#endif
}

// Its diameter, of a box its shortest edge.
fn thickness_of(body: PackedBody) -> f32 {
  let reach = reach_of(body);
  return 2.0 * min(reach.x, min(reach.y, reach[DIMENSIONS - 1u]));
}
#endif
