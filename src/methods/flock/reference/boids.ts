/**
 * Computes a step of a flock in doubles, for the CPU engine. Twin of shaders/flock/boids.wgsl, hunter.wgsl and
 * steering.wgsl. The state changes in place.
 */
import type { CpuGridParticles } from '../../../cpu/grid/grid-particles';
import type { FlockSettings } from '../options';
import {
  add,
  BALL_FLOATS,
  ballsOf,
  dot,
  lengthOf,
  load,
  minimumImage,
  minimumImageInside,
  normalize,
  Space,
  scale,
  store,
  vector,
} from './space';

export interface Hunters {
  readonly positions: Float32Array;
  readonly velocities: Float32Array;
}

export interface FlockStep extends FlockSettings {
  readonly dt: number;
  readonly perception: number;
  readonly fear: number;
}

/**
 * Numbers per boid in `sums`. The weight of a neighbour falls from 1 at distance 0 to 0 at `perception`, except in the
 * last sum, where it falls to 0 at `spacing`. The sums over the neighbours are:
 *   - weights (1 number)
 *   - weighted relative velocities (a vector of 3)
 *   - weighted offsets from the neighbour to the boid (3)
 *   - weighted directions away from neighbours nearer than `spacing` (3)
 */
const SUMS = 10;

export class Boids {
  private readonly space: Space;
  private readonly sums: Float64Array;
  private readonly position = vector();
  private readonly velocity = vector();
  private readonly push = vector();
  private readonly away = vector();

  constructor(private readonly particles: CpuGridParticles) {
    this.space = new Space(particles.grid.world);
    this.sums = new Float64Array(SUMS * particles.capacity);
  }

  get memoryBytes(): number {
    return this.sums.byteLength;
  }

  step(hunters: Hunters, obstacles: Float32Array, step: FlockStep): void {
    const { particles, position, velocity, push } = this;
    const { dimensions } = particles;
    particles.sort();
    this.gather(step);
    const { positions, velocities } = particles.buffers;
    const balls = ballsOf(dimensions, obstacles, true);
    const hunterBalls = ballsOf(dimensions, hunters.positions, false);
    const flight = { reach: step.fear, strength: step.flight };
    // Move hunters first, because they use the boids' old positions. `hunterBalls` keeps the hunters' old positions for
    // the boids.
    this.hunt(hunters, balls, step);
    for (let id = 0; id < particles.end; id++) {
      if (!particles.has(id)) continue;
      load(position, positions, dimensions, id);
      load(velocity, velocities, dimensions, id);
      this.flockPush(id, step);
      this.shunObstacles(balls, step);
      for (let hunter = 0; BALL_FLOATS * hunter < hunterBalls.length; hunter++) {
        this.space.shun(position, hunterBalls, hunter, flight, push);
      }
      this.steer(step, step.slowest, step.fastest);
      this.fly(balls, step.dt);
      store(positions, dimensions, id, position);
      store(velocities, dimensions, id, velocity);
    }
  }

  private gather({ perception, spacing }: FlockStep): void {
    const { particles, space, sums } = this;
    const { dimensions, grid } = particles;
    const { positions, velocities } = particles.buffers;
    const [periodX, periodY, periodZ] = space.periods;
    const is3D = dimensions === 3;
    sums.fill(0, 0, SUMS * particles.end);
    grid.forEachPair((one, other) => {
      const a = dimensions * one;
      const b = dimensions * other;
      const x = minimumImageInside((positions[a] as number) - (positions[b] as number), periodX);
      const y = minimumImageInside((positions[a + 1] as number) - (positions[b + 1] as number), periodY);
      const z = is3D
        ? minimumImageInside((positions[a + 2] as number) - (positions[b + 2] as number), periodZ)
        : 0;
      const distance = Math.sqrt(x * x + y * y + z * z);
      const weight = 1 - distance / perception;
      const u = weight * ((velocities[b] as number) - (velocities[a] as number));
      const v = weight * ((velocities[b + 1] as number) - (velocities[a + 1] as number));
      const w = is3D ? weight * ((velocities[b + 2] as number) - (velocities[a + 2] as number)) : 0;
      const crowding = Math.max(0, 1 - distance / spacing);
      // If two boids coincide, push the one with the lower id towards −x.
      const parting = distance > 0 ? crowding / distance : 0;
      const partingX = distance > 0 ? parting * x : -crowding;
      const first = SUMS * one;
      const second = SUMS * other;
      sums[first] = (sums[first] as number) + weight;
      sums[first + 1] = (sums[first + 1] as number) + u;
      sums[first + 2] = (sums[first + 2] as number) + v;
      sums[first + 3] = (sums[first + 3] as number) + w;
      sums[first + 4] = (sums[first + 4] as number) + weight * x;
      sums[first + 5] = (sums[first + 5] as number) + weight * y;
      sums[first + 6] = (sums[first + 6] as number) + weight * z;
      sums[first + 7] = (sums[first + 7] as number) + partingX;
      sums[first + 8] = (sums[first + 8] as number) + parting * y;
      sums[first + 9] = (sums[first + 9] as number) + parting * z;
      sums[second] = (sums[second] as number) + weight;
      sums[second + 1] = (sums[second + 1] as number) - u;
      sums[second + 2] = (sums[second + 2] as number) - v;
      sums[second + 3] = (sums[second + 3] as number) - w;
      sums[second + 4] = (sums[second + 4] as number) - weight * x;
      sums[second + 5] = (sums[second + 5] as number) - weight * y;
      sums[second + 6] = (sums[second + 6] as number) - weight * z;
      sums[second + 7] = (sums[second + 7] as number) - partingX;
      sums[second + 8] = (sums[second + 8] as number) - parting * y;
      sums[second + 9] = (sums[second + 9] as number) - parting * z;
    });
  }

  private flockPush(id: number, { separation, alignment, cohesion }: FlockStep): void {
    const { sums, push } = this;
    const first = SUMS * id;
    const share = 1 / Math.max(sums[first] as number, 1);
    for (let axis = 0; axis < 3; axis++) {
      const relativeVelocity = sums[first + 1 + axis] as number;
      const offset = sums[first + 4 + axis] as number;
      const parting = sums[first + 7 + axis] as number;
      push[axis] = separation * parting + share * (alignment * relativeVelocity - cohesion * offset);
    }
  }

  private hunt({ positions: hunters, velocities }: Hunters, balls: Float64Array, step: FlockStep): void {
    const { particles, space, position, velocity, push } = this;
    const { dimensions, grid } = particles;
    const { positions } = particles.buffers;
    for (let hunter = 0; dimensions * hunter < hunters.length; hunter++) {
      load(position, hunters, dimensions, hunter);
      load(velocity, velocities, dimensions, hunter);
      push.fill(0);
      let total = 0;
      const point = Array.from(position.subarray(0, dimensions));
      grid.near(point, step.fear, (id, distanceSquared) => {
        const weight = 1 - Math.sqrt(distanceSquared) / step.fear;
        total += weight;
        for (let axis = 0; axis < dimensions; axis++) {
          const apart = (position[axis] as number) - (positions[dimensions * id + axis] as number);
          push[axis] = (push[axis] as number) + weight * minimumImage(apart, space.periods[axis] as number);
        }
      });
      scale(push, -step.hunting / Math.max(total, 1));
      this.shunObstacles(balls, step);
      this.steer(step, 0, step.hunterSpeed);
      this.fly(balls, step.dt);
      store(hunters, dimensions, hunter, position);
      store(velocities, dimensions, hunter, velocity);
    }
  }

  private shunObstacles(balls: Float64Array, { avoidance, perception }: FlockStep): void {
    const { space, position, push } = this;
    const rule = { reach: perception, strength: avoidance };
    space.shunWalls(position, perception, avoidance, push);
    for (let ball = 0; BALL_FLOATS * ball < balls.length; ball++)
      space.shun(position, balls, ball, rule, push);
  }

  private steer({ dt, greatestAcceleration }: FlockStep, slowest: number, fastest: number): void {
    const { push, velocity } = this;
    const size = lengthOf(push);
    add(velocity, push, (dt * Math.min(size, greatestAcceleration)) / Math.max(size, 1e-30));
    const speed = Math.min(Math.max(lengthOf(velocity), slowest), fastest);
    normalize(velocity);
    scale(velocity, speed);
  }

  /** Moves a boid or hunter, turns it back at walls and pushes it out of obstacles. */
  private fly(balls: Float64Array, dt: number): void {
    const { space, position, velocity, away } = this;
    space.move(position, velocity, dt);
    for (let ball = 0; BALL_FLOATS * ball < balls.length; ball++) {
      space.awayFrom(position, balls, ball, away);
      const depth = (balls[BALL_FLOATS * ball + 3] as number) - lengthOf(away);
      if (depth <= 0) continue;
      normalize(away);
      add(position, away, depth);
      space.wrap(position);
      add(velocity, away, -Math.min(0, dot(velocity, away)));
    }
    space.wall(position, velocity);
  }
}
