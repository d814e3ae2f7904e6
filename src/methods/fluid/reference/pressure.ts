/**
 * Solves the pressure equations by conjugate gradients, preconditioned by one V-cycle. Twin of
 * shaders/fluid/pressure/begin.wgsl, apply.wgsl, update.wgsl and judge.wgsl.
 */
import { MOST_STEP } from '../constants';
import { eachRow, type Level } from '../lattice';
import type { Equations } from './equations';
import { coarsen, cycle, type Hierarchy } from './multigrid';

export interface Solved {
  readonly iterations: number;
  /** Greatest residual divided by the greatest right-hand side. */
  readonly residual: number;
  /** Greatest right-hand side: the surplus flow before the solver. */
  readonly greatest: number;
}

export function solvePressure(
  hierarchy: Hierarchy,
  pressure: Float64Array,
  tolerance: number,
  mostIterations: number,
): Solved {
  const { levels, diagonal, coupling, right, solution } = hierarchy;
  const level = levels.levels[0] as Level;
  const { size } = level;
  coarsen(hierarchy);
  pressure.fill(0);
  const residual = right.slice(0, size);
  const greatest = greatestOf(residual);
  if (greatest === 0) return { iterations: 0, residual: 0, greatest };
  const precondition = (): number => {
    right.set(residual);
    cycle(hierarchy);
    return dot(residual, solution, size);
  };
  let product = precondition();
  const direction = solution.slice(0, size);
  const applied = new Float64Array(size);
  let left = 1;
  let iterations = 0;
  while (iterations < mostIterations && product > 0) {
    apply(level, { coupling, couplingSize: levels.size, diagonal }, direction, applied);
    const curvature = dot(direction, applied, size);
    if (!(product <= MOST_STEP * curvature)) break;
    const step = product / curvature;
    for (let cell = 0; cell < size; cell++) {
      pressure[cell] = (pressure[cell] as number) + step * (direction[cell] as number);
      residual[cell] = (residual[cell] as number) - step * (applied[cell] as number);
    }
    iterations++;
    left = greatestOf(residual) / greatest;
    if (left <= tolerance) break;
    const before = product;
    product = precondition();
    const share = product / before;
    for (let cell = 0; cell < size; cell++)
      direction[cell] = (solution[cell] as number) + share * (direction[cell] as number);
  }
  return { iterations, residual: left, greatest };
}

/** Writes to `applied` the left-hand sides of the equations for the pressures in `given`. */
function apply(
  level: Level,
  { coupling, couplingSize, diagonal }: Omit<Equations, 'right'>,
  given: Float64Array,
  applied: Float64Array,
): void {
  const { dimensions, strides } = level;
  const [, stride, plane] = strides;
  eachRow(level, -1, (row, end) => {
    for (let cell = row; cell < end; cell++) {
      if (diagonal[cell] === 0) continue;
      let sum = (diagonal[cell] as number) * (given[cell] as number);
      sum -=
        (coupling[cell] as number) * (given[cell - 1] as number) +
        (coupling[cell + 1] as number) * (given[cell + 1] as number);
      const up = couplingSize + cell;
      sum -=
        (coupling[up] as number) * (given[cell - stride] as number) +
        (coupling[up + stride] as number) * (given[cell + stride] as number);
      if (dimensions === 3) {
        const back = couplingSize + up;
        sum -=
          (coupling[back] as number) * (given[cell - plane] as number) +
          (coupling[back + plane] as number) * (given[cell + plane] as number);
      }
      applied[cell] = sum;
    }
  });
}

function greatestOf(values: Float64Array): number {
  let greatest = 0;
  for (const value of values) greatest = Math.max(greatest, Math.abs(value));
  return greatest;
}

function dot(first: Float64Array, second: Float64Array, length: number): number {
  let sum = 0;
  for (let index = 0; index < length; index++) sum += (first[index] as number) * (second[index] as number);
  return sum;
}
