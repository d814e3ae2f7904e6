/**
 * Purpose: which pairs there are, found by a method that shares nothing with the engines under test but the definition of
 * an overlap: bodies are dealt into strips across the longest edge of the box but one, sorted along the longest and swept, in doubles.
 * Input: a scene and positions. Output: their number and checksum.
 */
import { type Found, mixPair } from './engine';
import type { BenchScene } from './scenes';

/** Beyond so many bodies the oracle itself takes minutes; engines are then held against each other. */
export const MOST_FOR_ORACLE = 4_000_000;

export function findExpected(scene: BenchScene, positions: Float32Array): Found {
  const { dimensions, radius, radii } = scene;
  const count = positions.length / dimensions;
  const height = 2 * radius;
  // Swept along the longest edge of the box and dealt along the next: worlds may be lines along any axis.
  const edgeOf = (axis: number) => (scene.max[axis] as number) - (scene.min[axis] as number);
  const [along = 0, across = 1] = Array.from({ length: dimensions }, (_, axis) => axis).sort(
    (a, b) => edgeOf(b) - edgeOf(a),
  );
  const x = (body: number) => positions[body * dimensions + along] as number;
  const strips = new Map<number, number[]>();
  for (let body = 0; body < count; body++) {
    const strip = Math.floor((positions[body * dimensions + across] as number) / height);
    const dealt = strips.get(strip);
    if (dealt) dealt.push(body);
    else strips.set(strip, [body]);
  }
  for (const strip of strips.values()) strip.sort((a, b) => x(a) - x(b));
  let pairs = 0;
  let checksum = 0;
  const consider = (a: number, b: number) => {
    const reach = radii ? (radii[a] as number) + (radii[b] as number) : height;
    let squared = 0;
    for (let axis = 0; axis < dimensions; axis++) {
      const apart =
        (positions[a * dimensions + axis] as number) - (positions[b * dimensions + axis] as number);
      squared += apart * apart;
    }
    if (squared >= reach * reach) return;
    pairs++;
    checksum = (checksum + mixPair(a, b)) >>> 0;
  };
  for (const [number, strip] of strips) {
    const above = strips.get(number + 1) ?? [];
    let first = 0;
    strip.forEach((body, place) => {
      // Nobody is wider than `height` less this body's own radius.
      const reach = radii ? (radii[body] as number) + radius : height;
      const end = x(body) + reach;
      for (let other = place + 1; other < strip.length && x(strip[other] as number) < end; other++) {
        consider(body, strip[other] as number);
      }
      while (first < above.length && x(above[first] as number) <= x(body) - height) first++;
      for (let other = first; other < above.length && x(above[other] as number) < end; other++) {
        consider(body, above[other] as number);
      }
    });
  }
  return { pairs, checksum };
}
