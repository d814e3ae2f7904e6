/**
 * Purpose: solid bodies in the liquid that move as the caller says: balls and boxes.
 * Inputs: where they are and how fast they go. Outputs: which places are inside, and the way out.
 */
export interface BallObstacle {
  readonly shape: 'ball';
  readonly position: readonly number[];
  readonly radius: number;
  /** Length a second. Default 0. */
  readonly velocity?: readonly number[] | undefined;
}

export interface BoxObstacle {
  readonly shape: 'box';
  readonly position: readonly number[];
  /** Half of each edge. */
  readonly halfExtents: readonly number[];
  readonly velocity?: readonly number[] | undefined;
}

export type ObstacleOptions = BallObstacle | BoxObstacle;

/** Complete and checked; three numbers in the plane too, the last 0. */
export interface Obstacle {
  readonly position: readonly number[];
  readonly velocity: readonly number[];
  /** Of boxes, of balls 0. */
  readonly halfExtents: readonly number[];
  /** Of balls, of boxes 0. */
  readonly radius: number;
}

export function insideObstacle(
  { position, halfExtents, radius }: Obstacle,
  place: readonly number[],
): boolean {
  let squared = 0;
  let within = true;
  for (let axis = 0; axis < position.length; axis++) {
    const way = (place[axis] as number) - (position[axis] as number);
    squared += way * way;
    within &&= Math.abs(way) < (halfExtents[axis] as number);
  }
  return radius > 0 ? squared < radius * radius : within;
}

/** Moves a place that is inside to the nearest side; says whether it was. */
export function leaveObstacle(obstacle: Obstacle, place: number[]): boolean {
  if (!insideObstacle(obstacle, place)) return false;
  const { position, halfExtents, radius } = obstacle;
  const way = position.map((middle, axis) => (place[axis] as number) - middle);
  if (radius > 0) {
    const distance = Math.hypot(...way);
    // From the very middle, up.
    const outward =
      distance > 0
        ? way.map((component) => component / distance)
        : way.map((_, axis) => (axis === 1 ? 1 : 0));
    for (let axis = 0; axis < position.length; axis++)
      place[axis] = (position[axis] as number) + radius * (outward[axis] as number);
    return true;
  }
  const depths = way.map((component, axis) => (halfExtents[axis] as number) - Math.abs(component));
  const shallow = depths.indexOf(Math.min(...depths));
  place[shallow] =
    (position[shallow] as number) +
    ((way[shallow] as number) < 0 ? -1 : 1) * (halfExtents[shallow] as number);
  return true;
}

export function movedObstacle(obstacle: Obstacle, dt: number): Obstacle {
  const { position, velocity } = obstacle;
  return { ...obstacle, position: position.map((at, axis) => at + dt * (velocity[axis] as number)) };
}
