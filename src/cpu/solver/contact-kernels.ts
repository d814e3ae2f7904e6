/** Chooses the contact loops for particles of one radius by the kind of world. */
import type { Lattice } from '../shared/lattice';
import type { ContactKernels } from './contact';
import { findPartners, finishPushApart, pushApart, respond } from './general-contact';
import { PLANE_CONTACT } from './plane-contact';
import { SPACE_CONTACT } from './space-contact';

const PERIODIC = { findPartners, respond };

export function contactKernelsFor({
  world,
  dimensions,
}: Pick<Lattice, 'world' | 'dimensions'>): ContactKernels {
  const straight = dimensions === 2 ? PLANE_CONTACT : SPACE_CONTACT;
  return { ...straight, pushApart, finishPushApart, ...(world.kind === 'periodic' ? PERIODIC : {}) };
}
