/** Draws the first chapter's world. One unit of the picture is one cell; y points down. */
import { latticeOfParticle } from '../../core/world/cells';
import { freeCorner } from './corners';
import { draw, UNREAD } from './dom';
import { BOX, nameCell, PICTURE, picturedBuckets, type Scene } from './scene';
import type { Step, Trace } from './trace-recorder';
import { range, withSign } from './words';

const PICTURE_VIEW = `-0.04 -0.04 ${PICTURE[0] + 0.08} ${PICTURE[1] + 0.08}`;
/** The naive loop's view: the box and less than half a cell around it. Its shape is nearly that of PICTURE_VIEW. */
const BOX_VIEW = '0.6 0.525 6.8 5.95';

interface Drawn {
  readonly group: SVGGElement;
  readonly ghost: SVGCircleElement;
  readonly label: SVGTextElement;
}

export class WorldPicture {
  private scene: Scene | undefined;
  private cells: SVGRectElement[] = [];
  private numbers: SVGTextElement[] = [];
  private particles: Drawn[] = [];
  private buckets: number[] = [];
  private readonly below = draw('g');
  private readonly ghosts = draw('g');
  private readonly discs = draw('g');
  private readonly front = draw('g', { class: 'front' });
  private readonly frames = draw('g');
  private readonly above = draw('g', { class: 'numbers', ...UNREAD });
  private readonly labels = draw('g', { class: 'labels', ...UNREAD });

  constructor(private readonly svg: SVGSVGElement) {
    svg.append(this.below, this.ghosts, this.discs, this.front, this.frames, this.above, this.labels);
    // The tab key reaches only one particle. In Chrome, an SVG element that listens for focus events becomes focusable,
    // so the element around the picture listens.
    svg.parentElement?.addEventListener('focusin', ({ target }) => {
      if (!this.particles.some(({ group }) => group === target)) return;
      for (const { group } of this.particles) group.setAttribute('tabindex', group === target ? '0' : '-1');
    });
  }

  show({ scene }: Trace, { stage, arrays, focus }: Step): void {
    if (scene !== this.scene) this.place(scene);
    const { diameter, method } = scene;
    const lit = new Set(focus.cells.map((cell) => this.buckets[cell]));
    const frames: SVGRectElement[] = [];
    for (const [cell, rect] of this.cells.entries()) {
      const isLit = focus.cells.includes(cell);
      const isShared = !isLit && lit.has(this.buckets[cell]);
      rect.classList.toggle('lit', isLit);
      this.numbers[cell]?.classList.toggle('of-lit', isLit || isShared);
      if (!isLit && !isShared) continue;
      const [x, y] = [cell % PICTURE[0], Math.floor(cell / PICTURE[0])];
      const kind = isShared ? 'frame shared' : 'frame';
      frames.push(draw('rect', { class: kind, x, y, width: 1, height: 1 }));
    }
    // Draw frames of lit cells last, over those of their neighbours.
    this.frames.replaceChildren(...frames.toSorted((a, b) => b.classList.length - a.classList.length));
    this.front.replaceChildren();
    for (const [id, { group, ghost, label }] of this.particles.entries()) {
      const old = middleOf(scene, scene.positions, id);
      const slot = method === 'naive' ? id : arrays.ids.indexOf(id);
      const isMoved = stage === 'push' && arrays.moved[2 * slot] !== undefined;
      const middle = isMoved ? middleOf(scene, arrays.moved, slot) : old;
      const transform = `translate(${middle.join(' ')})`;
      for (const moving of [group, label]) moving.setAttribute('transform', transform);
      ghost.setAttribute('transform', `translate(${old.join(' ')})`);
      ghost.classList.toggle('seen', isMoved && middle.some((value, axis) => value !== old[axis]));
      const isAtWork = id === focus.particle;
      group.classList.toggle('at-work', isAtWork);
      if (isAtWork) {
        const r = diameter / 2;
        this.front.setAttribute('transform', transform);
        this.front.append(
          draw('circle', { class: 'halo', r: r + 0.08 }),
          draw('circle', { class: 'disc', r }),
        );
      }
      const verdict = focus.verdicts.get(id);
      for (const kind of ['contact', 'apart', 'elsewhere']) group.classList.toggle(kind, verdict === kind);
      label.setAttribute('class', isAtWork ? 'on-work' : verdict === 'contact' ? 'on-contact' : '');
      if (isAtWork) this.labels.append(label);
    }
  }

  /** Draws a scene. If the number of particles is unchanged, their elements stay, so that the focus stays, too. */
  private place(scene: Scene): void {
    this.scene = scene;
    this.svg.setAttribute('viewBox', scene.method === 'naive' ? BOX_VIEW : PICTURE_VIEW);
    const { method, world, positions, diameter } = scene;
    const ids = range(0, positions.length / 2);
    const [columns, rows] = PICTURE;
    const middles = ids.map((id) => middleOf(scene, positions, id));
    this.buckets = method === 'naive' ? [] : picturedBuckets(scene);
    this.cells = this.buckets.map((_, cell) => {
      const [x, y] = [cell % columns, Math.floor(cell / columns)];
      const isRing = method === 'grid' && (x === 0 || x === columns - 1 || y === 0 || y === rows - 1);
      return draw('rect', { class: isRing ? 'cell ring' : 'cell', x, y, width: 1, height: 1 });
    });
    this.numbers = this.buckets.map((bucket, cell) =>
      draw('text', freeCorner(cell % columns, Math.floor(cell / columns), middles), String(bucket)),
    );
    const box = draw('rect', { class: 'cell', x: 1, y: 1, width: BOX[0], height: BOX[1] });
    this.below.replaceChildren(...(method === 'naive' ? [box] : this.cells));
    this.above.replaceChildren(...this.numbers);
    if (this.particles.length !== ids.length) {
      this.particles = ids.map((id) => drawParticle(id, diameter / 2));
      this.ghosts.replaceChildren(...this.particles.map(({ ghost }) => ghost));
      this.labels.replaceChildren(...this.particles.map(({ label }) => label));
      this.discs.replaceChildren(...this.particles.map(({ group }) => group));
    }
    for (const [id, { group }] of this.particles.entries()) {
      const at = Array.from(positions.subarray(2 * id, 2 * id + 2), withSign).join(', ');
      const cell =
        method === 'naive' ? '' : ` in cell ${nameCell(scene, latticeOfParticle(world, positions, id))}`;
      group.setAttribute('aria-label', `Particle ${id}${cell}, at (${at})`);
    }
  }
}

function drawParticle(id: number, r: number): Drawn {
  const group = draw(
    'g',
    {
      class: 'particle',
      'data-id': id,
      role: 'button',
      tabindex: id === 0 ? 0 : -1,
      'aria-describedby': 'moving',
    },
    draw('circle', { class: 'focus', r: r + 0.15 }),
    draw('circle', { class: 'disc', r }),
  );
  return { group, ghost: draw('circle', { class: 'ghost', r }), label: draw('text', { y: 0.1 }, String(id)) };
}

function middleOf({ offset }: Scene, vectors: ArrayLike<number | undefined>, index: number): number[] {
  return offset.map((by, axis) => (vectors[2 * index + axis] ?? 0) + by);
}
