/**
 * Tests in doubles whether two bodies overlap, and collects the pairs that do. The engine finds the candidates by its
 * own boxes or shapes. It must pass each pair to `testPair` at most once.
 */
import { PairSink } from '../harness/pair-sink';
import type { BenchScene } from '../harness/scenes';

export class Overlaps extends PairSink {
  positions = new Float32Array(0);
  private readonly dimensions: number;
  private readonly radius: number;
  private readonly radii: Float32Array | undefined;
  private readonly halfExtents: Float32Array | undefined;

  constructor({ dimensions, radius, radii, halfExtents }: BenchScene) {
    super();
    this.dimensions = dimensions;
    this.radius = radius;
    this.radii = radii;
    this.halfExtents = halfExtents;
  }

  place(positions: Float32Array): void {
    this.positions = positions as Float32Array<ArrayBuffer>;
  }

  /** Counts the `testPair` calls of a query that ignores `positions`: if all bodies coincide, each call adds a pair. */
  countTests(query: () => void): number {
    const { positions } = this;
    this.positions = new Float32Array(positions.length);
    try {
      query();
      return this.count;
    } finally {
      this.positions = positions;
    }
  }

  radiusOf(body: number): number {
    return this.radii ? (this.radii[body] as number) : this.radius;
  }

  /** Returns half the length of a body along an axis. */
  extentOf(body: number, axis: number): number {
    return this.halfExtents
      ? (this.halfExtents[body * this.dimensions + axis] as number)
      : this.radiusOf(body);
  }

  testPair(a: number, b: number): void {
    if (this.halfExtents) this.testBoxes(a, b);
    else this.testBalls(a, b);
  }

  private testBalls(a: number, b: number): void {
    const { positions, dimensions } = this;
    const dx = (positions[a * dimensions] as number) - (positions[b * dimensions] as number);
    const dy = (positions[a * dimensions + 1] as number) - (positions[b * dimensions + 1] as number);
    let squared = dx * dx + dy * dy;
    if (dimensions === 3) {
      const dz = (positions[a * dimensions + 2] as number) - (positions[b * dimensions + 2] as number);
      squared += dz * dz;
    }
    const reach = this.radiusOf(a) + this.radiusOf(b);
    if (squared < reach * reach) this.add(a, b);
  }

  private testBoxes(a: number, b: number): void {
    const { positions, dimensions } = this;
    for (let axis = 0; axis < dimensions; axis++) {
      const apart =
        (positions[a * dimensions + axis] as number) - (positions[b * dimensions + axis] as number);
      if (Math.abs(apart) > this.extentOf(a, axis) + this.extentOf(b, axis)) return;
    }
    this.add(a, b);
  }
}

export function refuse3D({ dimensions }: BenchScene): string | undefined {
  return dimensions === 3 ? 'It supports only two dimensions.' : undefined;
}
