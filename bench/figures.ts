/** Parses records that name their figures: those of bench:isa and bench:traffic. */
import { ArgumentError, Phrase } from '../src/core/base/errors';

/**
 * Returns the record in `text`. Throws an ArgumentError that names `source` unless the record has the figures `names`
 * and results under the name `content`. `command` is for the message.
 */
export function parseFigures<Record>(
  source: string,
  text: string,
  { command, names, content }: { command: string; names: readonly string[]; content: string },
): Record {
  const accepted = `a record of "npm run ${command}" that lists these figures: ${names.join(', ')}`;
  let record: { figures?: unknown; [name: string]: unknown } | null;
  try {
    record = JSON.parse(text) as typeof record;
  } catch {
    throw new ArgumentError(source, new Phrase('not JSON'), accepted);
  }
  if (
    String(record?.figures) !== String(names) ||
    !record?.[content] ||
    typeof record[content] !== 'object'
  ) {
    throw new ArgumentError(source, new Phrase('a record with other figures'), accepted);
  }
  return record as Record;
}
