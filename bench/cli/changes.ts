/** Formats the changes since the record that `cellstorm bench --baseline` names. */

import { formatCount, formatTable, wrapText } from '../../src/cli/output';
import { compareRecords, type Loss } from '../harness/compare';
import type { BenchRecord } from '../harness/record';
import { formatCountOf, formatFigure } from '../report/format';

const INDENT = '  ';

export function describeChanges(before: BenchRecord, after: BenchRecord, width: number): string {
  const { differences, changes, losses, notRun, added } = compareRecords(before, after);
  const changed = changes
    .filter(({ verdict }) => verdict !== 'the same')
    .sort((a, b) => b.ratio - a.ratio)
    .map(({ scene, dimensions, count, engine, before: old, after: now, ratio, verdict }) => [
      `${scene} ${dimensions}D`,
      formatCount(count),
      engine,
      formatFigure(old),
      formatFigure(now),
      `${ratio.toFixed(2)} ×`,
      verdict,
    ]);
  const head = `Against the baseline of ${before.began} (${before.commit ?? 'no commit'}): ${changed.length} of ${changes.length} timings changed beyond the noise.`;
  const others = [
    before.ended === undefined ? 'The baseline was cut off, so it lacks some cases.' : '',
    notRun > 0
      ? `${formatCountOf(notRun, 'timing')} of the baseline ${notRun === 1 ? 'was' : 'were'} not measured again.`
      : '',
    added > 0 ? `${formatCountOf(added, 'timing')} ${added === 1 ? 'is' : 'are'} not in the baseline.` : '',
  ];
  const sentences = [...differences, ...losses.map(describeLoss), ...others, head].filter(
    (sentence) => sentence !== '',
  );
  const lines = sentences.map((sentence) => wrapText(sentence, width, INDENT));
  if (changed.length === 0) return `\n${lines.join('\n')}\n`;
  const table = formatTable(
    [['scene', 'bodies', 'engine', 'before ms', 'now ms', 'ratio', ''], ...changed],
    [false, true, false, true, true, true],
  );
  return `\n${lines.join('\n')}\n${table}\n`;
}

function describeLoss({ scene, dimensions, count, engine, status, reason = '' }: Loss): string {
  return `${engine} had a time on ${scene} ${dimensions}D, ${formatCountOf(count, 'body', 'bodies')}, and has none now: ${status}. ${reason}`.trim();
}
