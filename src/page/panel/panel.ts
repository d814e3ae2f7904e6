/**
 * Shows choices, notes and figures, and passes the visitor's choices on. lil-gui builds the controls from FIELDS. The
 * sliders are the browser's own, because these work with keyboards and screen readers. Most other elements are in
 * index.html.
 */
import GUI, { type Controller } from 'lil-gui';
import type { World } from '../../index';
import { findScene } from '../../scenes';
import { checksOf } from '../model/checks';
import { canSpread, refusedFields } from '../model/choices';
import { type Legend, legendCss } from '../model/colour';
import {
  type Choices,
  FIELD_NAMES,
  type FieldName,
  fieldOf,
  formatNumber,
  fromSlider,
  type Group,
  type NumberField,
  sliderPlaces,
  toSlider,
} from '../model/fields';
import { FIELDS_OF_SCENES, type Selection } from '../model/opened';
import { shownCells } from '../model/overlays';
import type { Measured, SimulationView } from '../model/simulation-view';
import type { Chooser } from '../session/chooser';
import type { Navigation } from '../session/navigation';
import { APPEARANCES, type Appearance, chooseAppearance, chosenAppearance } from '../support/appearance';
import { find, setText } from '../support/dom';
import { formatCount, formatMilliseconds, formatReal, formatShare } from '../support/format';
import type { Engine, StepTime } from '../view/engine';
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

const FOLDED: readonly Group[] = ['Collisions', 'Fluid', 'Position-based fluid', 'Particle life'];

/**
 * Why a control is disabled. This is one of:
 * - a sentence to show;
 * - an element of the page that shows the reason;
 * - a hint, if the reason is obvious.
 */
type Refusal = string | HTMLElement | { readonly hint: string };

interface Control {
  readonly controller: Controller;
  readonly slider: HTMLInputElement | undefined;
  /** Visible only if it says why the control is disabled. */
  readonly note: HTMLElement;
}

export class Panel {
  private readonly controls = new Map<FieldName, Control>();
  private readonly shown: Record<string, string | number | boolean> = {};
  private engine: Engine | undefined;
  private engineName = '';
  /** What Automatic chose and why. */
  private why = '';
  private readonly refusals = new Map<FieldName, Refusal>();
  private readonly fold = find('fold', HTMLButtonElement);
  private readonly figures = new Figures(
    find('figures-fold', HTMLElement),
    find('figures-about', HTMLElement),
  );
  private most: number | undefined;

  constructor(
    private readonly parts: PanelParts,
    choices: Choices,
  ) {
    Object.assign(this.shown, choices);
    this.build();
    this.listen();
  }

  /** `count` is the actual number, which may be less than the chosen one. `why`: what Automatic chose and why. */
  showChoices({ opened, ...choices }: Selection, count: number, why = ''): void {
    this.why = why;
    this.describe('engine');
    // With an open file no scene is selected, so that any can be chosen.
    Object.assign(this.shown, choices, { count }, opened ? { scene: '' } : {});
    for (const [name, { controller, slider }] of this.controls) {
      controller.updateDisplay();
      if (slider) this.showOnSlider(name, slider, this.shown[name] as number);
    }
    const scene = findScene(choices.scene);
    const ofScene = opened?.scene === undefined ? '' : `, a state of the scene ${opened.scene}`;
    const ofFile = `The particles come from ${opened?.name}${ofScene}. Choose a scene to close the file.`;
    setText('scene-hint', opened ? ofFile : (scene?.description ?? ''));
    for (const name of FIELDS_OF_SCENES) this.enable(name, !opened, find('scene-hint', HTMLElement));
    for (const [name, hint] of refusedFields({
      ...choices,
      engine: this.engine?.kind ?? choices.engine,
      opened,
    })) {
      if (!opened || !FIELDS_OF_SCENES.includes(name)) this.enable(name, hint === '', { hint });
    }
    if (!opened && scene?.method === 'collisions') {
      this.enable('spread', canSpread(choices.scene), 'This scene has radii of its own.');
      this.enable('boxWidth', scene.world !== 'unbounded', 'This scene has an unbounded world.');
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
    const { candidates, contacts, greatestOccupancy } = measures;
    const all = (count * (count - 1)) / 2;
    setText('contacts', formatCount(contacts));
    setText('candidates', formatCount(candidates));
    const checks = checksOf(measures, simulation);
    setText('checks', formatCount(checks.count));
    setText('checks-hint', checks.explanation);
    setText('avoided', all > 0 ? formatShare(1 - candidates / all) : '–');
    setText(
      'avoided-hint',
      `Of n(n − 1)/2 = ${formatCount(all)} pairs, ${formatCount(candidates)} are candidates.`,
    );
    setText('fullest', formatCount(greatestOccupancy));
  }

  showWorld(world: World): void {
    const { kind, levels, cellCount, cellSize } = world;
    const isHashed = kind === 'unbounded';
    setText('cells-title', isHashed ? 'Buckets' : 'Cells');
    // In a world with levels or buckets, show the size of the cell table.
    const count =
      levels > 0 || isHashed ? cellCount : shownCells(world).reduce((product, along) => product * along, 1);
    setText('cells', formatCount(count));
    setText('cell-size', formatReal(cellSize));
  }

  /** `framesPerSecond` is undefined while the run is paused. `seconds` is simulated time. */
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
    const gui = new GUI({ container: find('controls', HTMLElement), injectStyles: false, title: 'Controls' });
    gui.$title.remove();
    const folders = new Map<Group, GUI>();
    for (const name of FIELD_NAMES) {
      const { group } = fieldOf(name);
      let folder = folders.get(group);
      if (!folder) {
        folder = gui.addFolder(group);
        if (FOLDED.includes(group)) folder.close();
        folders.set(group, folder);
      }
      const added = this.add(folder, name);
      const note = document.createElement('p');
      note.className = 'hint';
      note.id = `field-${name}-note`;
      added.controller.domElement.after(note);
      this.controls.set(name, { ...added, note });
      this.describe(name);
      if (name === 'scene') folder.$children.append(find('scene-hint', HTMLElement));
    }
    const picture = folders.get('Picture');
    if (picture) this.addAppearance(picture);
  }

  private add(folder: GUI, name: FieldName): Omit<Control, 'note'> {
    const field = fieldOf(name);
    if (field.kind === 'choice') {
      const options = field.options.map(({ label, value }) => [label, value] as const);
      const controller = this.addChoice(folder, name, field.label, options);
      controller.onChange((value: string | number) => this.parts.chooser.choose({ [name]: value }));
      return { controller, slider: undefined };
    }
    const controller = folder.add(this.shown, name).name(field.label);
    const input = controller.domElement.querySelector('input');
    input?.setAttribute('id', name);
    // Use a typed number only when it is complete.
    controller.onFinishChange((value: number | boolean) => this.parts.chooser.choose({ [name]: value }));
    const slider =
      field.kind === 'switch' || field.slider === 0 ? undefined : this.addSlider(controller, name, field);
    return { controller, slider };
  }

  private addChoice(
    folder: GUI,
    id: string,
    label: string,
    options: readonly (readonly [label: string, value: string | number])[],
  ): Controller {
    const controller = folder.add(this.shown, id, Object.fromEntries(options)).name(label);
    controller.domElement.querySelector('select')?.setAttribute('id', id);
    return controller;
  }

  /** The appearance is not in FIELDS, because it belongs to the page, not the run. */
  private addAppearance(folder: GUI): void {
    this.shown.appearance = chosenAppearance();
    const options = APPEARANCES.map(([value, label]) => [label, value] as const);
    const controller = this.addChoice(folder, 'appearance', 'Appearance', options);
    controller.onChange((value: Appearance) => chooseAppearance(value));
  }

  private addSlider(controller: Controller, name: FieldName, field: NumberField): HTMLInputElement {
    const slider = document.createElement('input');
    slider.type = 'range';
    slider.id = `${name}-slider`;
    slider.max = String(sliderPlaces(field));
    slider.setAttribute('aria-label', field.label);
    controller.domElement.append(slider);
    controller.domElement.classList.add('has-slider');
    const isLive = field.effect !== 'start';
    const chosen = () => fromSlider(this.ranged(name, field), slider.valueAsNumber);
    slider.addEventListener('input', () => {
      const value = chosen();
      this.shown[name] = value;
      controller.updateDisplay();
      this.showOnSlider(name, slider, value);
      if (isLive) this.parts.chooser.choose({ [name]: value });
    });
    if (!isLive) {
      slider.addEventListener('change', () => this.parts.chooser.choose({ [name]: chosen() }));
    }
    return slider;
  }

  private showOnSlider(name: FieldName, slider: HTMLInputElement, value: number): void {
    const field = fieldOf(name);
    if (field.kind !== 'number') return;
    const setting = String(toSlider(this.ranged(name, field), value));
    if (slider.value !== setting) slider.value = setting;
    slider.setAttribute('aria-valuetext', formatNumber(field, value));
  }

  private hintOf(name: FieldName): string {
    if (name === 'count' && this.most !== undefined) return `Up to ${formatCount(this.most)} on this engine`;
    if (name === 'engine' && this.engineName) return `Runs on ${this.engineName}`;
    return fieldOf(name).hint ?? '';
  }

  private ranged(name: FieldName, field: NumberField): NumberField {
    return name === 'count' && this.most !== undefined ? { ...field, slider: this.most } : field;
  }

  private enable(name: FieldName, isEnabled: boolean, why: Refusal): void {
    const control = this.controls.get(name);
    if (!control) return;
    control.controller.enable(isEnabled);
    if (control.slider) control.slider.disabled = !isEnabled;
    if (isEnabled) this.refusals.delete(name);
    else this.refusals.set(name, why);
    this.describe(name);
  }

  /** Shows the control's `Refusal`, or a hint if it is enabled. */
  private describe(name: FieldName): void {
    const control = this.controls.get(name);
    if (!control) return;
    const why = this.refusals.get(name);
    const { note, controller } = control;
    const isElsewhere = why instanceof HTMLElement;
    const hint =
      why === undefined ? this.hintOf(name) : typeof why === 'string' || isElsewhere ? '' : why.hint;
    // What Automatic says also explains why no GPU can be chosen.
    const said = name === 'engine' ? this.why : '';
    const shown = said || (typeof why === 'string' ? why : '');
    note.textContent = shown || hint;
    note.hidden = shown === '';
    controller.domElement.dataset.hint = hint;
    const by = isElsewhere ? why : note;
    for (const element of controller.domElement.querySelectorAll('input, select')) {
      if (by.textContent) element.setAttribute('aria-describedby', by.id);
      else element.removeAttribute('aria-describedby');
    }
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
      inspect: () => sheets.toggleInspector(),
      'presets-open': () => sheets.togglePresets(),
      'film-live': () => sheets.startLiveFilm(),
      'film-exact': () => sheets.startExactFilm(),
    };
    for (const [id, act] of Object.entries(acts)) find(id, HTMLButtonElement).addEventListener('click', act);
    this.fold.addEventListener('click', () => {
      const isOpen = this.fold.getAttribute('aria-expanded') !== 'true';
      this.fold.setAttribute('aria-expanded', String(isOpen));
      find('body', HTMLElement).hidden = !isOpen;
    });
  }
}
