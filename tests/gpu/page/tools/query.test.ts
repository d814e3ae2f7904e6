import { describe, expect } from 'vitest';
import { createSimulation } from '../../../../src/engine/simulation/simulation';
import { GpuAnswers } from '../../../../src/page/tools/query/gpu-answers';
import { visitedBy } from '../../../../src/page/tools/query/visited';
import { createScene, sceneOptions } from '../../../../src/scenes';
import { ASKED_WORLDS, answerOf, questionsAround } from '../../../helpers/inputs/questions';
import { gpuTest, SHARED } from '../../../helpers/node-gpu';
import { DIMENSIONS } from '../../../helpers/passes';

describe.each(DIMENSIONS)('the query tool on the GPU in %dD', (dimensions) => {
  for (const [name, change] of ASKED_WORLDS) {
    const isUsual = name === 'mixed' && dimensions === 2;
    gpuTest(
      `finds every particle that brute force finds, and each is among those tested (${name})`,
      async (_, tools) => {
        const scene = createScene(name, { dimensions, count: 300 });
        const gpu = tools.wrap();
        const simulation = await createSimulation(gpu, sceneOptions(scene, change));
        const particles = await simulation.read();
        const { world, radius } = simulation;
        const answers = await GpuAnswers.create(gpu, simulation);
        expect(answers.world.cells).toEqual(world.cells);
        expect(answers.world.cellSize).toBe(world.cellSize);
        answers.build(particles);
        for (const question of questionsAround(world, particles)) {
          const { indices } = await answers.ask(question);
          const expected = answerOf(world, particles, question, radius).toSorted((a, b) => a - b);
          expect(Array.from(indices)).toEqual(expect.arrayContaining(expected));
          // `expected` lacks a ray's hits that rounding may decide; the search may find up to two of them.
          if (question.kind !== 'ray') expect(indices.length).toBe(expected.length);
          else expect(indices.length).toBeLessThanOrEqual(expected.length + 2);
          const visited = visitedBy(answers.world, particles, question, { radius, backend: 'gpu' });
          expect(visited.tested).toEqual(expect.arrayContaining(expected));
        }
        // The same buffers must also serve a later state with fewer particles.
        simulation.remove([0, 1, 2]);
        const fewer = await simulation.read();
        answers.build(fewer);
        const [first] = questionsAround(world, fewer);
        if (!first) throw new Error('There is no question.');
        const { indices } = await answers.ask(first);
        expect(Array.from(indices).toSorted((a, b) => a - b)).toEqual(answerOf(world, fewer, first, radius));
        answers.destroy();
        simulation.destroy();
        expect(tools.liveBuffers().filter((label) => label.startsWith('page.query'))).toEqual([]);
      },
      isUsual ? SHARED : { ...SHARED, tags: 'full' },
    );
  }
});
