/** Rapier's 3D engine, for bench:physics and bench:stepping. */
import { loadPeer } from './load';

export const openRapier3d = async () => {
  const { default: rapier } = await loadPeer(
    '@dimforge/rapier3d-compat',
    () => import('@dimforge/rapier3d-compat'),
  );
  await rapier.init();
  return rapier;
};
