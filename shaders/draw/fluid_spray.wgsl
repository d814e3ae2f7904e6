// Draws particles of a 3D fluid outside its surface as small drops, as a strip of four vertices per listed particle.
// Needs: drops, FIRST_DROP, OFF_SCREEN, is_drawable, lift, volume_at, frame, share_of, fluid, quad_corner, colour_at.
// Needs: LIGHT.

struct Drop {
  @builtin(position) position: vec4f,
  // The offset from the centre, in radii.
  @location(0) offset: vec2f,
  @location(1) @interpolate(flat) colour: vec4f,
  @location(2) @interpolate(flat) distance: f32,
  // The size of a pixel, in radii.
  @location(3) @interpolate(flat) pixel: f32,
}

// Drops have their full size up to the density DROPS.x, and vanish at the density DROPS.y.
const DROPS = vec2f(0.2, 0.4);
// The least drawn radius in pixels. Smaller drops are drawn fainter at this radius.
const SMALLEST = 0.7;

@vertex
fn drop_vertex(@builtin(vertex_index) index: u32, @builtin(instance_index) instance: u32) -> Drop {
  let slot = drops[FIRST_DROP + instance];
  let none = Drop(OFF_SCREEN, vec2f(), vec4f(), 0.0, 1.0);
  let centre = body_position(position[slot]);
  if (!is_drawable(centre)) {
    return none;
  }
  let lifted = lift(centre);
  let density = volume_at(lifted + frame.origin.xyz).x;
  let in_view = (frame.view * vec4f(lifted, 1.0)).xyz;
  if (density >= DROPS.y || in_view.z >= 0.0) {
    return none;
  }
  let share = share_of(slot);
  let pixel = -2.0 * in_view.z / (fluid.screen.y * frame.projection[1].y);
  let radius = fluid.kernel.z * (1.0 - smoothstep(DROPS.x, DROPS.y, density));
  let drawn = max(radius, SMALLEST * pixel);
  let corner = quad_corner(index) * (1.0 + pixel / drawn);
  let clip = frame.projection * vec4f(in_view + vec3f(corner * drawn, 0.0), 1.0);
  let faint = min(1.0, (radius * radius) / (drawn * drawn));
  // Drops high on the colour scale (by default, fast ones) have the colour of `zenith` and are nearly opaque.
  let colour = mix(colour_at(share), fluid.zenith.rgb, 0.35 + 0.65 * smoothstep(0.1, 0.5, share));
  return Drop(clip, corner, vec4f(colour, faint * mix(0.55, 0.95, share)), -in_view.z, pixel / drawn);
}

@fragment
fn drop_fragment(drop: Drop) -> @location(0) vec4f {
  let away = length(drop.offset);
  let coverage = clamp(0.5 + (1.0 - away) / drop.pixel, 0.0, 1.0) * drop.colour.a;
  let normal = vec3f(drop.offset, sqrt(max(0.0, 1.0 - away * away)));
  let shaded = drop.colour.rgb * (0.72 + 0.34 * max(0.0, dot(normal, LIGHT)));
  let haze = smoothstep(frame.fog.x, frame.fog.y, drop.distance) * frame.fog.z;
  return vec4f(mix(shaded, frame.background.rgb, haze) * coverage, coverage);
}
