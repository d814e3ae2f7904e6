/**
 * A child process that answers questions line by line (protocol: bench/native/grid.cu). The class ends it after a wrong
 * greeting, a late answer, a line that is too long, or a line that answers no question. Ask a question only after the
 * answer to the previous one.
 */
import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Readable, Writable } from 'node:stream';
import { GpuError } from '../../../src/core/base/errors';
import { AbsentError } from '../../harness/engine';
import type { ClockSource } from '../../harness/gpu-clock';

/** First words of the greeting. */
const PROTOCOL = 'cellstorm-native 1';
const CLOCKS = ['events', 'wall'] as const satisfies readonly ClockSource[];

const ANSWER_SECONDS = 600;
const EXIT_SECONDS = 10;
const CHUNK_BYTES = 2 ** 24;
/** The most letters of an answer, and of the error output that is kept. */
const MOST_ANSWER = 2 ** 12;

const MOST_QUOTED = 80;

export interface Greeting {
  readonly device: string;
  readonly clock: ClockSource;
  /** The step of the clock, in nanoseconds. */
  readonly clockStep: number;
}

export interface Started {
  readonly program: NativeProgram;
  readonly greeting: Greeting;
}

interface Question {
  readonly line: string;
  readonly answer: (line: string) => void;
  readonly fail: (error: Error) => void;
}

export class NativeProgram {
  private question: Question | undefined;
  private partialLine = '';
  private errorOutput = '';
  /** Why the program cannot answer; undefined while it can. */
  private ended: Error | undefined;
  private readonly closed: Promise<unknown>;

  private constructor(
    private readonly path: string,
    private readonly patience: number,
    private readonly child: ChildProcessByStdio<Writable, Readable, Readable>,
  ) {
    this.closed = once(child, 'close').catch(() => undefined);
    child.stdout.setEncoding('utf8').on('data', (text: string) => this.receive(text));
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      this.errorOutput = (this.errorOutput + text).slice(-MOST_ANSWER);
    });
    // Ignore errors of the input: 'close' reports the end of the program.
    child.stdin.on('error', () => undefined);
    child.on('error', (error: NodeJS.ErrnoException) =>
      this.end(new AbsentError(`The program ${path} could not be started (${error.code ?? error.message}).`)),
    );
    child.on('close', (code, signal) => this.end(this.describeEnd(code, signal)));
  }

  /** `patience`: seconds to wait for each answer. */
  static async start(path: string, patience = ANSWER_SECONDS): Promise<Started> {
    const program = new NativeProgram(path, patience, spawn(path, [], { stdio: ['pipe', 'pipe', 'pipe'] }));
    try {
      const line = await program.receiveAnswer('');
      const [, clock, step, device] = new RegExp(`^${PROTOCOL} (\\S+) (\\d+) (.+)$`).exec(line) ?? [];
      const known = CLOCKS.find((name) => name === clock);
      if (!known || !device) throw program.protocolError('', line, `"${PROTOCOL} CLOCK NANOSECONDS DEVICE"`);
      return { program, greeting: { device, clock: known, clockStep: Number(step) } };
    } catch (error) {
      await program.destroy();
      throw error;
    }
  }

  /** Sends a question, followed by `payload`. Returns the `count` numbers of the answer, none of them negative. */
  async ask(line: string, count: number, payload: readonly Float32Array[] = []): Promise<number[]> {
    const received = this.receiveAnswer(line);
    const [answer] = await Promise.all([received, this.write(line, payload)]);
    const [first, ...words] = answer.split(' ');
    const numbers = words.map((word) => (/^[\d.]/.test(word) ? Number(word) : Number.NaN));
    if (first === 'ok' && numbers.length === count && numbers.every(Number.isFinite)) return numbers;
    throw this.protocolError(line, answer, `"ok" and ${count} numbers`);
  }

  /** Ends the program's input. Kills the program if it does not exit within EXIT_SECONDS. */
  async destroy(): Promise<void> {
    this.child.stdin.end();
    const late = setTimeout(() => this.child.kill('SIGKILL'), 1000 * EXIT_SECONDS);
    await this.closed;
    clearTimeout(late);
  }

  private async write(line: string, payload: readonly Float32Array[]): Promise<void> {
    const { stdin } = this.child;
    stdin.write(`${line}\n`);
    for (const { buffer, byteOffset, byteLength } of payload) {
      for (let done = 0; done < byteLength; done += CHUNK_BYTES) {
        if (this.ended) return;
        const some = Math.min(CHUNK_BYTES, byteLength - done);
        const isRoom = stdin.write(new Uint8Array(buffer, byteOffset + done, some));
        if (!isRoom) await Promise.race([once(stdin, 'drain').catch(() => this.closed), this.closed]);
      }
    }
  }

  private async receiveAnswer(line: string): Promise<string> {
    if (this.ended) throw this.ended;
    let late: NodeJS.Timeout | undefined;
    const answer = await new Promise<string>((resolve, reject) => {
      this.question = { line, answer: resolve, fail: reject };
      late = setTimeout(() => {
        const missed = line === '' ? 'wrote no greeting' : `did not answer "${shorten(line)}"`;
        const reason = `The program ${this.path} ${missed} within ${this.patience} seconds, so it was ended.`;
        this.end(new Error(reason));
        this.child.kill('SIGKILL');
      }, 1000 * this.patience);
    }).finally(() => clearTimeout(late));
    const [, kind, sentence = ''] = /^error (\S+) (.+)$/.exec(answer) ?? [];
    if (kind === 'memory') throw new GpuError('memory', sentence);
    if (kind === 'absent') throw new AbsentError(sentence);
    if (kind === 'failed') throw new Error(sentence);
    return answer;
  }

  private receive(text: string): void {
    this.partialLine += text;
    const lines = this.partialLine.split('\n');
    this.partialLine = lines.pop() ?? '';
    if (this.partialLine.length > MOST_ANSWER) lines.push(this.partialLine);
    for (const line of lines) {
      const { question } = this;
      this.question = undefined;
      question?.answer(line);
      if (question && line.length <= MOST_ANSWER) continue;
      // End the program, because later answers could no longer be matched to questions.
      const wrong = question
        ? `a line of more than ${MOST_ANSWER} letters: "${shorten(line)}"`
        : `"${shorten(line)}" without a question`;
      this.end(new Error(`The program ${this.path} wrote ${wrong}.`));
      this.child.kill('SIGKILL');
    }
  }

  private end(error: Error): void {
    this.ended ??= error;
    this.question?.fail(this.ended);
    this.question = undefined;
  }

  private describeEnd(code: number | null, signal: string | null): Error {
    const how = signal ? `was ended by ${signal}` : `ended with status ${code}`;
    const asked = this.question?.line ? ` when it was asked "${shorten(this.question.line)}"` : '';
    const last = this.errorOutput.trim().split('\n').at(-1);
    return new Error(`The program ${this.path} ${how}${asked}${last ? `: ${last}` : ''}.`);
  }

  private protocolError(line: string, answer: string, accepted: string): Error {
    return new Error(`${this.describe(line)} "${shorten(answer)}", but it must be ${accepted}.`);
  }

  private describe(line: string): string {
    return `The program ${this.path} ${line === '' ? 'began with' : `answered "${shorten(line)}" with`}`;
  }
}

function shorten(text: string): string {
  return text.length > MOST_QUOTED ? `${text.slice(0, MOST_QUOTED)}…` : text;
}
