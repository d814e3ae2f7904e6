/** Purpose: packages that need not be installed: imported when an engine is opened, or a sentence that names what is missing. */
import { AbsentError } from '../harness/engine';

export async function loadPeer<Module>(name: string, load: () => Promise<Module>): Promise<Module> {
  try {
    return await load();
  } catch (cause) {
    const told = cause instanceof Error ? cause.message.split('\n')[0] : String(cause);
    const sentence = `The package ${name} could not be loaded (${told}), so it is left out: npm install ${name} brings it.`;
    throw new AbsentError(sentence, { cause });
  }
}
