import { describeCount } from '../../core/base/errors';
import { CellstormError } from '../../index';
import { METHOD_WORDS } from '../model/scenes';
import { notify } from '../support/notes';
import { nextTask, saveFile } from '../support/save';
import type { Run } from '../view/engine';
import type { Session } from '../view/session';

/** After this many parts of a table, the page may respond. */
const PARTS_A_TURN = 4;

export async function saveState({ simulation }: Run, session: Session): Promise<void> {
  const { drive, stem, present } = session;
  const scene = present.opened ? present.opened.scene : present.scene;
  if (simulation.method) {
    throw new CellstormError(
      `A state cannot hold ${METHOD_WORDS[simulation.method]}; save a table of its particles instead.`,
    );
  }
  // A static import would split shared modules into more files, which compress worse.
  const { encodeCheckpoint } = await import('../../core/state/state-file');
  const bytes = encodeCheckpoint({ ...(await simulation.checkpoint()), scene });
  saveFile(new Blob([bytes as Uint8Array<ArrayBuffer>]), `${stem}.bin`);
  notify(
    drive
      ? 'The state is saved; when opened, its gravity and obstacles no longer move.'
      : 'The state is saved; when opened, it goes on with the same bits.',
  );
}

export async function saveTable({ simulation }: Run, { stem }: Session): Promise<void> {
  const { encodeTable } = await import('../../core/state/particle-table');
  const { parts, leftOut } = encodeTable(await simulation.read(), simulation.dimensions);
  const blobs: Blob[] = [];
  for (const part of parts) {
    blobs.push(new Blob([part]));
    if (blobs.length % PARTS_A_TURN === 0) await nextTask();
  }
  saveFile(new Blob(blobs, { type: 'text/csv' }), `${stem}.csv`);
  const without = `, without ${describeCount(leftOut)} whose positions are not finite`;
  notify(`The table is saved${leftOut > 0 ? without : ''}.`);
}
