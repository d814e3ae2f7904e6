// Bodies that the fluid does not enter: balls and boxes. `solids` is a buffer of them, `parameters.solids` counts them.
// Linked with smoothing.wgsl.

struct Solid {
  // The middle, and the radius of a ball, 0 of a box.
  centre: vec4f,
  // Half of each edge; of a ball, last, the share of poly6 that is across it.
  halves: vec4f,
}

// As beyond walls, fluid at rest is imagined in them: along each axis of a box what is between two faces, which is exact
// before a face and multiplied at edges; of a ball along the way from its middle.
fn solids_at(place: Vector) -> Walls {
  var sum = Walls();
  for (var index = 0u; index < parameters.solids; index++) {
    let solid = solids[index];
    let apart = minimum_image(place, upper_of(solid.centre));
    // Most are too far away to matter.
    let reach = max(upper_of(solid.halves), Vector(solid.centre.w)) + Vector(parameters.radius);
    if (any(abs(apart) >= reach)) {
      continue;
    }
    if (solid.centre.w > 0.0) {
      let distance = length(apart);
      let near = Vector((distance - solid.centre.w) / parameters.radius);
      let far = Vector((distance + solid.centre.w) / parameters.radius);
      sum.density += solid.halves.w * (farther(near) - farther(far)).x;
      let outwards = apart / max(distance, 1e-30);
      sum.gradient += solid.halves.w * (face(far) - face(near)).x * outwards;
    } else {
      let low = (upper_of(solid.halves) + apart) / parameters.radius;
      let high = (upper_of(solid.halves) - apart) / parameters.radius;
      let within = Vector(1.0) - farther(low) - farther(high);
      let slope = face(low) - face(high);
      var product = 1.0;
      for (var axis = 0u; axis < DIMENSIONS; axis++) {
        product *= within[axis];
        var others = slope[axis];
        for (var other = 0u; other < DIMENSIONS; other++) {
          others *= select(within[other], 1.0, other == axis);
        }
        sum.gradient[axis] += others;
      }
      sum.density += product;
    }
  }
  return Walls(sum.density, sum.gradient / parameters.radius);
}

// The share of poly6 beyond a plane so many radii away, on this side of it too.
fn farther(away: Vector) -> Vector {
  let share = beyond(min(abs(away), Vector(1.0)));
  return select(Vector(1.0) - share, share, away >= Vector());
}

fn face(away: Vector) -> Vector {
  return plane(min(abs(away), Vector(1.0)));
}

// Out of whatever a place is in, to the nearest point of its surface, of boxes within the walls.
fn outside_solids(place: Vector) -> Vector {
  var found = place;
  for (var index = 0u; index < parameters.solids; index++) {
    let solid = solids[index];
    let apart = minimum_image(found, upper_of(solid.centre));
    if (solid.centre.w > 0.0) {
      let distance = length(apart);
      if (distance < solid.centre.w) {
        var outwards = Vector();
        outwards.y = 1.0;
        if (distance > 0.0) {
          outwards = apart / distance;
        }
        found += (solid.centre.w - distance) * outwards;
      }
    } else if (all(abs(apart) < upper_of(solid.halves))) {
      found = outside_box(found, apart, upper_of(solid.halves));
    }
  }
  return found;
}

fn outside_box(place: Vector, apart: Vector, halves: Vector) -> Vector {
  var least = 1e30;
  var found = place;
  for (var axis = 0u; axis < DIMENSIONS; axis++) {
    let up = halves[axis] - apart[axis];
    let down = halves[axis] + apart[axis];
    if (up < least && place[axis] + up < parameters.upper[axis]) {
      least = up;
      found = place;
      found[axis] += up;
    }
    if (down < least && place[axis] - down > parameters.lower[axis]) {
      least = down;
      found = place;
      found[axis] -= down;
    }
  }
  return found;
}
