/** Examples of choices. scripts/presets.ts takes the examples' pictures. */

export interface Preset {
  /** The picture has this name, too: presets/<name>.webp. */
  readonly name: string;
  readonly title: string;
  readonly text: string;
  readonly alt: string;
  /** The choices, in the format of writeLink(). */
  readonly link: string;
}

export const PRESETS: readonly Preset[] = [
  {
    name: 'collapse',
    title: 'Collapse',
    text: '8,000 discs, stacked high, fall over and run out along the floor.',
    alt: 'A heap of discs slides to the right, quickest at its foot.',
    link: 'v=1&count=8000&boxWidth=3&friction=0.1',
  },
  {
    name: 'dam-break',
    title: 'Dam break',
    text: 'A fluid on a lattice: a column of water is released.',
    alt: 'Water runs along the floor of a tank, quickest at its front.',
    link: 'v=1&scene=dam-break&count=6000',
  },
  {
    name: 'fountain',
    title: 'Fountain',
    text: 'Two jets rise and fall into a pool. Particles come and go.',
    alt: 'Arcs of water on both sides of a grey nozzle that stands in a pool.',
    link: 'v=1&scene=fountain&count=5000',
  },
  {
    name: 'murmuration',
    title: 'Murmuration',
    text: '6,000 birds follow their neighbours and flee from a hunter.',
    alt: 'A flock bends around a single grey dot, yellow where birds flee.',
    link: 'v=1&scene=murmuration&count=6000',
  },
  {
    name: 'gas',
    title: 'Gas',
    text: 'Elastic discs without gravity, each with its own velocity.',
    alt: 'Single discs of all colours, far from each other.',
    link: 'v=1&scene=gas&count=2000',
  },
  {
    name: 'space',
    title: 'Spheres',
    text: 'A block of 20,000 spheres collapses. Drag to turn it.',
    alt: 'A block of shaded spheres gives way to one side of its box.',
    link: 'v=1&dimensions=3&count=20000&boxWidth=2',
  },
  {
    name: 'sizes',
    title: 'Many sizes',
    text: 'Radii from 1 to 8 in one grid, with a level for each octave.',
    alt: 'Large and small discs packed together.',
    link: 'v=1&scene=mixed-pile&count=2000',
  },
  {
    name: 'terraces',
    title: 'Terraces',
    text: 'Boxes and balls tumble down steps that never move.',
    alt: 'Boxes and discs lie upon grey steps and fall between them.',
    link: 'v=1&scene=terraces&count=800',
  },
  {
    name: 'pegs',
    title: 'Pegs',
    text: 'Grains trickle through a field of pegs, coloured by contacts.',
    alt: 'Grains between rows of grey pegs.',
    link: 'v=1&scene=obstacles&count=3000&colour=contacts',
  },
  {
    name: 'bullets',
    title: 'Bullets',
    text: 'Discs fly 50 to 62 diameters per 1/60 s, here in slow motion. The wall is one disc thick.',
    alt: 'Discs pile up before a thin grey wall, with nothing behind it.',
    link: 'v=1&scene=bullets&count=800&timeScale=0.05',
  },
  {
    name: 'hourglass',
    title: 'Hourglass',
    text: 'Grains run through the neck; then the glass is turned over.',
    alt: 'Grains fall in a stream from the upper half of a glass upon a heap below.',
    link: 'v=1&scene=hourglass&count=1500',
  },
  {
    name: 'drum',
    title: 'Rotating drum',
    text: 'Lifters carry grains up until they come down in avalanches.',
    alt: 'A ring with short spokes inside, and grains that lie at a slant in it.',
    link: 'v=1&scene=drum&count=1500',
  },
  {
    name: 'brazil-nut',
    title: 'Brazil nuts',
    text: 'A box is shaken. Within a minute the large grains are on top.',
    alt: 'Large discs near the surface of many small ones.',
    link: 'v=1&scene=brazil-nut&count=400',
  },
  {
    name: 'naive',
    title: 'Without the grid',
    text: '3,000 particles, 4,498,500 pairs to test. Then try the grid with 100,000 particles.',
    alt: 'Discs scattered evenly, coloured by how many are near.',
    link: 'v=1&scene=uniform&count=3000&broadPhase=naive&colour=density',
  },
  {
    name: 'million',
    title: 'A million',
    text: 'For a graphics card; a software GPU is too slow.',
    alt: 'A block of discs too small to tell apart, in bands of colour.',
    link: 'v=1&count=1000000&colour=id',
  },
];
