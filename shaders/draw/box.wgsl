// Draws the world's box. Its inside (2D) or floor (3D) is a strip of four vertices; its edges are lines.
// Needs: frame.

struct Vertex {
  @builtin(position) position: vec4f,
  @location(0) @interpolate(flat) colour: vec4f,
}

fn at(share: vec3f) -> vec4f {
  return frame.projection * frame.view * vec4f(mix(frame.lowest.xyz, frame.highest.xyz, share), 1.0);
}

@vertex
fn surface_vertex(@builtin(vertex_index) index: u32) -> Vertex {
  let corner = vec2f(f32(index & 1u), f32(index >> 1u));
  let share = select(vec3f(corner, 0.0), vec3f(corner.x, 0.0, corner.y), DIMENSIONS == 3u);
  return Vertex(at(share), frame.surface);
}

// The four edges at z = 0 come first, because in 2D the host draws only those.
@vertex
fn edge_vertex(@builtin(vertex_index) index: u32) -> Vertex {
  let edge = index >> 1u;
  let axis = select(2u, (edge >> 1u) & 1u, edge < 8u);
  let first = f32(edge & 1u);
  let second = select(f32((edge >> 1u) & 1u), f32((edge >> 2u) & 1u), edge < 8u);
  let along = f32(index & 1u);
  var share = vec3f(first, second, along);
  if (axis == 0u) {
    share = vec3f(along, first, second);
  } else if (axis == 1u) {
    share = vec3f(first, along, second);
  }
  return Vertex(at(share), frame.line);
}

@fragment
fn box_fragment(vertex: Vertex) -> @location(0) vec4f {
  return vec4f(vertex.colour.rgb * vertex.colour.a, vertex.colour.a);
}
