/** Bodies copied into an engine's order, so that a query reads consecutive memory. A slot is an index in that order. */
import type { BenchScene } from '../../harness/scenes';
import { Overlaps } from '../../peers/overlaps';

const STRIDE = 4;
/** Numbers per slot in `halves`. In 2D the last one is 0. */
const EDGES = 3;

export class SortedBodies extends Overlaps {
  readonly ids: Uint32Array;
  /** Centre and radius of each slot's body. In 2D, z is 0. */
  readonly bodies: Float32Array;
  /** Half the edges of each slot's body; undefined in a scene without boxes. */
  private readonly halves: Float32Array | undefined;

  constructor(private readonly scene: BenchScene) {
    super(scene);
    this.ids = new Uint32Array(scene.count);
    this.bodies = new Float32Array(STRIDE * scene.count);
    this.halves = scene.halfExtents && new Float32Array(EDGES * scene.count);
  }

  get memoryBytes(): number {
    return this.ids.byteLength + this.bodies.byteLength + (this.halves?.byteLength ?? 0);
  }

  store(slot: number, body: number): void {
    const { scene, positions, ids, bodies, halves } = this;
    const { dimensions, halfExtents } = scene;
    const from = body * dimensions;
    ids[slot] = body;
    bodies[STRIDE * slot] = positions[from] as number;
    bodies[STRIDE * slot + 1] = positions[from + 1] as number;
    if (dimensions === 3) bodies[STRIDE * slot + 2] = positions[from + 2] as number;
    bodies[STRIDE * slot + 3] = this.radiusOf(body);
    if (!halves || !halfExtents) return;
    for (let axis = 0; axis < dimensions; axis++) {
      halves[EDGES * slot + axis] = halfExtents[from + axis] as number;
    }
  }

  storeById(): void {
    for (let body = 0; body < this.scene.count; body++) this.store(body, body);
  }

  swap(a: number, b: number): void {
    const { ids, bodies, halves } = this;
    const id = ids[a] as number;
    ids[a] = ids[b] as number;
    ids[b] = id;
    for (let word = 0; word < STRIDE; word++) {
      const value = bodies[STRIDE * a + word] as number;
      bodies[STRIDE * a + word] = bodies[STRIDE * b + word] as number;
      bodies[STRIDE * b + word] = value;
    }
    if (!halves) return;
    for (let word = 0; word < EDGES; word++) {
      const value = halves[EDGES * a + word] as number;
      halves[EDGES * a + word] = halves[EDGES * b + word] as number;
      halves[EDGES * b + word] = value;
    }
  }

  centreOf(slot: number, axis: number): number {
    return this.bodies[STRIDE * slot + axis] as number;
  }

  /** Half the length of the body along an axis. */
  halfOf(slot: number, axis: number): number {
    return (this.halves ? this.halves[EDGES * slot + axis] : this.bodies[STRIDE * slot + 3]) as number;
  }

  testSlots(a: number, b: number): void {
    const { bodies, halves } = this;
    const dx = (bodies[STRIDE * b] as number) - (bodies[STRIDE * a] as number);
    const dy = (bodies[STRIDE * b + 1] as number) - (bodies[STRIDE * a + 1] as number);
    const dz = (bodies[STRIDE * b + 2] as number) - (bodies[STRIDE * a + 2] as number);
    if (halves) {
      if (Math.abs(dx) > (halves[EDGES * a] as number) + (halves[EDGES * b] as number)) return;
      if (Math.abs(dy) > (halves[EDGES * a + 1] as number) + (halves[EDGES * b + 1] as number)) return;
      if (Math.abs(dz) > (halves[EDGES * a + 2] as number) + (halves[EDGES * b + 2] as number)) return;
    } else {
      const reach = (bodies[STRIDE * a + 3] as number) + (bodies[STRIDE * b + 3] as number);
      if (dx * dx + dy * dy + dz * dz >= reach * reach) return;
    }
    this.add(this.ids[a] as number, this.ids[b] as number);
  }
}
