// Loops over obstacles of any size around a particle, in the order of the tree. For each overlap, calls the kernel's
//   fn meet_obstacle(met: ptr<function, ObstacleSum>, particle: Particle, obstacle: Neighbour, contact: Contact)
// Needs: ObstacleSum, Particle, branch_count, branch_at, is_entered, obstacle_body, minimum_image, neighbour_of.
// Needs: contact_with, meet_obstacle.

fn probe_obstacles(met: ptr<function, ObstacleSum>, particle: Particle) {
#if HAS_BOXES
  let reach = select(Vector(particle.radius), particle.half, particle.half > Vector());
#else
  let reach = Vector(particle.radius);
#endif
  let end = branch_count();
  var node = 0u;
  while (node < end) {
    let branch = branch_at(node);
    let enters = is_entered(branch, particle.position, reach);
    let last = select(branch.first, branch.end, enters);
    for (var obstacle = branch.first; obstacle < last; obstacle++) {
      let body = obstacle_body(obstacle);
      let apart = minimum_image(particle.position, body_position(body));
      let distance_squared = dot(apart, apart);
      let both = particle.radius + radius_of(body);
      if (distance_squared < both * both) {
        let other = neighbour_of(obstacle, apart, distance_squared, body);
        let contact = contact_with(particle, other);
#if HAS_BOXES
        if (!contact.is_contact) {
          continue;
        }
#endif
        meet_obstacle(met, particle, other, contact);
      }
    }
    node = select(branch.skip, node + 1u, enters);
  }
}
