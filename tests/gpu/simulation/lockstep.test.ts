import { describe, expect } from 'vitest';
import { OPTIONS } from '../../../examples/lockstep/game.js';
import { HASH_EVERY } from '../../../examples/lockstep/player.js';
import { createCpuSimulation } from '../../../src/cpu';
import { createSimulation } from '../../../src/engine/simulation/simulation';
import { LockstepGame } from '../../helpers/lockstep-game';
import { gpuTest, SHARED } from '../../helpers/node-gpu';

describe('players of examples/lockstep', () => {
  gpuTest(
    'stay equal on different engines, even if a player on the CPU joins with a checkpoint from the GPU',
    async (_, tools) => {
      const gpu = tools.wrap();
      const game = new LockstepGame();
      const first = game.seat(0, await createSimulation(gpu, OPTIONS), [0, 1]);
      const second = game.seat(1, createCpuSimulation(OPTIONS), [0, 1]);
      await game.runTo(HASH_EVERY - 3);
      await game.deliverAll();
      const third = game.seat(2, createCpuSimulation(OPTIONS));
      await first.player.admit(2);
      await game.runTo(2 * HASH_EVERY);
      // The GPU's results arrive in order, so after this measure the first player has sent all its hashes.
      await first.simulation.measure();
      await game.deliverAll();
      expect([...first.hashes.keys()]).toEqual([HASH_EVERY, 2 * HASH_EVERY]);
      expect([second.hashes, third.hashes]).toEqual([first.hashes, first.hashes]);
      expect(game.seats.map(({ desyncs }) => desyncs)).toEqual([[], [], []]);
      first.simulation.destroy();
    },
    { ...SHARED, tags: 'full' },
  );
});
