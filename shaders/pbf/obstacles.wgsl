// Solid balls and boxes that the fluid does not enter.
// Needs: Walls, parameters, solids, minimum_image, beyond, plane.

struct Solid {
  // w: the radius of a ball, or 0 for a box.
  centre: vec4f,
  // For a box, xyz: half of each edge. For a ball, w: the estimated share of the smoothing kernel poly6 within the
  // ball's cross-section.
  halves: vec4f,
}

// Returns the density and gradient of imagined fluid at rest inside solids. A solid's density is the share (part of
// the integral) of poly6 inside the solid. A product estimates it:
// - box: per axis, the share between its two faces. If only one face is within reach, the product is exact in 3D, and
//   wrong by less than 0.014 in 2D.
// - ball: the share between the planes that touch the ball's near and far end, times the share within the ball's
//   cross-section.
fn solids_at(point: Vector) -> Walls {
  var sum = Walls();
  for (var index = 0u; index < parameters.solids; index++) {
    let solid = solids[index];
    let apart = minimum_image(point, upper_of(solid.centre));
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

// Returns, per axis, the share of poly6 beyond a plane. `away`: signed distances in radii of the kernel.
fn farther(away: Vector) -> Vector {
  let share = beyond(min(abs(away), Vector(1.0)));
  return select(Vector(1.0) - share, share, away >= Vector());
}

fn face(away: Vector) -> Vector {
  return plane(min(abs(away), Vector(1.0)));
}

// Moves a point out of one solid after another: out of a ball to its surface, out of a box to the nearest face inside
// the walls.
fn outside_solids(point: Vector) -> Vector {
  var found = point;
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

fn outside_box(point: Vector, apart: Vector, halves: Vector) -> Vector {
  var least = 1e30;
  var found = point;
  for (var axis = 0u; axis < DIMENSIONS; axis++) {
    let up = halves[axis] - apart[axis];
    let down = halves[axis] + apart[axis];
    if (up < least && point[axis] + up < parameters.upper[axis]) {
      least = up;
      found = point;
      found[axis] += up;
    }
    if (down < least && point[axis] - down > parameters.lower[axis]) {
      least = down;
      found = point;
      found[axis] -= down;
    }
  }
  return found;
}
