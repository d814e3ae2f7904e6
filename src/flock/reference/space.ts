/**
 * Purpose: the box that flocks live in, for the references: who is near a place, the way to the nearest image, and where
 * a step ends. Twin of shaders/flock/motion.wgsl and of the grid's own `separation` and `carried`.
 */
import { type CpuGrid, createCpuGrid } from '../../cpu/index';
import { heading, plus, times, type Vector, vectorAt } from './vectors';

export interface Box {
  readonly dimensions: 2 | 3;
  readonly min: Vector;
  readonly max: Vector;
  readonly periodic: boolean | readonly boolean[];
}

export interface Motion {
  readonly place: Vector;
  readonly velocity: Vector;
}

export class Space {
  private readonly grid: CpuGrid;
  private readonly period: Vector;

  constructor(
    private readonly box: Box,
    readonly positions: Float32Array,
    reach: number,
  ) {
    const { dimensions, min, max, periodic } = box;
    const wraps = (axis: number) => (typeof periodic === 'boolean' ? periodic : periodic[axis]);
    this.period = max.map((high, axis) => (wraps(axis) ? high - (min[axis] as number) : 0));
    this.grid = createCpuGrid({ ...box, diameter: reach, capacity: positions.length / dimensions });
    this.grid.build(positions);
  }

  /** Calls `visit` for everybody but `self` nearer to a place than the reach that the space was made for. */
  visitNear(
    place: Vector,
    reach: number,
    self: number,
    visit: (other: number, apart: Vector, distance: number) => void,
  ): void {
    this.grid.near(place, reach, (other) => {
      const apart = this.separation(place, vectorAt(this.box.dimensions, this.positions, other));
      const distance = Math.hypot(...apart);
      if (other !== self && distance < reach) visit(other, apart, distance);
    });
  }

  separation(place: Vector, other: Vector): Vector {
    return place.map((value, axis) => {
      const apart = value - (other[axis] as number);
      const period = this.period[axis] as number;
      return period > 0 ? apart - period * Math.round(apart / period) : apart;
    });
  }

  carried(place: Vector): Vector {
    return place.map((value, axis) => {
      const low = this.box.min[axis] as number;
      const period = this.period[axis] as number;
      return period > 0 ? value - period * Math.floor((value - low) / period) : value;
    });
  }

  moved(place: Vector, velocity: Vector, dt: number): Motion {
    return this.walled({ place: this.carried(plus(place, velocity, dt)), velocity });
  }

  walled({ place, velocity }: Motion): Motion {
    const { min, max } = this.box;
    const held = place.map((value, axis) =>
      this.period[axis] ? value : Math.min(Math.max(value, min[axis] as number), max[axis] as number),
    );
    const turned = velocity.map((speed, axis) => {
      const gone = (place[axis] as number) - (held[axis] as number);
      return gone * speed > 0 ? -speed : speed;
    });
    return { place: held, velocity: turned };
  }

  /** How much nearer than `reach` the walls are, inwards, in reaches. */
  shunnedWalls(place: Vector, reach: number): Vector {
    const { min, max } = this.box;
    return place.map((value, axis) => {
      if (this.period[axis]) return 0;
      const low = Math.max(0, 1 - (value - (min[axis] as number)) / reach);
      return low - Math.max(0, 1 - ((max[axis] as number) - value) / reach);
    });
  }

  /** A push away from a ball whose surface is nearer than `reach`. */
  shunned(place: Vector, centre: Vector, radius: number, reach: number): Vector {
    const apart = this.separation(place, centre);
    const nearness = Math.max(0, 1 - (Math.hypot(...apart) - radius) / reach);
    return times(heading(apart, 1, 0), nearness);
  }
}
