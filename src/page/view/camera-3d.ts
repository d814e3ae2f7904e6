/** The camera of 3D scenes, which circles a target. */
import { mat4 } from 'wgpu-matrix';
import {
  CAMERA_RANGES,
  type Camera,
  type CameraMatrices,
  type Corners,
  clamp,
  extents,
  HIGHEST_PITCH,
  inRange,
  LOWEST_PITCH,
  MARGIN,
  middle,
  NO_ORIGIN,
  type Ray,
  SPACE_ZOOM,
  type Viewport,
} from './camera';

/** Focal length ÷ the shorter side of the free part without MARGIN. Greater values flatten the picture. */
const FOCAL = 1.5;
/** Radians per second. A full turn takes one and a half minutes. */
const ORBIT_SPEED = (2 * Math.PI) / 90;

type Vector3 = readonly [number, number, number];

export class Camera3D implements Camera {
  private yaw = 0.55;
  private pitch = 0.32;
  private magnification = 1;
  /** The target, relative to the box's middle. */
  private offset: Vector3 = [0, 0, 0];
  private isTurned = false;
  private seen = {
    pixelsPerUnit: 1,
    focal: 1,
    x: 0,
    y: 0,
    distance: 1,
    position: [0, 0, 0] as readonly number[],
  };

  turn(yaw: number, pitch: number): void {
    this.isTurned = true;
    this.yaw += yaw;
    this.pitch = clamp(this.pitch + pitch, LOWEST_PITCH, HIGHEST_PITCH);
  }

  drift(seconds: number): void {
    this.yaw += ORBIT_SPEED * seconds;
  }

  pan(across: number, down: number): void {
    const { pixelsPerUnit } = this.seen;
    this.move(-across / pixelsPerUnit, down / pixelsPerUnit);
  }

  zoom(factor: number, x: number, y: number): void {
    const before = this.magnification;
    this.magnification = clamp(before * factor, SPACE_ZOOM.least, SPACE_ZOOM.most);
    const grown = 1 - before / this.magnification;
    const { pixelsPerUnit } = this.seen;
    this.move(((x - this.seen.x) / pixelsPerUnit) * grown, ((this.seen.y - y) / pixelsPerUnit) * grown);
    this.seen = { ...this.seen, pixelsPerUnit: (pixelsPerUnit * this.magnification) / before };
  }

  fit(): void {
    this.magnification = 1;
    this.offset = [0, 0, 0];
  }

  state(box: Corners): readonly number[] | undefined {
    const isMoved = this.offset.some((along) => along !== 0);
    if (!this.isTurned && this.magnification === 1 && !isMoved) return undefined;
    const turns = Math.round(this.yaw / (2 * Math.PI));
    const target = extents(box).map((extent, axis) => (this.offset[axis] as number) / extent);
    return inRange(3, [this.yaw - 2 * Math.PI * turns, this.pitch, this.magnification, ...target]);
  }

  restore(state: readonly number[], box: Corners): void {
    if (state.length !== CAMERA_RANGES[3].length) return;
    const [yaw = 0, pitch = 0, magnification = 1, ...target] = state;
    this.isTurned = true;
    this.yaw = yaw;
    this.pitch = pitch;
    this.magnification = magnification;
    const along = (axis: 0 | 1 | 2) => (target[axis] ?? 0) * extents(box)[axis];
    this.offset = [along(0), along(1), along(2)];
  }

  matrices(box: Corners, viewport: Viewport): CameraMatrices {
    const { free } = viewport;
    const [width, height, depth] = extents(box);
    // Half of the box's greatest width and height on the screen, over all yaws.
    const across = Math.hypot(width, depth) / 2;
    const up = (height / 2) * Math.cos(this.pitch) + across * Math.sin(this.pitch);
    const room = {
      width: Math.max(1, free.width - 2 * MARGIN),
      height: Math.max(1, free.height - 2 * MARGIN),
    };
    const focal = FOCAL * Math.min(room.width, room.height);
    // At the distance `fitted`, the section through the box's middle just fills the free part. The near side looks
    // larger, so at magnification 1 the camera is farther away.
    const fitted = Math.max((2 * across * focal) / room.width, (2 * up * focal) / room.height);
    const reach = Math.hypot(width, height, depth) / 2 + Math.hypot(...this.offset);
    const distance = (fitted + 0.55 * across * Math.cos(this.pitch)) / this.magnification;
    const near = Math.max(distance - 1.05 * reach, distance * 0.02);
    const far = distance + 1.05 * reach;
    // The target appears in the middle of the free part.
    const [x, y] = [free.x + free.width / 2, free.y + free.height / 2];
    const along = near / focal;
    const projection = mat4.frustum(
      -x * along,
      (viewport.width - x) * along,
      -(viewport.height - y) * along,
      y * along,
      near,
      far,
    );
    const back = this.axes()[2];
    const centre = middle(box);
    const { offset } = this;
    const target: Vector3 = [centre[0] + offset[0], centre[1] + offset[1], centre[2] + offset[2]];
    const position: Vector3 = [
      target[0] + distance * back[0],
      target[1] + distance * back[1],
      target[2] + distance * back[2],
    ];
    this.seen = { pixelsPerUnit: focal / distance, focal, x, y, distance, position };
    const { origin = NO_ORIGIN } = box;
    const [from, to] = [position, target].map((point) =>
      point.map((along, axis) => along - (origin[axis] ?? 0)),
    ) as [number[], number[]];
    return {
      origin,
      view: mat4.lookAt(from, to, [0, 1, 0]),
      projection,
      pixelsPerUnit: focal / distance,
      distance,
      reach,
    };
  }

  ray(x: number, y: number): Ray {
    const { focal, x: left, y: top, distance, position } = this.seen;
    const [right, up, back] = this.axes();
    const towards = [0, 1, 2].map(
      (axis) =>
        (right[axis] as number) * ((x - left) / focal) +
        (up[axis] as number) * ((top - y) / focal) -
        (back[axis] as number),
    );
    const length = Math.hypot(...towards);
    // The target's plane is at `distance` along the axis, so at `distance * length` along this ray.
    return { origin: position, direction: towards.map((along) => along / length), depth: distance * length };
  }

  private move(across: number, up: number): void {
    const [right, upwards] = this.axes();
    const along = (axis: 0 | 1 | 2) => this.offset[axis] + right[axis] * across + upwards[axis] * up;
    this.offset = [along(0), along(1), along(2)];
  }

  /** Right, up, and back from the target to the camera. */
  private axes(): readonly [Vector3, Vector3, Vector3] {
    const [cosYaw, sinYaw] = [Math.cos(this.yaw), Math.sin(this.yaw)];
    const [cosPitch, sinPitch] = [Math.cos(this.pitch), Math.sin(this.pitch)];
    return [
      [cosYaw, 0, -sinYaw],
      [-sinYaw * sinPitch, cosPitch, -cosYaw * sinPitch],
      [sinYaw * cosPitch, sinPitch, cosYaw * cosPitch],
    ];
  }
}
