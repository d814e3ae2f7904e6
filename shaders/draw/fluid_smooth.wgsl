// Smooths the depths of a fluid along one axis of the screen, with a narrow-range filter (Truong and Yuksel 2018):
// - It skips each texel that is far behind, and with it the texel on the opposite side, so that edges do not curl.
// - Texels far in front count as if they were only a little in front.
// - The allowed range grows with the depths found, so the filter follows slopes.
// Needs: source, NOTHING, fluid, frame, MOST_TEXELS.

@vertex
fn smooth_vertex(@builtin(vertex_index) index: u32) -> @builtin(position) vec4f {
  return vec4f(f32(index & 1u) * 4.0 - 1.0, f32(index >> 1u) * 4.0 - 1.0, 0.0, 1.0);
}

fn distance_at(texel: vec2i) -> f32 {
  let size = vec2i(textureDimensions(source));
  if (any(texel < vec2i(0)) || any(texel >= size)) {
    return f32(NOTHING);
  }
  return textureLoad(source, texel, 0).x;
}

fn smooth_along(position: vec2f, step: vec2i) -> f32 {
  let texel = vec2i(position);
  let own = distance_at(texel);
  if (own >= f32(NOTHING)) {
    return own;
  }
  let depth = max(fluid.range.x + own * fluid.range.y, 1e-6);
  let texels_per_unit = 0.5 * frame.projection[1].y * fluid.screen.y * fluid.screen.z / depth;
  let width = fluid.range.z * texels_per_unit;
  let reach = clamp(i32(ceil(2.0 * width)), 1, i32(MOST_TEXELS));
  let allowed = fluid.range.w / fluid.range.y;
  var nearer = allowed;
  var farther = allowed;
  var sum = own;
  var total = 1.0;
  for (var away = 1; away <= reach; away++) {
    let pair = vec2f(distance_at(texel + step * away), distance_at(texel - step * away)) - own;
    if (max(pair.x, pair.y) > farther) {
      continue;
    }
    let share = f32(away) / max(width, 0.5);
    let weight = exp(-0.5 * share * share);
    let kept = select(pair, vec2f(-allowed), pair < vec2f(-nearer));
    sum += weight * (2.0 * own + kept.x + kept.y);
    total += 2.0 * weight;
    farther = max(farther, max(pair.x, pair.y) + allowed);
    nearer = max(nearer, allowed - min(kept.x, kept.y));
  }
  return sum / total;
}

@fragment
fn across_fragment(@builtin(position) position: vec4f) -> @location(0) f32 {
  return smooth_along(position.xy, vec2i(1, 0));
}

@fragment
fn up_fragment(@builtin(position) position: vec4f) -> @location(0) f32 {
  return smooth_along(position.xy, vec2i(0, 1));
}
