import type { Dimensions } from '../../src/core/world/world';
import type { KernelDescription } from '../../src/gpu/kernel';
import { describeBrush } from '../../src/page/tools/brush';
import { describeCellList } from '../../src/page/view/occupied';
import { describeOverlayKernels } from '../../src/page/view/overlay-pipelines';
import { describeTally } from '../../src/page/view/tally';

const KINDS = ['bounded', 'periodic', 'unbounded'] as const;

export function describePageKernels(dimensions: Dimensions): KernelDescription[] {
  return [0, 3].flatMap((levels) => [
    ...(levels > 0 ? [false, true] : [false]).flatMap((boxes) => [
      ...(['brush', 'hold'] as const).map((entryPoint) =>
        describeBrush(
          { dimensions, boxes, radiusRange: levels > 0 ? { smallest: 1, largest: 2 } : undefined },
          entryPoint,
        ),
      ),
      describeCellList({ dimensions, kind: 'unbounded', levels, boxes }),
      ...KINDS.flatMap((kind) => Object.values(describeOverlayKernels({ dimensions, kind, levels, boxes }))),
    ]),
    ...KINDS.flatMap((kind) =>
      [false, true].map((heavy) => describeTally({ dimensions, kind, levels, crowds: true }, heavy)),
    ),
  ]);
}
