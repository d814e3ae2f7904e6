/**
 * Draws the first chapter's world. One unit of the picture is one cell. y points down, because cell numbers grow
 * downwards. The step's particle has a double outline, its contacts have a thick one, and tested particles that are too
 * far away a dashed one. Ids and frames lie on top.
 */
import { freeCorner } from './corners';
import { draw, UNREAD } from './dom';
import type { Scene, Step } from './trace-recorder';

interface Drawn {
  readonly group: SVGGElement;
  readonly ghost: SVGCircleElement;
  readonly label: SVGTextElement;
}

export class WorldPicture {
  private readonly cells: SVGRectElement[] = [];
  private readonly numbers: SVGTextElement[] = [];
  private readonly particles: Drawn[] = [];
  private readonly frames = draw('g');
  private readonly discs = draw('g');

  constructor(
    svg: SVGSVGElement,
    private readonly scene: Scene,
  ) {
    const { world, positions, diameter } = scene;
    const [columns = 0, rows = 0] = world.cells;
    svg.setAttribute('viewBox', `-0.04 -0.04 ${columns + 0.08} ${rows + 0.08}`);
    const numbers = draw('g', { class: 'numbers', ...UNREAD });
    const middles = Array.from({ length: positions.length / 2 }, (_, id) => this.middleOf(positions, id));
    for (let cell = 0; cell < world.cellCount; cell++) {
      const [column, row] = [cell % columns, Math.floor(cell / columns)];
      const isRing = column === 0 || column === columns - 1 || row === 0 || row === rows - 1;
      const [width, height, x, y] = [1, 1, column, row];
      this.cells.push(draw('rect', { class: isRing ? 'cell ring' : 'cell', x, y, width, height }));
      this.numbers.push(draw('text', freeCorner(column, row, middles), String(cell)));
    }
    numbers.append(...this.numbers);
    const ghosts = draw('g');
    const labels = draw('g', { class: 'labels', ...UNREAD });
    for (let id = 0; id < positions.length / 2; id++) {
      const r = diameter / 2;
      const ghost = draw('circle', { class: 'ghost', r });
      const group = draw(
        'g',
        { class: 'particle', 'data-id': id },
        draw('circle', { class: 'halo', r: r + 0.08 }),
        draw('circle', { class: 'disc', r }),
      );
      const label = draw('text', { y: 0.1 }, String(id));
      ghosts.append(ghost);
      labels.append(label);
      this.discs.append(group);
      this.particles.push({ group, ghost, label });
    }
    svg.append(...this.cells, ghosts, this.discs, this.frames, numbers, labels);
  }

  show({ stage, arrays, focus }: Step): void {
    const columns = this.scene.world.cells[0] as number;
    for (const [cell, rect] of this.cells.entries()) {
      const isLit = focus.cells.includes(cell);
      rect.classList.toggle('lit', isLit);
      this.numbers[cell]?.classList.toggle('of-lit', isLit);
    }
    const frames = focus.cells.map((cell) => {
      const [x, y] = [cell % columns, Math.floor(cell / columns)];
      return draw('rect', { class: 'frame', x, y, width: 1, height: 1 });
    });
    this.frames.replaceChildren(...frames);
    // Put the discs in order of ids; the next loop moves the focused particle to the front.
    this.discs.append(...this.particles.map(({ group }) => group));
    for (const [id, { group, ghost, label }] of this.particles.entries()) {
      const old = this.middleOf(this.scene.positions, id);
      const slot = arrays.ids.indexOf(id);
      const isMoved = stage === 'push' && arrays.moved[2 * slot] !== undefined;
      const middle = isMoved ? this.middleOf(arrays.moved, slot) : old;
      for (const moving of [group, label]) moving.setAttribute('transform', `translate(${middle.join(' ')})`);
      ghost.setAttribute('transform', `translate(${old.join(' ')})`);
      ghost.classList.toggle('seen', isMoved && middle.some((value, axis) => value !== old[axis]));
      const isAtWork = id === focus.particle;
      group.classList.toggle('at-work', isAtWork);
      if (isAtWork) this.discs.append(group);
      const verdict = focus.verdicts.get(id);
      group.classList.toggle('contact', verdict === 'contact');
      group.classList.toggle('apart', verdict === 'apart');
      label.setAttribute('class', isAtWork ? 'on-work' : verdict === 'contact' ? 'on-contact' : '');
    }
  }

  /** Returns a particle's middle in cells. The ring of empty cells adds 1. */
  private middleOf(vectors: ArrayLike<number | undefined>, index: number): number[] {
    const { min, inverseCellSize } = this.scene.world;
    return [0, 1].map(
      (axis) => ((vectors[2 * index + axis] ?? 0) - (min[axis] as number)) * inverseCellSize + 1,
    );
  }
}
