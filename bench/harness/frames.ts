/** Chooses the frames of a case, and counts an engine's work on one of them. */
import { isOutOfMemory, type Open } from './open';
import type { CountedWork } from './record';
import type { BenchScene } from './scenes';

const UNTIMED_FRAME = 1_000_003;
const MOST_FRAMES = 16;
/** Timed rounds of a moving scene use as many frames as fit into this many bytes, from two to MOST_FRAMES. */
const MOST_FRAME_BYTES = 2 ** 26;

export interface Frames {
  /** Frame 0, or consecutive frames of a moving scene. */
  readonly timed: readonly [Float32Array, ...Float32Array[]];
  readonly untimed: Float32Array;
}

/**
 * Counts the work of frame 0 or, in a moving scene, of frame 1 after frame 0, because an engine may use the motion.
 * Call it after timing. Resolves to undefined if the engine cannot count its work, or if there is too little memory.
 */
export async function countWork(run: Open, { timed }: Frames): Promise<CountedWork | undefined> {
  if (!run.countWork) return undefined;
  try {
    await run.place(timed[0]);
    if (timed[1]) await run.place(timed[1]);
    const { pairs } = await run.find();
    const work = await run.countWork(timed[1] ?? timed[0]);
    return { ...work, pairs };
  } catch (error) {
    if (isOutOfMemory(error)) return undefined;
    throw error;
  }
}

export function framesOf(scene: BenchScene): Frames {
  const first = scene.frame(0);
  if (!scene.moves) return { timed: [first], untimed: scene.frame(UNTIMED_FRAME) };
  const room = Math.floor(MOST_FRAME_BYTES / Math.max(1, first.byteLength));
  const count = Math.min(MOST_FRAMES, Math.max(2, room));
  const others = Array.from({ length: count - 1 }, (_, index) => scene.frame(index + 1));
  // The check after timing uses the next frame, because drifting bodies move far in many frames.
  return { timed: [first, ...others], untimed: scene.frame(count) };
}
