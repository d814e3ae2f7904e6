/**
 * Purpose: keys that work everywhere on the page, and pointers, wheel and keys that turn a picture of space.
 */
import type { Playground } from './playground';

/** Radians a CSS pixel that is dragged, and a press of an arrow key. */
const TURN = 0.006;
const KEY_TURN = 0.08;
const KEY_ZOOM = 1.12;
const WHEEL_ZOOM = 0.0015;

export function listenToKeys(playground: Playground): void {
  document.addEventListener('keydown', (event) => {
    const { target } = event;
    if (event.ctrlKey || event.metaKey || event.altKey || !(target instanceof Element)) return;
    // Controls keep the keys that mean something to them.
    const isTyping = target.matches('input[type=number], select');
    const isPressing = isTyping || target.matches('button, input');
    if (event.key === ' ' && !isPressing) playground.playOrPause();
    else if (event.key === '.' && !isTyping) playground.stepOnce();
    else if (event.key.toLowerCase() === 'r' && !isTyping && !event.repeat) playground.reset();
    else if (target instanceof HTMLCanvasElement && playground.canTurn && turnByKey(playground, event.key)) {
      playground.turned();
    } else return;
    event.preventDefault();
  });
}

function turnByKey({ orbit }: Playground, key: string): boolean {
  switch (key) {
    case 'ArrowLeft':
      orbit.turn(-KEY_TURN, 0);
      return true;
    case 'ArrowRight':
      orbit.turn(KEY_TURN, 0);
      return true;
    case 'ArrowUp':
      orbit.turn(0, KEY_TURN);
      return true;
    case 'ArrowDown':
      orbit.turn(0, -KEY_TURN);
      return true;
    case '+':
    case '=':
      orbit.magnify(KEY_ZOOM);
      return true;
    case '-':
      orbit.magnify(1 / KEY_ZOOM);
      return true;
    default:
      return false;
  }
}

/** One finger or the mouse turns; two fingers or the wheel come nearer. */
export function listenToPointers(playground: Playground): void {
  const { stage, orbit } = playground;
  const pointers = new Map<number, { x: number; y: number }>();
  const spread = () => {
    const [first, second] = [...pointers.values()];
    return first && second ? Math.hypot(first.x - second.x, first.y - second.y) : 0;
  };
  stage.addEventListener('pointerdown', (event) => {
    if (!playground.canTurn) return;
    stage.setPointerCapture(event.pointerId);
    pointers.set(event.pointerId, { x: event.clientX, y: event.clientY });
  });
  stage.addEventListener('pointermove', (event) => {
    const pointer = pointers.get(event.pointerId);
    if (!pointer) return;
    const before = spread();
    const [across, down] = [event.clientX - pointer.x, event.clientY - pointer.y];
    pointer.x = event.clientX;
    pointer.y = event.clientY;
    if (pointers.size === 1) orbit.turn(-across * TURN, down * TURN);
    else if (before > 0) orbit.magnify(spread() / before);
    playground.turned();
  });
  for (const type of ['pointerup', 'pointercancel'] as const) {
    stage.addEventListener(type, (event) => pointers.delete(event.pointerId));
  }
  stage.addEventListener(
    'wheel',
    (event) => {
      if (!playground.canTurn) return;
      event.preventDefault();
      orbit.magnify(Math.exp(-event.deltaY * WHEEL_ZOOM));
      playground.turned();
    },
    { passive: false },
  );
}
