/** Examples of choices. scripts/presets.ts takes their pictures. */

export interface Preset {
  /** Also names the picture: presets/<name>.webp. */
  readonly name: string;
  readonly title: string;
  readonly text: string;
  readonly alt: string;
  /** The choices, in the format of writeLink(). */
  readonly link: string;
  /** The choices if the processor does the work, with as many particles as move smoothly there. Default: `link`. */
  readonly small?: string;
}

/** Examples that need a GPU to move smoothly at full size. They come first and have larger cards. */
export const LEADING_PRESETS: readonly Preset[] = [
  {
    name: 'million',
    title: 'A million discs',
    text: 'A pile of discs falls over. Eight times per step, the grid finds every contact.',
    alt: 'A wide heap of discs too small to tell apart, quickest at its front.',
    link: 'v=1&count=1000000',
    small: 'v=1&count=12000',
  },
  {
    name: 'sizes',
    title: 'Sizes 1 to 64',
    text: 'Discs of radius 1 to 2 cover about as much area as those of 2 to 4, 4 to 8 and so on. One grid with cells of several sizes finds all contacts.',
    alt: 'Blocks of discs that range from dust to plates fall on each other.',
    link: 'v=1&scene=mixed-wide&count=16000&seed=4',
    small: 'v=1&scene=mixed-wide&count=3000&seed=4',
  },
  {
    name: 'bullets',
    title: 'Bullets and a wall',
    text: 'Balls fly 50 to 62 diameters per 1/60 s, here in slow motion. None passes; with Continuous off, most do.',
    alt: 'Balls pile up before a thin grey wall of balls, with nothing behind it.',
    link: 'v=1&scene=bullets&dimensions=3&count=10000&timeScale=0.05',
    small: 'v=1&scene=bullets&dimensions=3&count=200&timeScale=0.05',
  },
  {
    name: 'hourglass',
    title: 'Hourglass',
    text: 'Grains run through the neck. When all are through, the glass turns over.',
    alt: 'Grains fall in a stream from the upper half of a glass upon a heap below.',
    link: 'v=1&scene=hourglass&count=20000',
    small: 'v=1&scene=hourglass&count=2000',
  },
  {
    name: 'wave-tank',
    title: 'Wave tank',
    text: 'A paddle drives waves of a FLIP fluid, which break on a beach.',
    alt: 'Waves run through a tank of water from a grey paddle to a beach.',
    link: 'v=1&scene=wave-tank&dimensions=3&count=100000',
    small: 'v=1&scene=wave-tank&count=3000',
  },
  {
    name: 'murmuration',
    title: 'Murmuration',
    text: 'Birds follow their neighbours in 3D and flee from a hunter.',
    alt: 'A hollow ball of birds, yellow where birds flee.',
    link: 'v=1&scene=murmuration&dimensions=3&count=100000',
    small: 'v=1&scene=murmuration&dimensions=3&count=5000',
  },
];

export const MORE_PRESETS: readonly Preset[] = [
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
    name: 'splash',
    title: 'Splash',
    text: 'A position-based fluid leaps over a step and returns.',
    alt: 'Drops fly from a wave that has met a grey ball and a step.',
    link: 'v=1&scene=splash&count=20000',
    small: 'v=1&scene=splash&count=2000',
  },
  {
    name: 'life',
    title: 'Particle life',
    text: 'Each species follows the next. Shapes form that move by themselves.',
    alt: 'Small clusters, each of several colours, on a dark ground.',
    link: 'v=1&scene=particle-life&count=20000',
    small: 'v=1&scene=particle-life&count=3000',
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
    text: 'A block of spheres collapses. Drag to turn it.',
    alt: 'A block of shaded spheres gives way to one side of its box.',
    link: 'v=1&dimensions=3&count=20000&boxWidth=2',
    small: 'v=1&dimensions=3&count=3000&boxWidth=2',
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
];

/** The card that leads to the lockstep page. */
export const LOCKSTEP = {
  name: 'lockstep',
  title: 'Lockstep',
  text: 'The GPU and the CPU engine get your inputs, and stay equal to the last bit.',
  alt: 'Two equal pictures of discs, and the word Equal above them.',
  page: './lockstep.html',
} as const;

export const PRESETS: readonly Preset[] = [...LEADING_PRESETS, ...MORE_PRESETS];
