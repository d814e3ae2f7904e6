/** Applies inputs to a simulation. Both engines apply inputs with this file, so that their states stay equal. */
import type { ParticleSimulation, SimulationOptions } from '../../index';

export const DT = 1 / 60;
export const WIDTH = 40;
export const HEIGHT = 24;
export const RADIUS = 0.5;
/** Inputs have positions in whole 256ths of a unit of length. */
export const UNIT = 1 / 256;
export const CAPACITY = 800;
/** The discs at the start, in rows. */
const ROWS = 12;
const PER_ROW = 25;
const GRAVITY = [0, -20] as const;
/** Gravity of a tilt, in length / s², per unit of length from the middle to the pointer. */
const TILT = 2;
/** A pressed pointer adds a disc in every second tick, beside the last one. */
const POUR_EVERY = 2;
const OFFSETS = [-0.75, 0, 0.75] as const;
const POUR_SPEED = 12;
/** Added to gravity, in length / s². Invisible: per substep, it adds about two quanta per second to a disc's speed. */
const MISTAKE = 0.001;

export type Tool = 'pour' | 'tilt';

/** An input of one player in one tick. */
export interface Input {
  /** 0: the left picture; 1: the right one. */
  readonly player: number;
  readonly tool: Tool;
  readonly x: number;
  readonly y: number;
}

export const OPTIONS: SimulationOptions = {
  dimensions: 2,
  radius: RADIUS,
  min: [0, 0],
  max: [WIDTH, HEIGHT],
  gravity: GRAVITY,
  restitution: 0.3,
  friction: 0.1,
  capacity: CAPACITY,
  positions: Float32Array.from({ length: 2 * ROWS * PER_ROW }, (_, i) => {
    const particle = i >> 1;
    const row = Math.floor(particle / PER_ROW);
    return i % 2 === 0 ? 1 + (particle % PER_ROW) + 0.25 * (row % 2) : 0.5 + row;
  }),
  exact: true,
};

/** Runs the ticks of one simulation. */
export class Rules {
  tick = 0;
  /** Indexed by id: 0 for discs of the start, 1 for discs of the left player, 2 for discs of the right player. */
  readonly owners: Uint8Array;
  /** Ids of poured discs, oldest first. */
  private poured: number[] = [];

  constructor(private readonly simulation: ParticleSimulation) {
    this.owners = new Uint8Array(simulation.capacity);
  }

  /** Call this when the simulation is at its start again. */
  reset(): void {
    this.tick = 0;
    this.owners.fill(0);
    this.poured = [];
  }

  /** Runs a tick. `hasMistake` changes gravity a little, as a bug in one player's program might. */
  run(inputs: readonly Input[], hasMistake: boolean): void {
    const { simulation } = this;
    let tilts = 0;
    const pull = [0, 0] as [number, number];
    for (const input of inputs) {
      if (input.tool === 'pour') this.pour(input);
      else {
        tilts++;
        pull[0] += TILT * (UNIT * input.x - WIDTH / 2);
        pull[1] += TILT * (UNIT * input.y - HEIGHT / 2);
      }
    }
    const [x, y] = tilts > 0 ? pull : GRAVITY;
    simulation.set({ gravity: [x + (hasMistake ? MISTAKE : 0), y] });
    simulation.step(DT);
    this.tick++;
  }

  /** If the simulation is full, first removes the oldest poured disc. */
  private pour({ player, x, y }: Input): void {
    if (this.tick % POUR_EVERY !== 0) return;
    const { simulation, poured } = this;
    const oldest = simulation.count === simulation.capacity ? poured.shift() : undefined;
    if (oldest !== undefined) simulation.remove([oldest]);
    const offset = OFFSETS[(this.tick / POUR_EVERY) % OFFSETS.length] as number;
    const within = (value: number, most: number) => Math.min(most - RADIUS, Math.max(RADIUS, value));
    const positions = Float32Array.of(within(UNIT * x + offset, WIDTH), within(UNIT * y, HEIGHT));
    const [id = 0] = simulation.add({ positions, velocities: Float32Array.of(0, -POUR_SPEED) });
    this.owners[id] = player + 1;
    poured.push(id);
  }
}
