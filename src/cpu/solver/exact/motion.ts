/**
 * The first and the last part of a substep of an exact simulation, one particle at a time: motion before the contacts,
 * then the changes by contacts, obstacles and walls. Twins of ../integrate.ts, ../finish.ts and ../walls.ts.
 */
import { wrapExactly } from '../../../core/exact/convert';
import { clamp, lengthOf, ONE, ROUNDER, round, share } from '../../../core/exact/integers';
import { directionOf, grip, heldShare, keptShare, MOST_LOADED, wallChange } from '../../../core/exact/law';
import { FASTEST, MOST_CHANGE, MOST_PUSH, REACH, within } from '../../../core/exact/quanta';
import type { ExactSubstep } from '../../../core/exact/substep';
import type { ParticleState } from '../../shared/kernels';
import type { Response } from '../contact';
import { pressing, scratchSliding } from '../walls';
import type { ExactObstacles } from './obstacles';

/** From this squared length on, a vector may have components of at least 2²⁰, of which lengthOf cuts off low bits. */
const LONG_SQUARED = 2 ** 40;

const MOST_CHANGE_SQUARED = MOST_CHANGE ** 2;
const MOST_PUSH_SQUARED = MOST_PUSH ** 2;

/** Holds results of functions that loops call, to avoid allocations. */
const scratch = new Float64Array(4);

/** Moves all particles. Also writes the float positions, by which the search finds candidates for contacts. */
export function integrateExactly(
  dimensions: number,
  { quanta, rates, positions }: ParticleState,
  count: number,
  substep: ExactSubstep,
): void {
  const { dt, gained, motionOffset } = substep;
  const { length, origin, period } = substep.quanta;
  const is3D = dimensions === 3;
  const gainX = gained[0] as number;
  const gainY = gained[1] as number;
  const gainZ = is3D ? (gained[2] as number) : 0;
  const lowX = origin[0] as number;
  const lowY = origin[1] as number;
  const lowZ = is3D ? (origin[2] as number) : 0;
  const periodX = period[0] as number;
  const periodY = period[1] as number;
  const periodZ = is3D ? (period[2] as number) : 0;
  const wraps = periodX + periodY + periodZ > 0;
  const whole = ROUNDER;
  const fastest = FASTEST;
  const reach = REACH;
  const end = dimensions * count;
  for (let word = 0; word < end; word += dimensions) {
    let rateX = (rates[word] as number) + gainX;
    let rateY = (rates[word + 1] as number) + gainY;
    if (rateX > fastest || rateX < -fastest) rateX = rateX < 0 ? -fastest : fastest;
    if (rateY > fastest || rateY < -fastest) rateY = rateY < 0 ? -fastest : fastest;
    let x = (quanta[word] as number) + (rateX * dt + motionOffset + whole - whole);
    let y = (quanta[word + 1] as number) + (rateY * dt + motionOffset + whole - whole);
    if (x >= reach || x < -reach) x = x < 0 ? -reach : reach - 1;
    if (y >= reach || y < -reach) y = y < 0 ? -reach : reach - 1;
    if (wraps) {
      x = wrapExactly(x, periodX);
      y = wrapExactly(y, periodY);
    }
    rates[word] = rateX;
    rates[word + 1] = rateY;
    quanta[word] = x;
    quanta[word + 1] = y;
    positions[word] = lowX + x * length;
    positions[word + 1] = lowY + y * length;
    if (!is3D) continue;
    let rateZ = (rates[word + 2] as number) + gainZ;
    if (rateZ > fastest || rateZ < -fastest) rateZ = rateZ < 0 ? -fastest : fastest;
    let z = (quanta[word + 2] as number) + (rateZ * dt + motionOffset + whole - whole);
    if (z >= reach || z < -reach) z = z < 0 ? -reach : reach - 1;
    if (wraps) z = wrapExactly(z, periodZ);
    rates[word + 2] = rateZ;
    quanta[word + 2] = z;
    positions[word + 2] = lowZ + z * length;
  }
}

/**
 * Applies the sums of a pass and clears them, then lets obstacles and walls act. The comment on respondExactly explains
 * why the loop is written out.
 */
export function finishExactly(
  dimensions: number,
  state: ParticleState,
  activeCount: number,
  response: Response,
  substep: ExactSubstep,
  obstacles: ExactObstacles | undefined,
): void {
  const is3D = dimensions === 3;
  const meetsObstacles = obstacles !== undefined && obstacles.count > 0;
  const { quanta, rates } = state;
  const { pushes, changes, supports, closings, depths, strains } = response;
  const { dt, friction, meanGain, lower, upper, motionOffset } = substep;
  const gainX = meanGain[0] as number;
  const gainY = meanGain[1] as number;
  const gainZ = is3D ? (meanGain[2] as number) : 0;
  const lowerX = lower[0] as number;
  const lowerY = lower[1] as number;
  const lowerZ = is3D ? (lower[2] as number) : 0;
  const upperX = upper[0] as number;
  const upperY = upper[1] as number;
  const upperZ = is3D ? (upper[2] as number) : 0;
  const whole = ROUNDER;
  const fastest = FASTEST;
  const mostLoaded = MOST_LOADED;
  for (let slot = 0; slot < activeCount; slot++) {
    const first = dimensions * slot;
    let changeX = changes[first] as number;
    let changeY = changes[first + 1] as number;
    let changeZ = is3D ? (changes[first + 2] as number) : 0;
    let pushX = pushes[first] as number;
    let pushY = pushes[first + 1] as number;
    let pushZ = is3D ? (pushes[first + 2] as number) : 0;
    const depth = depths[slot] as number;
    const strain = strains[slot] as number;
    const closing = closings[slot] as number;
    const changeSquared = changeX * changeX + changeY * changeY + changeZ * changeZ;
    const pushSquared = pushX * pushX + pushY * pushY + pushZ * pushZ;
    let supportX = supports[first] as number;
    let supportY = supports[first + 1] as number;
    let supportZ = is3D ? (supports[first + 2] as number) : 0;
    let supportSquared = supportX * supportX + supportY * supportY + supportZ * supportZ;
    if (changeSquared + pushSquared + supportSquared + depth + strain + closing === 0) {
      // No other particle has changed this one.
      const x = quanta[first] as number;
      const y = quanta[first + 1] as number;
      let isOut = x < lowerX || x > upperX || y < lowerY || y > upperY;
      if (is3D) {
        const z = quanta[first + 2] as number;
        isOut ||= z < lowerZ || z > upperZ;
      }
      if (meetsObstacles || isOut) meetFixed(dimensions, state, slot, substep, obstacles);
      continue;
    }
    changes[first] = 0;
    changes[first + 1] = 0;
    pushes[first] = 0;
    pushes[first + 1] = 0;
    supports[first] = 0;
    supports[first + 1] = 0;
    if (is3D) {
      changes[first + 2] = 0;
      pushes[first + 2] = 0;
      supports[first + 2] = 0;
    }
    depths[slot] = 0;
    strains[slot] = 0;
    closings[slot] = 0;
    if (
      changeSquared > MOST_CHANGE_SQUARED ||
      pushSquared > MOST_PUSH_SQUARED ||
      supportSquared > MOST_CHANGE_SQUARED
    ) {
      changeX = clamp(changeX, MOST_CHANGE);
      changeY = clamp(changeY, MOST_CHANGE);
      changeZ = clamp(changeZ, MOST_CHANGE);
      supportX = clamp(supportX, MOST_CHANGE);
      supportY = clamp(supportY, MOST_CHANGE);
      supportZ = clamp(supportZ, MOST_CHANGE);
      pushX = clamp(pushX, MOST_PUSH);
      pushY = clamp(pushY, MOST_PUSH);
      pushZ = clamp(pushZ, MOST_PUSH);
    }
    if (depth + strain > ONE) {
      const kept = keptShare(lengthOf(changeX, changeY, changeZ), closing, depth, strain, substep) / ONE;
      // The limit acts on the velocity alone.
      pushX += round(changeX * dt);
      pushY += round(changeY * dt);
      pushZ += round(changeZ * dt);
      changeX = round(changeX * kept);
      changeY = round(changeY * kept);
      changeZ = round(changeZ * kept);
      pushX -= round(changeX * dt);
      pushY -= round(changeY * dt);
      pushZ -= round(changeZ * dt);
      supportX = round(supportX * kept);
      supportY = round(supportY * kept);
      supportZ = round(supportZ * kept);
    }
    supportSquared = supportX * supportX + supportY * supportY + supportZ * supportZ;
    if (supportSquared > 0) {
      // Static friction: `hold` of core/contact/law.ts.
      let support = Math.sqrt(supportSquared + 0.5) - 0.5 + whole - whole;
      let alongX = Math.trunc((supportX * ONE) / support) * (1 / ONE);
      let alongY = Math.trunc((supportY * ONE) / support) * (1 / ONE);
      let alongZ = Math.trunc((supportZ * ONE) / support) * (1 / ONE);
      if (supportSquared >= LONG_SQUARED) {
        findDirection(supportX, supportY, supportZ);
        support = scratch[0] as number;
        alongX = scratch[1] as number;
        alongY = scratch[2] as number;
        alongZ = scratch[3] as number;
      }
      const weight = gainX * alongX + gainY * alongY + gainZ * alongZ + whole - whole;
      if (weight < 0) {
        const acrossX = gainX - (weight * alongX + whole - whole);
        const acrossY = gainY - (weight * alongY + whole - whole);
        const acrossZ = gainZ - (weight * alongZ + whole - whole);
        const along = changeX * alongX + changeY * alongY + changeZ * alongZ + whole - whole;
        const usedX = changeX - (along * alongX + whole - whole);
        const usedY = changeY - (along * alongY + whole - whole);
        const usedZ = changeZ - (along * alongZ + whole - whole);
        const slipSquared = acrossX * acrossX + acrossY * acrossY + acrossZ * acrossZ;
        const usedSquared = usedX * usedX + usedY * usedY + usedZ * usedZ;
        const mostGrip = (support < mostLoaded ? support : mostLoaded) * friction + whole - whole;
        let fraction = 1;
        // If this is false, friction holds all of the slip. With p and q the lengths of `across` and `used`,
        // p + q ≤ √(2 (p² + q²)) ≤ mostGrip. Rounding p and q down only lowers the sum.
        if (2 * (slipSquared + usedSquared) > mostGrip * mostGrip) {
          const slip = lengthOf(acrossX, acrossY, acrossZ);
          const room = mostGrip - lengthOf(usedX, usedY, usedZ);
          scratch[0] = heldShare(room, slip);
          fraction = scratch[0];
        }
        changeX -= acrossX * fraction + whole - whole;
        changeY -= acrossY * fraction + whole - whole;
        changeZ -= acrossZ * fraction + whole - whole;
      }
    }
    const rateX = rates[first] as number;
    const rateY = rates[first + 1] as number;
    const turnedX = clamp(rateX + changeX, fastest);
    const turnedY = clamp(rateY + changeY, fastest);
    // Replaces the motion in this substep by that of the new velocity. So a body that a contact stops is back where
    // it was before the substep.
    const movedX = turnedX * dt + motionOffset + whole - (rateX * dt + motionOffset + whole);
    const movedY = turnedY * dt + motionOffset + whole - (rateY * dt + motionOffset + whole);
    const x = (quanta[first] as number) + movedX + pushX;
    const y = (quanta[first + 1] as number) + movedY + pushY;
    rates[first] = turnedX;
    rates[first + 1] = turnedY;
    quanta[first] = x;
    quanta[first + 1] = y;
    let isOut = x < lowerX || x > upperX || y < lowerY || y > upperY;
    if (is3D) {
      const rateZ = rates[first + 2] as number;
      const turnedZ = clamp(rateZ + changeZ, fastest);
      const movedZ = turnedZ * dt + motionOffset + whole - (rateZ * dt + motionOffset + whole);
      const z = (quanta[first + 2] as number) + movedZ + pushZ;
      rates[first + 2] = turnedZ;
      quanta[first + 2] = z;
      isOut ||= z < lowerZ || z > upperZ;
    }
    if (meetsObstacles || isOut) meetFixed(dimensions, state, slot, substep, obstacles);
  }
}

/** Lets obstacles, then walls, and then the friction of both act on a particle. */
function meetFixed(
  dimensions: number,
  state: ParticleState,
  slot: number,
  substep: ExactSubstep,
  obstacles: ExactObstacles | undefined,
): void {
  const { quanta, rates } = state;
  const { lower, upper, walls } = substep;
  const first = dimensions * slot;
  pressing.sum = 0;
  pressing.isBounce = false;
  for (let axis = 0; axis < dimensions; axis++) {
    quanta[first + axis] = within(quanta[first + axis] as number);
    scratchSliding[axis] = rates[first + axis] as number;
  }
  obstacles?.meet(state, slot, substep);
  if (walls) {
    for (let axis = 0; axis < dimensions; axis++) {
      const position = quanta[first + axis] as number;
      const low = lower[axis] as number;
      const high = upper[axis] as number;
      if (position < low) meetWall(quanta, rates, first + axis, axis, low, 1, substep);
      else if (position > high) meetWall(quanta, rates, first + axis, axis, high, -1, substep);
    }
  }
  if (pressing.sum > 0) rubExactly(dimensions, quanta, rates, first, substep);
  if (!walls) return;
  for (let axis = 0; axis < dimensions; axis++) {
    const position = quanta[first + axis] as number;
    // Friction may have moved the particle past a wall.
    quanta[first + axis] = Math.min(Math.max(position, lower[axis] as number), upper[axis] as number);
  }
}

/** Writes the length of a vector and the components of its direction to `scratch`. */
function findDirection(x: number, y: number, z: number): void {
  const size = lengthOf(x, y, z);
  scratch[0] = size;
  scratch[1] = size === 0 ? 0 : directionOf(x, size) / ONE;
  scratch[2] = size === 0 ? 0 : directionOf(y, size) / ONE;
  scratch[3] = size === 0 ? 0 : directionOf(z, size) / ONE;
}

/** Changes a component of a velocity, and replaces the motion in this substep by that of the new velocity. */
function turn(
  quanta: Int32Array,
  rates: Int32Array,
  word: number,
  change: number,
  substep: ExactSubstep,
): void {
  const { dt, motionOffset } = substep;
  const rate = rates[word] as number;
  const turned = clamp(rate + change, FASTEST);
  const moved = round(turned * dt + motionOffset) - round(rate * dt + motionOffset);
  rates[word] = turned;
  quanta[word] = within((quanta[word] as number) + moved);
}

function meetWall(
  quanta: Int32Array,
  rates: Int32Array,
  word: number,
  axis: number,
  limit: number,
  inward: number,
  substep: ExactSubstep,
): void {
  const { restSpeed, restitution } = substep;
  const depth = inward * (limit - (quanta[word] as number));
  quanta[word] = limit;
  const approach = inward * (rates[word] as number);
  if (approach >= 0) return;
  const isBounce = restitution > 0 && approach < -restSpeed;
  const change = wallChange(depth, approach, isBounce, substep);
  rates[word] = inward * (approach + change);
  scratchSliding[axis] = 0;
  pressing.sum += Math.min(change, MOST_LOADED);
  pressing.isBounce ||= isBounce;
}

/** Applies the friction of all obstacles and walls. */
function rubExactly(
  dimensions: number,
  quanta: Int32Array,
  rates: Int32Array,
  first: number,
  substep: ExactSubstep,
): void {
  const sliding = scratchSliding;
  const speed = lengthOf(
    sliding[0] as number,
    sliding[1] as number,
    dimensions === 3 ? (sliding[2] as number) : 0,
  );
  if (speed === 0) return;
  const mostGrip = grip(pressing.sum, substep.friction);
  for (let axis = 0; axis < dimensions; axis++) {
    const slide = sliding[axis] as number;
    const taken = mostGrip >= speed ? slide : share(mostGrip, directionOf(slide, speed));
    const word = first + axis;
    if (pressing.isBounce) rates[word] = clamp((rates[word] as number) - taken, FASTEST);
    else turn(quanta, rates, word, -taken, substep);
  }
}
