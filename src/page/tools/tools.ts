/**
 * The pointer's tools. Push, pull and drag act with each step; add, erase and wall act at once, even while the run is
 * paused. Add, erase and the start of a drag read the particles first; only one read runs at a time.
 */
import type { ParticleArrays } from '../../index';
import { Random } from '../../scenes';
import { isSameStart } from '../model/continued-state';
import type { Cap } from '../model/limits';
import type { Selection } from '../model/opened';
import { METHOD_WORDS } from '../model/scenes';
import { notify } from '../support/notes';
import type { Ray, ScreenPosition } from '../view/camera';
import { explain, type Run } from '../view/engine';
import { near, pick } from '../view/pick';
import type { Session } from '../view/session';
import type { Viewpoint } from '../view/viewpoint';
import { changeObstacles, onFloor, sprinkle, wall } from './sprinkle';

/** Acceleration in the middle of the brush, in radii per second². */
const BRUSH_FORCE = 1000;
/** Greatest speed that a drag gives a particle, in radii per second. */
const DRAG_SPEED = 2000;
/** Greatest distance, in radii, at which the pointer takes hold. */
const GRASP = 3;

export interface ToolHost {
  readonly cap: Cap | undefined;
  /** Prepares the chosen tool. If that fails, shows a note. */
  prepareTool(): void;
  makeRoom(): void;
}

export class Tools {
  private pressed: ScreenPosition | undefined;
  /** `depth` is the distance from the camera along the pointer's ray. */
  private grip: { readonly id: number; readonly depth: number } | undefined;
  private end: readonly number[] | undefined;
  /** The end of a wall that waits for room. */
  private goal: readonly number[] | undefined;
  /** The run's choices when the pointer went down. */
  private begun: Selection | undefined;
  private isReading = false;
  /** True if a step was taken since the pointer went down. */
  private hasActed = false;
  /** The run for which room was requested. If the request succeeds, a new run replaces this run. */
  private fullRun: Run | undefined;
  /** Position of a push or pull that ended before a step. The next step applies it. */
  private tap: ScreenPosition | undefined;
  private readonly random = new Random(1);

  constructor(
    private readonly session: Session,
    private readonly viewpoint: Viewpoint,
    private readonly host: ToolHost,
  ) {}

  get isHolding(): boolean {
    return this.grip !== undefined;
  }

  /** `position` is undefined when the pointer is up. */
  at(position: ScreenPosition | undefined): void {
    const isFirst = !this.pressed;
    if (!position) {
      const { pointer } = this.session.choices;
      if (!this.hasActed && (pointer === 'push' || pointer === 'pull')) this.tap = this.pressed;
      this.pressed = undefined;
      this.hasActed = false;
      this.grip = undefined;
      this.fullRun = undefined;
      // A wall that waits for room is still completed.
      if (!this.goal) this.end = undefined;
      return;
    }
    this.pressed = position;
    this.tap = undefined;
    const { run, choices, present } = this.session;
    this.forgetReplaced();
    if (isFirst) this.begun = present;
    if (!run) return;
    if (choices.pointer === 'wall') {
      if (isFirst) this.end = undefined;
      const { dimensions, world, method } = run.simulation;
      if (method) {
        notify('The solid parts here belong to the scene; you can draw walls in scenes of collisions.');
        return;
      }
      if (this.session.movesObstacles) {
        notify('This scene sets its obstacles anew in each step, so a wall would vanish.');
        return;
      }
      if (dimensions === 3 && world.kind === 'unbounded') {
        notify('An unbounded world has no floor to build walls on.');
        return;
      }
      const ray = this.viewpoint.rayAt(position);
      const goal = dimensions === 3 ? onFloor(ray, world.min[1] ?? 0) : ray.origin;
      if (goal) this.extendWall(run, goal);
    } else if (isFirst) {
      this.readAndApply(run, position);
    }
  }

  /** Call this before each step. */
  beforeStep(run: Run, seconds: number): void {
    const { grip, session } = this;
    const position = this.pressed ?? this.tap;
    if (!position || seconds === 0) return;
    this.tap = undefined;
    this.hasActed = true;
    const { pointer, brush } = session.choices;
    const { radius, world } = run.simulation;
    const ray = this.viewpoint.rayAt(position);
    if (pointer === 'push' || pointer === 'pull') {
      const force = BRUSH_FORCE * radius * (pointer === 'push' ? 1 : -1);
      run.push({ ...ray, reach: brush * radius, force }, seconds);
    } else if (pointer === 'drag' && grip) {
      const there = pointAlong(ray, grip.depth).map((along, axis) =>
        Math.min((world.max[axis] ?? 0) - radius, Math.max((world.min[axis] ?? 0) + radius, along)),
      );
      run.hold({ id: grip.id, position: there, speed: DRAG_SPEED * radius }, seconds);
    }
  }

  /** Continues adding and erasing, and extends a wall that waited for room. */
  update(): void {
    this.forgetReplaced();
    const { pressed, goal } = this;
    const { run, choices } = this.session;
    if (goal && run && run.simulation.obstacleCapacity > run.simulation.obstacleCount) {
      this.extendWall(run, goal);
    }
    if (pressed && run && (choices.pointer === 'add' || choices.pointer === 'erase'))
      this.readAndApply(run, pressed);
  }

  /** Ends a drag and a wall if a new start has replaced the particles. */
  private forgetReplaced(): void {
    const { present } = this.session;
    if (!this.begun || isSameStart(this.begun, present)) return;
    this.begun = present;
    this.grip = undefined;
    this.end = undefined;
    this.goal = undefined;
  }

  private async readAndApply(run: Run, position: ScreenPosition): Promise<void> {
    const { session } = this;
    const { pointer } = session.choices;
    if (this.isReading || (pointer !== 'add' && pointer !== 'erase' && pointer !== 'drag')) return;
    this.isReading = true;
    const { restorations } = run;
    try {
      let particles = await run.simulation.read();
      // A tap calls this only once, so do not give up during an incomplete step: read again until it is complete.
      while (run === session.run && run.simulation.isBusy) particles = await run.simulation.read();
      // In a restored state the ids may belong to other particles.
      if (run !== session.run || run.restorations !== restorations) return;
      const ray = this.viewpoint.rayAt(this.pressed ?? position);
      if (pointer === 'add') this.add(run, particles, ray);
      else if (pointer === 'erase') this.erase(run, particles, ray);
      else if (this.pressed) this.grasp(run, particles, ray);
    } catch (error) {
      if (run === session.run) notify(explain(error));
    } finally {
      this.isReading = false;
    }
  }

  private requestRoom(run: Run): void {
    if (this.fullRun === run) return;
    this.fullRun = run;
    this.host.makeRoom();
  }

  private grasp(run: Run, particles: ParticleArrays, ray: Ray): void {
    const { simulation } = run;
    const picked = pick(simulation, particles, ray, GRASP * simulation.radius);
    this.grip = picked;
    if (!picked) notify('There is no particle here to drag.');
  }

  private add(run: Run, particles: ParticleArrays, ray: Ray): void {
    const { simulation, fixed } = run;
    const { capacity, count, radius } = simulation;
    const { cap } = this.host;
    if (cap && count >= cap.most) {
      notify(`No more particles are added. ${cap.reason}`);
      return;
    }
    if (count >= capacity) {
      this.requestRoom(run);
      return;
    }
    const reach = this.session.choices.brush * radius;
    const within = {
      position: pointAlong(ray, ray.depth),
      reach,
      most: Math.min(capacity, cap?.most ?? capacity) - count,
    };
    const added = sprinkle(simulation, particles, fixed, within, this.random);
    if (!added) return;
    run.add(added);
    this.session.particlesChanged.emit();
  }

  private erase(run: Run, particles: ParticleArrays, ray: Ray): void {
    if (run.simulation.method && run.simulation.method !== 'fluid') {
      notify(`Particles of ${METHOD_WORDS[run.simulation.method]} cannot be erased; push them instead.`);
      return;
    }
    const { simulation, fixed } = run;
    const { dimensions, radius, method } = simulation;
    const reach = this.session.choices.brush * radius;
    const gone = near(dimensions, particles.positions, ray, reach).map(
      (index) => particles.ids[index] as number,
    );
    // Obstacles that are set in each step would return, so do not erase them.
    const without =
      method || this.session.movesObstacles ? [] : near(dimensions, fixed.positions, ray, reach);
    if (gone.length > 0) simulation.remove(gone);
    if (without.length > 0) run.setObstacles(changeObstacles(simulation, fixed, { without }));
    if (gone.length + without.length > 0) this.session.particlesChanged.emit();
  }

  private extendWall(run: Run, goal: readonly number[]): void {
    const { simulation, fixed } = run;
    const { radius, obstacleCapacity, obstacleCount } = simulation;
    const height = this.session.choices.brush * radius;
    const room = obstacleCapacity - obstacleCount;
    const { balls, end } = wall(simulation, fixed, this.end ?? goal, goal, height, room);
    this.end = end;
    if (balls.length > 0) {
      run.setObstacles(changeObstacles(simulation, fixed, { balls }));
      this.session.particlesChanged.emit();
    }
    const isDone = end.every((along, axis) => along === goal[axis]);
    this.goal = isDone ? undefined : goal;
    if (!isDone) this.requestRoom(run);
    else if (!this.pressed) this.end = undefined;
  }
}

function pointAlong({ origin, direction }: Ray, depth: number): number[] {
  return origin.map((from, axis) => from + depth * (direction[axis] ?? 0));
}
