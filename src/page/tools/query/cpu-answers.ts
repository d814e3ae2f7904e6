import { shapesOf } from '../../../core/particles/shapes';
import { createCpuLevelGrid } from '../../../cpu';
import { createGrid } from '../../../cpu/grid/grid';
import type { ParticleArrays } from '../../../index';
import type { SimulationView } from '../../model/simulation-view';
import type { Answers, Found, Question } from '../../view/answers';
import { gridOptions } from './question';

export function createCpuAnswers(simulation: SimulationView): Answers {
  const { dimensions, radius, radiusRange } = simulation;
  const { diameter, cellSize, ...options } = gridOptions(simulation);
  const equal = radiusRange ? undefined : createGrid({ ...options, diameter, cellSize });
  const various = radiusRange ? createCpuLevelGrid({ ...options, radii: radiusRange }) : undefined;
  const grid = (equal ?? various) as NonNullable<typeof equal> | NonNullable<typeof various>;
  return {
    world: grid.world,
    build(particles: ParticleArrays) {
      equal?.build(particles.positions);
      various?.build(particles.positions, shapesOf(dimensions, particles).radii as Float32Array);
    },
    ask(question: Question): Found {
      switch (question.kind) {
        case 'near':
          return { indices: grid.findNear(question.point, question.radius) };
        case 'nearest':
          return { indices: grid.nearest(question.point, question.k, question.radius).ids };
        case 'box':
          return { indices: grid.findInBox(question.min, question.max) };
        case 'ray': {
          const { origin, direction, length } = question;
          const { ids, distances } = equal
            ? equal.findAlongRay(origin, direction, length, Math.min(radius, equal.diameter / 2))
            : (various as NonNullable<typeof various>).findAlongRay(origin, direction, length);
          return { indices: ids, distances };
        }
      }
    },
    destroy() {},
  };
}
