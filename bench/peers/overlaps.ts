/**
 * Tests exactly whether two bodies overlap, and collects the pairs that do. The engine finds the candidates by its own
 * boxes or shapes. It must give each pair at most once.
 */
import { PairSink } from '../harness/pair-sink';
import type { BenchScene } from '../harness/scenes';

export class Overlaps extends PairSink {
  positions = new Float32Array(0);
  private readonly dimensions: number;
  private readonly radius: number;
  private readonly radii: Float32Array | undefined;

  constructor({ dimensions, radius, radii }: BenchScene) {
    super();
    this.dimensions = dimensions;
    this.radius = radius;
    this.radii = radii;
  }

  place(positions: Float32Array): void {
    this.positions = positions as Float32Array<ArrayBuffer>;
  }

  radiusOf(body: number): number {
    return this.radii ? (this.radii[body] as number) : this.radius;
  }

  testPair(a: number, b: number): void {
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
}

export function refuse3D({ dimensions }: BenchScene): string | undefined {
  return dimensions === 3 ? 'It supports only two dimensions.' : undefined;
}
