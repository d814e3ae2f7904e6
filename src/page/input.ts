/**
 * Keys that work everywhere on the page, and pointers and wheel that move the picture. KEYS is what the help sheet
 * shows and what is listened to.
 */

import type { Playground } from './playground';
import { isIgnored } from './support/character-keys';
import { find } from './support/dom';
import type { ScreenPosition } from './view/camera';

/** Radians a CSS pixel that is dragged, and a press of an arrow key; CSS pixels such a press moves by. */
const TURN = 0.006;
const KEY_TURN = 0.08;
const KEY_PAN = 40;
const KEY_ZOOM = 1.25;
const WHEEL_ZOOM = 0.0015;
/**
 * Two fingers on a touchpad are told as a wheel with the control key: a hundred pixels are a factor of e, so that the picture
 * keeps to the fingers. A wheel with that key goes by whole notches, which are no less than so many pixels.
 */
const PINCH_ZOOM = 0.01;
const LEAST_NOTCH = 50;
/** CSS pixels of a line and a page that some wheels count in. */
const WHEEL_UNITS = [1, 16, 400] as const;
/**
 * A finger works on particles when it has been down for so many milliseconds alone, or has moved so many CSS pixels: until then
 * a second one may come, to magnify the picture.
 */
const ALONE_MS = 120;
const ALONE_PIXELS = 8;

interface Key {
  /** As `KeyboardEvent.key` has it, in lower case. */
  readonly keys: readonly string[];
  readonly shown: string;
  readonly does: string;
  /** Controls keep keys that mean something to them. */
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
  { keys: ['f'], shown: 'F', does: 'fit the picture', act: (playground) => playground.looking.fit() },
  {
    keys: ['arrowleft', 'arrowright', 'arrowup', 'arrowdown'],
    shown: 'arrows',
    does: 'turn space, move the plane; with shift move both',
    unless: 'adjusting',
    act: (playground, key, withShift) => moveByKey(playground, key, withShift),
  },
  {
    keys: ['+', '='],
    shown: '+',
    does: 'nearer',
    act: (playground) => playground.looking.zoomMiddle(KEY_ZOOM),
  },
  {
    keys: ['-'],
    shown: '−',
    does: 'farther',
    act: (playground) => playground.looking.zoomMiddle(1 / KEY_ZOOM),
  },
  {
    keys: ['x'],
    shown: 'X',
    does: 'what Drag to says, in the middle of the picture, as long as it is down',
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
    does: 'inspect the next one, with shift the one before',
    act: (playground, _, withShift) => playground.sheets.inspectNext(withShift ? -1 : 1),
  },
  {
    keys: ['p'],
    shown: 'P',
    does: 'save a picture',
    act: (playground) => playground.exporting.savePicture(),
  },
  { keys: ['g'], shown: 'G', does: 'presets', act: (playground) => playground.sheets.togglePresets() },
  { keys: ['o'], shown: 'O', does: 'open a file', act: (playground) => playground.exporting.files.choose() },
  {
    keys: ['s'],
    shown: 'S',
    does: 'save, open, film',
    act: (playground) => playground.exporting.files.toggle(),
  },
  {
    keys: ['v'],
    shown: 'V',
    does: 'film what is seen, or end the film and save it',
    act: (playground) => playground.sheets.toggleFilm(),
  },
  { keys: ['c'], shown: 'C', does: 'copy the link', act: (playground) => playground.exporting.copyLink() },
  { keys: ['?'], shown: '?', does: 'this sheet', act: () => find('help-open', HTMLButtonElement).click() },
];

export function listenToKeys(playground: Playground): void {
  document.addEventListener('keydown', (event) => {
    const { target } = event;
    if (event.ctrlKey || event.metaKey || event.altKey || !(target instanceof Element)) return;
    if (event.defaultPrevented) return;
    // One that has just closed still has the focus until the next picture.
    if (target.closest('dialog[open]') || isIgnored(event.key)) return;
    const name = event.key.toLowerCase();
    const key = KEYS.find(({ keys }) => keys.includes(name));
    const isTyping = target.matches('input:not([type=range], [type=checkbox]), select');
    const isPressing = isTyping || target.matches('button, input, summary, a[href]');
    const isAdjusting = isTyping || target.matches('input, [data-scrolls]');
    if (!key || isTyping || (isPressing && key.unless === 'pressing')) return;
    if (isAdjusting && key.unless === 'adjusting') return;
    if (event.repeat && !name.startsWith('arrow') && !['+', '=', '-', '.'].includes(name)) return;
    // Steps that are asked for faster than they are taken would pile up.
    if (event.repeat && name === '.' && playground.isBehind) return;
    key.act(playground, name, event.shiftKey);
    event.preventDefault();
  });
  document.addEventListener('keyup', (event) => {
    if (event.key.toLowerCase() === 'x') playground.tools.inMiddle(false);
  });
  // Nobody hears of a key that is let go elsewhere.
  window.addEventListener('blur', () => playground.tools.inMiddle(false));
}

function moveByKey(playground: Playground, key: string, withShift: boolean): void {
  const across = key === 'arrowleft' ? -1 : key === 'arrowright' ? 1 : 0;
  const up = key === 'arrowup' ? 1 : key === 'arrowdown' ? -1 : 0;
  if (playground.looking.canTurn && !withShift) playground.looking.turn(across * KEY_TURN, up * KEY_TURN);
  else playground.looking.pan(-across * KEY_PAN, up * KEY_PAN);
}

/**
 * One finger or the mouse moves the plane and turns space, or particles where that is chosen; two fingers, the other buttons
 * or a shift key move the picture; two fingers or the wheel come nearer, to where they are.
 */
export function listenToPointers(playground: Playground): void {
  const { stage } = playground;
  const pointers = new Map<number, { x: number; y: number }>();
  /** Two fingers were down, and one of them still is. */
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
  /** A finger that waits to work, where it came down. */
  let waiting: { readonly place: ScreenPosition; readonly timer: ReturnType<typeof setTimeout> } | undefined;
  const stopWaiting = () => {
    clearTimeout(waiting?.timer);
    waiting = undefined;
  };
  const beginWaiting = (place: ScreenPosition) => {
    waiting = { place, timer: setTimeout(endWaiting, ALONE_MS) };
  };
  /** No other finger has come: it works from where it came down. */
  const endWaiting = () => {
    const place = waiting?.place;
    stopWaiting();
    if (place) playground.tools.at(place);
  };
  /** Whether the pointer works on particles: alone, with its first button and without shift. */
  const work = (event: PointerEvent) => {
    if (pointers.size > 1) isPinching = true;
    const isAlone = pointers.size === 1 && !isPinching && event.buttons === 1;
    const isWork = playground.tools.isChosen && isAlone && !event.shiftKey;
    const place = { x: event.clientX, y: event.clientY };
    if (!isWork) stopWaiting();
    else if (event.type === 'pointerdown' && event.pointerType === 'touch') beginWaiting(place);
    if (waiting && Math.hypot(place.x - waiting.place.x, place.y - waiting.place.y) > ALONE_PIXELS)
      endWaiting();
    if (!waiting) playground.tools.at(isWork ? place : undefined);
    return isWork;
  };
  stage.addEventListener('pointerdown', (event) => {
    stage.setPointerCapture(event.pointerId);
    pointers.set(event.pointerId, { x: event.clientX, y: event.clientY });
    work(event);
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
    if (work(event)) return;
    if (before && after) {
      playground.looking.pan(after.x - before.x, after.y - before.y);
      if (before.spread > 0) playground.looking.zoom(after.spread / before.spread, after.x, after.y);
    } else if (!playground.looking.canTurn || event.shiftKey || event.buttons > 1) {
      playground.looking.pan(across, down);
    } else {
      playground.looking.turn(-across * TURN, down * TURN);
    }
  });
  for (const type of ['pointerup', 'pointercancel'] as const) {
    stage.addEventListener(type, (event) => {
      pointers.delete(event.pointerId);
      if (pointers.size === 0) isPinching = false;
      // A tap adds, erases or builds once.
      if (type === 'pointerup') endWaiting();
      stopWaiting();
      playground.tools.at(undefined);
    });
  }
  stage.addEventListener('contextmenu', (event) => event.preventDefault());
  stage.addEventListener('dblclick', () => {
    if (!playground.tools.isChosen) playground.looking.fit();
  });
  stage.addEventListener(
    'wheel',
    (event) => {
      event.preventDefault();
      const pixels = event.deltaY * (WHEEL_UNITS[event.deltaMode] ?? 1);
      const isPinch = event.ctrlKey && Math.abs(pixels) < LEAST_NOTCH;
      const each = isPinch ? PINCH_ZOOM : WHEEL_ZOOM;
      playground.looking.zoom(Math.exp(-pixels * each), event.clientX, event.clientY);
    },
    { passive: false },
  );
}
