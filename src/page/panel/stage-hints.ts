import { STEP_STAGES } from '../../engine/simulation/stages';
import { WHOLE_STEP } from '../session/stages';

export const STAGE_HINTS: Readonly<Record<string, string>> = {
  ...STEP_STAGES,
  sort: 'Reorders the state by cell',
  transfer: 'Averages the velocities of the particles around each face of a cell',
  cells: 'Marks cells as fluid, air or solid',
  faces: 'Applies gravity and the solids to the faces',
  pressure: 'Solves for the pressure that leaves no divergence',
  extrapolate: 'Continues velocities beyond the surface',
  particles: 'Returns velocities to the particles and moves them',
  energy: 'Lowers velocities and heights to remove energy gained in the substep',
  drain: 'Marks particles in drains for removal',
  [WHOLE_STEP]: 'This engine does not time its stages',
};
