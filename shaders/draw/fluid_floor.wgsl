// Draws the floor under and around the tank of a 3D fluid. The strip of four vertices is a rectangle of the screen that
// covers the floor.
// Needs: Pixel, frame, FLOOR_END, corner_over, sight_of, tiles_at, sunlight_at.

@vertex
fn floor_vertex(@builtin(vertex_index) index: u32) -> Pixel {
  let half = 0.5 * (frame.highest.xz - frame.lowest.xz);
  let middle = frame.lowest.xz + half;
  let reach = FLOOR_END * length(half);
  let low = vec3f(middle.x - reach, frame.lowest.y, middle.y - reach);
  let high = vec3f(middle.x + reach, frame.lowest.y, middle.y + reach);
  return corner_over(index, low, high);
}

@fragment
fn floor_fragment(pixel: Pixel) -> @location(0) vec4f {
  let sight = sight_of(pixel.ray);
  let distance = (frame.lowest.y - sight.origin.y) / min(sight.direction.y, -1e-6);
  let point = sight.origin + distance * sight.direction;
  let width = fwidth(point.xz);
  let half = 0.5 * (frame.highest.xz - frame.lowest.xz);
  let away = length(point.xz - frame.lowest.xz - half) / length(half);
  let opacity = 1.0 - smoothstep(0.7, FLOOR_END, away);
  if (sight.direction.y >= 0.0 || distance <= 0.0 || opacity <= 0.0) {
    discard;
  }
  let colour = tiles_at(point.xz, width) * sunlight_at(point);
  let haze = smoothstep(frame.fog.x, frame.fog.y, distance) * frame.fog.z;
  return vec4f(mix(colour, frame.background.rgb, haze) * opacity, opacity);
}
