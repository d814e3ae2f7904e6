import { openAppearance } from '../support/appearance';
import { showHints } from '../support/hints';
import { showMistakes } from './mistake-view';
import { Player } from './player';
import type { Step, Trace } from './trace-recorder';

declare global {
  interface Window {
    explainer?: {
      readonly trace: Trace;
      readonly step: Step;
      readonly isPlaying: boolean;
    };
  }
}

openAppearance(location.search);
window.explainer = new Player();
showMistakes();
showHints();
