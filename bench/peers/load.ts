import { AbsentError } from '../harness/engine';

export async function loadPeer<Module>(name: string, load: () => Promise<Module>): Promise<Module> {
  try {
    return await load();
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message.split('\n')[0] : String(cause);
    const sentence = `The package ${name} could not be loaded (${reason}), so its engine is left out. To add it, run: npm install ${name}`;
    throw new AbsentError(sentence, { cause });
  }
}
