/**
 * Folds dispatches. A dimension holds at most maxComputeWorkgroupsPerDimension workgroups, so the workgroups of larger
 * dispatches are arranged in columns (x) and rows (y). Shaders compute a linear index and check that it is in range.
 */
import { LimitError } from '../core/base/errors';

/** Returns columns and rows with room for `workgroups` workgroups. Less than one row is unused. */
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
