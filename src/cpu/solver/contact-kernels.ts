/** Chooses the contact loops for particles of one radius. */
import type { Lattice } from '../shared/lattice';
import type { ContactKernels } from './contact';
import { GENERAL_CONTACT } from './general-contact';
import { PLANE_CONTACT } from './plane-contact';
import { SPACE_CONTACT } from './space-contact';

export function contactKernelsFor({
  world,
  dimensions,
}: Pick<Lattice, 'world' | 'dimensions'>): ContactKernels {
  if (world.kind === 'periodic') return GENERAL_CONTACT;
  return dimensions === 2 ? PLANE_CONTACT : SPACE_CONTACT;
}
