/** The script of a worker of the CPU engine, in browsers and in Node. See threads/control.ts. */
import { GridMember, type GridMemberOptions } from './grid/grid-member';
import { GivenMemory } from './shared/memory';
import { StepMember, type StepMemberOptions } from './solver/team/step-member';
import { type Member, readyWord, serveJobs } from './threads/control';
import type { Mail, Start } from './threads/team';

interface Port {
  on?(event: 'message', listener: (message: Start | Mail) => void): void;
  onmessage?: ((event: MessageEvent<Start | Mail>) => void) | null;
  close(): void;
}

interface NodeThreads {
  readonly parentPort: Port | null;
}

class Thread {
  private member: (Member & { receive?(mail: Mail): void }) | undefined;
  private control: Int32Array = new Int32Array(0);
  private thread = 0;
  private messages = 0;

  constructor(private readonly port: Port) {}

  receive(message: Start | Mail): void {
    if ('kind' in message) {
      this.control = message.control;
      this.thread = message.thread;
      const memory = new GivenMemory(message.buffers);
      this.member =
        message.kind === 'grid'
          ? new GridMember(message.options as GridMemberOptions, memory)
          : new StepMember(message.options as StepMemberOptions, memory);
      Atomics.store(this.control, readyWord(this.thread), 1);
    } else {
      this.messages++;
      this.member?.receive?.(message);
    }
    if (this.member && !serveJobs(this.control, this.member, this.thread, this.messages)) this.port.close();
  }
}

const { process } = globalThis as {
  readonly process?: { getBuiltinModule?(name: string): NodeThreads | undefined };
};
const parentPort = process?.getBuiltinModule?.('node:worker_threads')?.parentPort;
if (parentPort?.on) {
  const thread = new Thread(parentPort);
  parentPort.on('message', (message) => thread.receive(message));
} else {
  const port = globalThis as unknown as Port;
  const thread = new Thread(port);
  port.onmessage = ({ data }) => thread.receive(data);
}
