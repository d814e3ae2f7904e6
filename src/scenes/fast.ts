/** Purpose: the scene of fast particles. */
import { ceilRoot, repeat, type SceneDefinition, UNITS } from './scene';

/** In a lane, one behind the other. */
const IN_LANE = { 2: 10, 3: 4 } as const;
/** Of those in a lane. */
const SPACING = 2;
/** From the foremost to the wall. */
const BEFORE_WALL = 5;
/** In 1/60 s: 50 diameters, and up to so many more. */
const SLOWEST = 3000;
const FASTER = 12 * 60;
/** How far off the middle of its lane a bullet begins, and how fast it leaves it, at most. */
const ASIDE = UNITS / 32;
const LEAVING = 60;

export const BULLETS: SceneDefinition = {
  name: 'bullets',
  description:
    'Bullets that fly 50 to 62 diameters in a sixtieth of a second, before a wall of obstacles one diameter thick; their paths are followed.',
  generate(dimensions, count, random) {
    const lanesAcross = ceilRoot(Math.max(1, count) / IN_LANE[dimensions], dimensions - 1);
    const lanes = lanesAcross ** (dimensions - 1);
    const middle = (lane: number, axis: number) => (Math.floor(lane / lanesAcross ** axis) % lanesAcross) + 1;
    const positions = new Float32Array(dimensions * count);
    const velocities = new Float32Array(dimensions * count);
    for (let bullet = 0; bullet < count; bullet++) {
      const lane = bullet % lanes;
      const first = dimensions * bullet;
      positions[first] = SPACING * (1 + Math.floor(bullet / lanes));
      velocities[first] = random.between(SLOWEST, SLOWEST + FASTER);
      for (let axis = 1; axis < dimensions; axis++) {
        positions[first + axis] = middle(lane, axis - 1) + random.between(-ASIDE, ASIDE) / UNITS;
        velocities[first + axis] = random.between(-LEAVING, LEAVING);
      }
    }
    const wall = SPACING * IN_LANE[dimensions] + BEFORE_WALL;
    const obstacles = Float32Array.from({ length: count === 0 ? 0 : dimensions * lanes }, (_, index) => {
      const axis = index % dimensions;
      return axis === 0 ? wall : middle(Math.floor(index / dimensions), axis - 1);
    });
    return {
      radius: 0.5,
      min: repeat(0, dimensions),
      max: repeat(lanesAcross + 1, dimensions).with(0, 2 * wall),
      positions,
      velocities,
      obstacles,
      continuous: true,
      settings: { substeps: 1, restitution: 0.25 },
    };
  },
};
