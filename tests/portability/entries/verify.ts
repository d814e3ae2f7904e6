/** Runs the checks of `cellstorm verify`. Runs under Deno for verify.test.ts. */
import { type VerifyCase, type VerifyOptions, verify } from '../../../src/verify/verify';
import { openDevice } from './device';

export interface VerifyReport {
  readonly cases: readonly VerifyCase[];
  readonly complaints: readonly string[];
}

const { gpu, complaints } = await openDevice();

export default async (options: VerifyOptions): Promise<VerifyReport> => {
  const cases: VerifyCase[] = [];
  for await (const result of verify({ gpu }, options)) cases.push(result);
  return { cases, complaints: complaints.splice(0) };
};
