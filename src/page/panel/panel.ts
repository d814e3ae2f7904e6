/** Shows choices, notes and figures, and passes choices on. FIELDS and index.html define most elements. */
import type { World } from '../../index';
import { findScene } from '../../scenes';
import { checksOf } from '../model/checks';
import { changedFields, defaultChoices, isUsed, refusalOfField } from '../model/choices';
import { type Legend, legendCss } from '../model/colour';
import { type Choices, FIELD_NAMES, type FieldName, fieldOf, type Group } from '../model/fields';
import { FIELDS_OF_SCENES, type Selection } from '../model/opened';
import { shownCells } from '../model/overlays';
import type { Measured, SimulationView } from '../model/simulation-view';
import type { Chooser } from '../session/chooser';
import type { Navigation } from '../session/navigation';
import { APPEARANCES, type Appearance, chooseAppearance, chosenAppearance } from '../support/appearance';
import { find, setText } from '../support/dom';
import { formatCount, formatCountOf, formatMilliseconds, formatReal, formatShare } from '../support/format';
import { storedValue, storeValue } from '../support/storage';
import type { Engine, StepTime } from '../view/engine';
import { Control } from './control';
import { Figures } from './figures';
import type { Files } from './files';
import type { Sheets } from './sheets';

export interface PageActions {
  playOrPause(): void;
  stepOnce(): void;
  reset(): void;
  goBack(): void;
}

export interface PanelParts {
  readonly actions: PageActions;
  readonly chooser: Chooser;
  readonly navigation: Navigation;
  readonly sheets: Sheets;
  readonly files: Files;
  readonly address: { copy(): void };
}

/** Key in the browser's storage, set if the visitor asked for all controls. */
const MORE = 'more';

/** Says why a control is disabled: a visible sentence, the element with that sentence, or a hint without a note. */
type Refusal = string | HTMLElement | { readonly hint: string };

export interface Suggestion {
  readonly diameters: number;
  /** In diameters. Three cells of this width fit along each periodic axis. */
  readonly widest: number;
  readonly reason: string;
}

export class Panel {
  private readonly controls = new Map<FieldName, Control>();
  private engine: Engine | undefined;
  private readonly groups = new Map<Group, HTMLElement>();
  private engineName = '';
  /** The text of Session.why. */
  private why = '';
  private readonly refusals = new Map<FieldName, Refusal>();
  private readonly fold = find('fold', HTMLButtonElement);
  private readonly figures = new Figures(
    find('figures-fold', HTMLElement),
    find('figures-about', HTMLElement),
  );
  private readonly more = find('more', HTMLButtonElement);
  private most: number | undefined;
  private suggestion: Suggestion | undefined;
  private readonly mark = document.createElement('span');

  constructor(
    private readonly parts: PanelParts,
    choices: Choices,
  ) {
    this.build();
    this.listen();
    const usual = defaultChoices(choices.scene, choices.dimensions);
    const isSet = changedFields(usual, choices).some(
      (name) => !fieldOf(name).isMain && isUsed(name, choices),
    );
    this.showMore(isSet || storedValue(MORE) !== undefined);
  }

  /** `count` is the actual number, which may be less than the chosen one. `why`: see Session.why. */
  showChoices({ opened, ...choices }: Selection, count: number, why = ''): void {
    this.why = why;
    this.describe('engine');
    // With an open file no scene is selected, so that any can be chosen.
    const shown = { ...choices, count, ...(opened ? { scene: '' } : {}) };
    for (const [name, control] of this.controls) control.show(shown[name]);
    const scene = findScene(choices.scene);
    const ofScene = opened?.scene === undefined ? '' : `, a state of the scene ${opened.scene}`;
    const ofFile = `The particles come from ${opened?.name}${ofScene}. Choose a scene to close the file.`;
    setText('scene-hint', opened ? ofFile : (scene?.description ?? ''));
    const chosen = { ...choices, engine: this.engine?.kind ?? choices.engine, opened };
    for (const [name, { element }] of this.controls) {
      element.hidden = !isUsed(name, chosen);
      // setGpuAvailable() disables the control of the engine.
      if (name === 'engine') continue;
      const refusal = refusalOfField(name, chosen);
      const isLive = ['set', 'view'].includes(fieldOf(name).effect);
      if (opened && FIELDS_OF_SCENES.includes(name)) {
        this.enable(name, false, find('scene-hint', HTMLElement));
      } else this.enable(name, refusal === '', isLive ? { hint: refusal } : refusal);
    }
    for (const group of this.groups.values()) {
      group.hidden = group.querySelector('.control:not([hidden])') === null;
    }
  }

  showPlaying(isPlaying: boolean): void {
    find('play', HTMLButtonElement).dataset.playing = String(isPlaying);
    setText('play-label', isPlaying ? 'Pause' : 'Play');
  }

  showEngine(engine: Engine | undefined): void {
    const badge = find('badge', HTMLElement);
    this.engine = engine;
    badge.dataset.engine = engine?.kind ?? 'none';
    if (!engine) {
      badge.textContent = 'nothing runs';
      return;
    }
    const { kind, name, isSoftware } = engine;
    if (kind === 'cpu') badge.textContent = 'CPU engine';
    else badge.textContent = isSoftware ? 'Software GPU' : `GPU · ${name}`;
    this.engineName = kind === 'gpu' && isSoftware ? `${name}, emulated by the processor` : name;
    this.describe('engine');
  }

  setGpuAvailable(isAvailable: boolean): void {
    this.enable('engine', isAvailable, 'There is no GPU to choose.');
  }

  setMost(most: number): void {
    this.most = most;
    this.controls.get('count')?.range({ slider: most });
    this.describe('count');
  }

  showMeasures(measures: Measured | undefined, simulation: SimulationView | undefined): void {
    if (!measures || !simulation) return;
    const { count, kineticEnergy, hash } = measures;
    setText('particles', formatCount(count));
    setText('energy', formatReal(kineticEnergy));
    setText('hash', hash);
    this.figures.show('figures' in measures ? measures.figures : []);
    if ('figures' in measures) return;
    const { candidates, contacts, greatestOccupancy, occupiedCells } = measures;
    const all = (count * (count - 1)) / 2;
    setText('contacts', formatCount(contacts));
    setText('candidates', formatCount(candidates));
    const checks = checksOf(measures, simulation);
    setText('checks', formatCount(checks.count));
    setText('checks-hint', checks.explanation);
    setText('avoided', all > 0 ? formatShare(1 - candidates / all) : '–');
    setText(
      'avoided-hint',
      `Of n(n − 1)/2 = ${formatCountOf(all, 'pair')}, ${formatCount(candidates)} ${candidates === 1 ? 'is a candidate' : 'are candidates'}.`,
    );
    setText('fullest', formatCount(greatestOccupancy));
    setText('occupied', formatCount(occupiedCells));
  }

  showWorld(world: World): void {
    const { kind, levels, cellCount, cellSize } = world;
    const isHashed = kind === 'unbounded';
    setText('cells-title', isHashed ? 'Buckets' : 'Cells');
    // With levels or buckets, show the size of the cell table.
    const count =
      levels > 0 || isHashed ? cellCount : shownCells(world).reduce((product, along) => product * along, 1);
    setText('cells', formatCount(count));
    setText('cell-size', formatReal(cellSize));
  }

  /** A paused run has no `framesPerSecond`. `seconds` is simulated time. */
  showRates(framesPerSecond: number | undefined, stepTime: StepTime | undefined, seconds: number): void {
    setText('time', `${seconds.toFixed(2)} s`);
    setText(
      'fps',
      framesPerSecond === undefined
        ? 'paused'
        : `${framesPerSecond.toFixed(framesPerSecond < 10 ? 1 : 0)} fps`,
    );
    setText('step-time', stepTime && !stepTime.discarded ? formatMilliseconds(stepTime.milliseconds) : '–');
  }

  showLegend(legend: Legend): void {
    find('legend-bar', HTMLElement).style.background = legendCss(legend);
    setText('legend-title', legend.title);
    setText('legend-start', legend.start);
    setText('legend-end', legend.end);
  }

  private build(): void {
    const main = find('controls', HTMLElement);
    for (const name of FIELD_NAMES) {
      const field = fieldOf(name);
      const control = new Control(name, field, (value) => this.parts.chooser.choose({ [name]: value }));
      this.controls.set(name, control);
      (field.isMain ? main : this.groupOf(field.group)).append(control.element, control.note);
      this.describe(name);
      if (name === 'scene') main.append(find('scene-hint', HTMLElement));
    }
    this.addAppearance();
    this.mark.className = 'suggestion';
    this.mark.hidden = true;
    this.controls.get('cellSize')?.element.append(this.mark);
  }

  private groupOf(name: Group): HTMLElement {
    const known = this.groups.get(name);
    if (known) return known;
    const group = document.createElement('details');
    group.open = true;
    const title = document.createElement('summary');
    title.textContent = name;
    group.append(title);
    find('more-controls', HTMLElement).append(group);
    this.groups.set(name, group);
    return group;
  }

  /** The appearance is not in FIELDS, because it belongs to the page, not the run. */
  private addAppearance(): void {
    const options = APPEARANCES.map(([value, label]) => ({ value, label }));
    const field = { kind: 'choice', label: 'Appearance', group: 'Picture', effect: 'view', options } as const;
    const control = new Control('appearance', field, (value) => chooseAppearance(value as Appearance));
    control.show(chosenAppearance());
    this.groupOf('Picture').append(control.element);
  }

  private showMore(isOpen: boolean): void {
    this.more.setAttribute('aria-expanded', String(isOpen));
    this.more.textContent = isOpen ? 'Fewer settings' : 'More settings';
    find('more-controls', HTMLElement).hidden = !isOpen;
  }

  showSuggestion(suggestion: Suggestion | undefined): void {
    this.suggestion = suggestion;
    this.mark.hidden = suggestion === undefined;
    const { diameters = 1, widest = Number.POSITIVE_INFINITY } = suggestion ?? {};
    const ends = { min: Math.max(1, diameters / 4), slider: Math.min(8 * diameters, Math.max(widest, 1.01)) };
    const share = this.controls.get('cellSize')?.range(ends, diameters);
    this.mark.style.setProperty('--share', String(share));
    this.describe('cellSize');
  }

  private hintOf(name: FieldName): string {
    if (name === 'count' && this.most !== undefined) return `Up to ${formatCount(this.most)} on this engine`;
    if (name === 'engine' && this.engineName) return `Runs on ${this.engineName}`;
    const hint = fieldOf(name).hint ?? '';
    return name === 'cellSize' && this.suggestion ? `${hint}. ${this.suggestion.reason}` : hint;
  }

  private enable(name: FieldName, isEnabled: boolean, why: Refusal): void {
    this.controls.get(name)?.enable(isEnabled);
    if (isEnabled) this.refusals.delete(name);
    else this.refusals.set(name, why);
    this.describe(name);
  }

  private describe(name: FieldName): void {
    const control = this.controls.get(name);
    if (!control) return;
    const { note } = control;
    const why = this.refusals.get(name);
    const isElsewhere = why instanceof HTMLElement;
    const hint =
      why === undefined ? this.hintOf(name) : typeof why === 'string' || isElsewhere ? '' : why.hint;
    // `this.why` also explains why no GPU can be chosen, so it goes first.
    const said = name === 'engine' ? this.why : '';
    const shown = said || (typeof why === 'string' ? why : '');
    note.textContent = shown || hint;
    note.hidden = shown === '';
    control.describe(hint, isElsewhere ? why : note);
  }

  private listen(): void {
    const { actions, navigation, sheets, files, address } = this.parts;
    const acts: Readonly<Record<string, () => void>> = {
      play: () => actions.playOrPause(),
      step: () => actions.stepOnce(),
      reset: () => actions.reset(),
      back: () => actions.goBack(),
      fit: () => navigation.fit(),
      'save-picture': () => files.savePicture(),
      'copy-link': () => address.copy(),
      'scale-open': () => sheets.openScale(),
      'cells-open': () => sheets.openCells(),
      inspect: () => sheets.toggleInspector(),
      'presets-open': () => sheets.togglePresets(),
      'film-live': () => sheets.startLiveFilm(),
      'film-exact': () => sheets.startExactFilm(),
    };
    for (const [id, act] of Object.entries(acts)) find(id, HTMLButtonElement).addEventListener('click', act);
    this.more.addEventListener('click', () => {
      const isOpen = this.more.getAttribute('aria-expanded') !== 'true';
      storeValue(MORE, isOpen ? 'open' : undefined);
      this.showMore(isOpen);
    });
    this.fold.addEventListener('click', () => {
      const isOpen = this.fold.getAttribute('aria-expanded') !== 'true';
      this.fold.setAttribute('aria-expanded', String(isOpen));
      find('body', HTMLElement).hidden = !isOpen;
    });
  }
}
