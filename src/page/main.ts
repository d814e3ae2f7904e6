import { GpuEngine } from './engines/gpu-engine';
import { Help } from './help';
import { listenToKeys, listenToPointers } from './input';
import type { Measured, SimulationView } from './model/simulation-view';
import { Playground } from './playground';
import { openAppearance } from './support/appearance';
import { watchLoading } from './support/chunk-errors';
import { find, setText } from './support/dom';
import { showHints } from './support/hints';
import { signWaiting } from './support/waiting';
import type { Frame } from './view/engine';

export interface PageHandle {
  readonly ready: Promise<void>;
  /** A reset or another choice may replace it. */
  readonly simulation: SimulationView | undefined;
  readonly measures: Measured | undefined;
  readonly frame: Frame | undefined;
  readonly isHolding: boolean;
  readonly device: GPUDevice | undefined;
  /** Resolves when all requested work is done and, if the run is paused, the state is drawn and measured. */
  settled(): Promise<void>;
  toScreen(point: readonly number[]): readonly [number, number];
}

declare global {
  interface Window {
    cellstorm?: PageHandle;
  }
}

performance.mark('cellstorm:start');
watchLoading();
openAppearance(location.search);
// Call this before anything changes a hint.
showHints();
signWaiting((isWaiting) => setText('waiting', isWaiting ? 'One moment…' : ''));
new Help();
const playground = new Playground(find('stage', HTMLElement), find('free', HTMLElement));
listenToKeys(playground);
listenToPointers(playground);
const ready = playground.open().then(() => {
  performance.measure('cellstorm:first-picture', 'cellstorm:start');
});
window.cellstorm = {
  ready,
  get simulation() {
    return playground.session.run?.simulation;
  },
  get measures() {
    return playground.measures;
  },
  get frame() {
    return playground.frame;
  },
  get isHolding() {
    return playground.tools.isHolding;
  },
  get device() {
    const { engine } = playground.session;
    return engine instanceof GpuEngine ? engine.device : undefined;
  },
  settled: () => playground.settled(),
  toScreen: (point) => playground.viewpoint.toScreen(point),
};
