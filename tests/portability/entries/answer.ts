/**
 * The end of tests/helpers/deno.ts that runs under Deno: reads one question per line as JSON and prints one answer per
 * line.
 */
import { type Gpu, wrapDevice } from '../../../src/gpu/device';

/** Marks the lines that are answers; the driver or a library may print others. */
export const ANSWER_MARK = 'ANSWER ';

export type Reply<Answer> = { readonly answer: Answer } | { readonly error: string };

declare const Deno: { readonly stdin: { readonly readable: ReadableStream<Uint8Array<ArrayBuffer>> } };

/** Answers questions in their order. An error of `answer` is the reply to its question. */
export async function answerAll<Question, Answer>(
  answer: (question: Question) => Promise<Answer>,
): Promise<void> {
  let rest = '';
  for await (const text of Deno.stdin.readable.pipeThrough(new TextDecoderStream())) {
    const lines = (rest + text).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) {
      const reply: Reply<Answer> = await answer(JSON.parse(line) as Question).then(
        (given) => ({ answer: given }),
        (error: Error) => ({ error: error.stack ?? String(error) }),
      );
      console.log(`${ANSWER_MARK}${JSON.stringify(reply)}`);
    }
  }
}

/** Opens Deno's device. `complaints` collects the errors that it reports. */
export async function openDevice(): Promise<{ readonly gpu: Gpu; readonly complaints: string[] }> {
  const adapter = await navigator.gpu.requestAdapter();
  const device = await adapter?.requestDevice({ label: 'portability' });
  if (!adapter || !device) throw new Error('Deno has no adapter.');
  const complaints: string[] = [];
  device.onuncapturederror = ({ error }) => complaints.push(error.message);
  return { gpu: wrapDevice(device, adapter.info), complaints };
}
