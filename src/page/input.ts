/** Handles keys anywhere on the page, and pointers and the wheel over the picture. */
import type { Playground } from './playground';
import { isIgnored } from './support/character-keys';
import { find } from './support/dom';
import type { ScreenPosition } from './view/camera';

/** Radians per CSS pixel of a drag. */
const TURN = 0.006;
/** Radians and CSS pixels per press of an arrow key. */
const KEY_TURN = 0.08;
const KEY_PAN = 40;
/** Factor per press of plus or minus. */
const KEY_ZOOM = 1.25;
/** A turn of the wheel by p CSS pixels zooms by e^(−WHEEL_ZOOM · p). */
const WHEEL_ZOOM = 0.0015;
/** Browsers report a touchpad's pinch as a wheel with the control key; real wheels move at least LEAST_NOTCH pixels. */
const PINCH_ZOOM = 0.01;
const LEAST_NOTCH = 50;
/** CSS pixels per unit, by deltaMode: pixels, lines, pages. */
const WHEEL_UNITS = [1, 16, 400] as const;
/**
 * A finger waits before it uses a tool, because a second one may come down to pinch. It waits until ALONE_MS have
 * passed, it has moved by ALONE_PIXELS (CSS pixels), or it lifts.
 */
const ALONE_MS = 120;
const ALONE_PIXELS = 8;

interface Key {
  /** Values of `KeyboardEvent.key`, in lower case. */
  readonly keys: readonly string[];
  readonly shown: string;
  readonly does: string;
  /** Focused controls of this kind handle the key themselves; see listenToKeys. */
  readonly unless?: 'typing' | 'pressing' | 'adjusting';
  readonly act: (playground: Playground, key: string, withShift: boolean) => void;
}

export const KEYS: readonly Key[] = [
  {
    keys: [' '],
    shown: 'space',
    does: 'play or pause',
    unless: 'pressing',
    act: (playground) => playground.playOrPause(),
  },
  { keys: ['.'], shown: '.', does: 'one step', act: (playground) => playground.stepOnce() },
  { keys: ['r'], shown: 'R', does: 'start over', act: (playground) => playground.reset() },
  { keys: ['b'], shown: 'B', does: 'back to the last checkpoint', act: (playground) => playground.goBack() },
  { keys: ['f'], shown: 'F', does: 'fit the picture', act: (playground) => playground.navigation.fit() },
  {
    keys: ['arrowleft', 'arrowright', 'arrowup', 'arrowdown'],
    shown: 'arrows',
    does: 'turn (3D) or move (2D) the picture; with shift move it',
    unless: 'adjusting',
    act: (playground, key, withShift) => moveByKey(playground, key, withShift),
  },
  {
    keys: ['+', '='],
    shown: '+',
    does: 'zoom in',
    act: (playground) => playground.navigation.zoomMiddle(KEY_ZOOM),
  },
  {
    keys: ['-'],
    shown: '−',
    does: 'zoom out',
    act: (playground) => playground.navigation.zoomMiddle(1 / KEY_ZOOM),
  },
  {
    keys: ['x'],
    shown: 'X',
    does: 'hold: use the “Drag to” tool in the middle of the picture',
    act: (playground) => playground.tools.inMiddle(true),
  },
  {
    keys: ['i'],
    shown: 'I',
    does: 'inspect a particle',
    act: (playground) => playground.sheets.toggleInspector(),
  },
  {
    keys: ['n'],
    shown: 'N',
    does: 'inspect the next particle; with shift the previous one',
    act: (playground, _, withShift) => playground.sheets.inspectNext(withShift ? -1 : 1),
  },
  {
    keys: ['p'],
    shown: 'P',
    does: 'save a picture',
    act: (playground) => playground.files.savePicture(),
  },
  { keys: ['g'], shown: 'G', does: 'presets', act: (playground) => playground.sheets.togglePresets() },
  { keys: ['o'], shown: 'O', does: 'open a file', act: (playground) => playground.files.choose() },
  {
    keys: ['s'],
    shown: 'S',
    does: 'save, open, film',
    act: (playground) => playground.files.toggle(),
  },
  {
    keys: ['v'],
    shown: 'V',
    does: 'film the picture, or end the film and save it',
    act: (playground) => playground.sheets.toggleFilm(),
  },
  { keys: ['c'], shown: 'C', does: 'copy the link', act: (playground) => playground.address.copy() },
  { keys: ['?'], shown: '?', does: 'this sheet', act: () => find('help-open', HTMLButtonElement).click() },
];

export function listenToKeys(playground: Playground): void {
  document.addEventListener('keydown', (event) => {
    const { target } = event;
    if (event.ctrlKey || event.metaKey || event.altKey || !(target instanceof Element)) return;
    if (event.defaultPrevented) return;
    // A closed dialog keeps the focus until the next frame, so test for [open].
    if (target.closest('dialog[open]') || isIgnored(event.key)) return;
    const name = event.key.toLowerCase();
    const key = KEYS.find(({ keys }) => keys.includes(name));
    const isTyping = target.matches('input:not([type=range], [type=checkbox]), select');
    const isPressing = isTyping || target.matches('button, input, summary, a[href]');
    const isAdjusting = isTyping || target.matches('input, [data-scrolls]');
    if (!key || isTyping || (isPressing && key.unless === 'pressing')) return;
    if (isAdjusting && key.unless === 'adjusting') return;
    if (event.repeat && !name.startsWith('arrow') && !['+', '=', '-', '.'].includes(name)) return;
    // A held key could request steps faster than the engine takes them.
    if (event.repeat && name === '.' && playground.isBehind) return;
    key.act(playground, name, event.shiftKey);
    event.preventDefault();
  });
  document.addEventListener('keyup', (event) => {
    if (event.key.toLowerCase() === 'x') playground.tools.inMiddle(false);
  });
  // No keyup event arrives if the key is released in another window.
  window.addEventListener('blur', () => playground.tools.inMiddle(false));
}

function moveByKey(playground: Playground, key: string, withShift: boolean): void {
  const across = key === 'arrowleft' ? -1 : key === 'arrowright' ? 1 : 0;
  const up = key === 'arrowup' ? 1 : key === 'arrowdown' ? -1 : 0;
  if (playground.navigation.canTurn && !withShift)
    playground.navigation.turn(across * KEY_TURN, up * KEY_TURN);
  else playground.navigation.pan(-across * KEY_PAN, up * KEY_PAN);
}

/**
 * One finger or the main button uses the chosen tool; without a tool, it moves (2D) or turns (3D) the picture. Two
 * fingers, other buttons or shift always move the picture. Two fingers or the wheel zoom.
 */
export function listenToPointers(playground: Playground): void {
  const { stage } = playground;
  const pointers = new Map<number, { x: number; y: number }>();
  /** True from the moment when two fingers are down until no finger is down. */
  let isPinching = false;
  const pinch = () => {
    const [first, second] = [...pointers.values()];
    if (!first || !second) return undefined;
    return {
      x: (first.x + second.x) / 2,
      y: (first.y + second.y) / 2,
      spread: Math.hypot(first.x - second.x, first.y - second.y),
    };
  };
  let waiting:
    | { readonly position: ScreenPosition; readonly timer: ReturnType<typeof setTimeout> }
    | undefined;
  const stopWaiting = () => {
    clearTimeout(waiting?.timer);
    waiting = undefined;
  };
  const beginWaiting = (position: ScreenPosition) => {
    waiting = { position, timer: setTimeout(endWaiting, ALONE_MS) };
  };
  /** Starts the tool where the finger came down. */
  const endWaiting = () => {
    const position = waiting?.position;
    stopWaiting();
    if (position) playground.tools.at(position);
  };
  /**
   * Returns whether the pointer uses the tool. If so, moves the tool to the pointer; otherwise ends the tool's use.
   * After a pinch, no finger uses the tool until all fingers have lifted.
   */
  const useTool = (event: PointerEvent) => {
    if (pointers.size > 1) isPinching = true;
    const isAlone = pointers.size === 1 && !isPinching && event.buttons === 1;
    const isToolUse = playground.tools.isChosen && isAlone && !event.shiftKey;
    const position = { x: event.clientX, y: event.clientY };
    if (!isToolUse) stopWaiting();
    else if (event.type === 'pointerdown' && event.pointerType === 'touch') beginWaiting(position);
    if (
      waiting &&
      Math.hypot(position.x - waiting.position.x, position.y - waiting.position.y) > ALONE_PIXELS
    )
      endWaiting();
    if (!waiting) playground.tools.at(isToolUse ? position : undefined);
    return isToolUse;
  };
  stage.addEventListener('pointerdown', (event) => {
    stage.setPointerCapture(event.pointerId);
    pointers.set(event.pointerId, { x: event.clientX, y: event.clientY });
    useTool(event);
  });
  stage.addEventListener('pointerleave', () => playground.tools.hover(undefined));
  stage.addEventListener('pointermove', (event) => {
    const isSeen = event.pointerType !== 'touch';
    playground.tools.hover(isSeen ? { x: event.clientX, y: event.clientY } : undefined);
    const pointer = pointers.get(event.pointerId);
    if (!pointer) return;
    const before = pinch();
    const [across, down] = [event.clientX - pointer.x, event.clientY - pointer.y];
    pointer.x = event.clientX;
    pointer.y = event.clientY;
    const after = pinch();
    if (useTool(event)) return;
    if (before && after) {
      playground.navigation.pan(after.x - before.x, after.y - before.y);
      if (before.spread > 0) playground.navigation.zoom(after.spread / before.spread, after.x, after.y);
    } else if (!playground.navigation.canTurn || event.shiftKey || event.buttons > 1) {
      playground.navigation.pan(across, down);
    } else {
      playground.navigation.turn(-across * TURN, down * TURN);
    }
  });
  for (const type of ['pointerup', 'pointercancel'] as const) {
    stage.addEventListener(type, (event) => {
      pointers.delete(event.pointerId);
      if (pointers.size === 0) isPinching = false;
      // A finger lifted during the wait has tapped: the tool acts once.
      if (type === 'pointerup') endWaiting();
      stopWaiting();
      playground.tools.at(undefined);
    });
  }
  stage.addEventListener('contextmenu', (event) => event.preventDefault());
  stage.addEventListener('dblclick', () => {
    if (!playground.tools.isChosen) playground.navigation.fit();
  });
  stage.addEventListener(
    'wheel',
    (event) => {
      event.preventDefault();
      const pixels = event.deltaY * (WHEEL_UNITS[event.deltaMode] ?? 1);
      const isPinch = event.ctrlKey && Math.abs(pixels) < LEAST_NOTCH;
      const each = isPinch ? PINCH_ZOOM : WHEEL_ZOOM;
      playground.navigation.zoom(Math.exp(-pixels * each), event.clientX, event.clientY);
    },
    { passive: false },
  );
}
