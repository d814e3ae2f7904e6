/** Walls as fixed boxes, because worlds of rigid-body engines have none. */
import type { PhysicsBody, PhysicsScene } from '../scene';

/** Walls are so thick that no body passes through in one step. */
const HALF_THICKNESS = 10;

export function wallsOf({ dimensions, min, max }: PhysicsScene): PhysicsBody[] {
  const middle = min.map((low, axis) => (low + (max[axis] as number)) / 2);
  const halves = min.map((low, axis) => ((max[axis] as number) - low) / 2 + 2 * HALF_THICKNESS);
  return Array.from({ length: 2 * dimensions }, (_, side) => {
    const axis = side >> 1;
    const along =
      side % 2 === 0 ? (min[axis] as number) - HALF_THICKNESS : (max[axis] as number) + HALF_THICKNESS;
    return { position: middle.with(axis, along), size: halves.with(axis, HALF_THICKNESS) };
  });
}
