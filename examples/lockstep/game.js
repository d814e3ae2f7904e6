// @ts-check
/** The game: its world, and what an input does. All players run this file. */

export const DT = 1 / 60;
const WIDTH = 40;
const HEIGHT = 30;
const COUNT = 200;
/** Inputs give positions in whole 256ths of a unit of length, so that messages hold no fractions. */
const UNIT = 1 / 256;

/**
 * `pour` adds a disc at a position; `tilt` sets the gravity along x.
 * @typedef {{ kind: 'pour', x: number, y: number } | { kind: 'tilt', x: number }} Input
 */

/** Options of the simulation. `exact` gives the same bits on every device. */
export const OPTIONS = {
  dimensions: /** @type {const} */ (2),
  radius: 0.5,
  min: [0, 0],
  max: [WIDTH, HEIGHT],
  gravity: [0, -20],
  restitution: 0.3,
  positions: Float32Array.from({ length: 2 * COUNT }, (_, i) => {
    const particle = i >> 1;
    return i % 2 === 0 ? 1.5 + 1.25 * (particle % 20) : 1 + Math.floor(particle / 20);
  }),
  capacity: COUNT + 100,
  exact: true,
};

/**
 * @param {import('cellstorm').ParticleSimulation} simulation
 * @param {Input} input
 */
export function applyInput(simulation, input) {
  if (input.kind === 'tilt') simulation.set({ gravity: [input.x, -20] });
  else if (simulation.count < simulation.capacity) {
    simulation.add({
      positions: Float32Array.of(UNIT * input.x, UNIT * input.y),
      velocities: Float32Array.of(0, -10),
    });
  }
}

/**
 * Returns a player's inputs at a tick. Stands in for keyboard and pointer.
 * @param {number} player
 * @param {number} tick
 * @returns {Input[]}
 */
export function play(player, tick) {
  if (tick % 40 === 10 * player) return [{ kind: 'tilt', x: (((7 * tick) / 10) % 21) - 10 }];
  if (tick % 6 === player) return [{ kind: 'pour', x: 512 + ((997 * tick) % 9216), y: 7000 - 300 * player }];
  return [];
}
