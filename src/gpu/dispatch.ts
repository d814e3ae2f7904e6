/**
 * Folds dispatches that are too large for one dimension into columns (x) and rows (y). Shaders check the range of the
 * linear index.
 */
import { LimitError } from '../core/base/errors';

/** Returns the columns and rows. Their product exceeds `workgroups` by less than the number of rows. */
export function foldWorkgroups(workgroups: number, perDimension: number): readonly [number, number] {
  if (workgroups <= perDimension) return [workgroups, 1];
  const rows = Math.ceil(workgroups / perDimension);
  if (rows > perDimension) {
    throw new LimitError(
      'maxComputeWorkgroupsPerDimension',
      `A dispatch of ${workgroups} workgroups is too large: the device's maxComputeWorkgroupsPerDimension of ${perDimension} allows at most ${perDimension * perDimension} in two dimensions.`,
    );
  }
  return [Math.ceil(workgroups / rows), rows];
}
