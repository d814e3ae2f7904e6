/**
 * A small game on the CPU engine: with the pointer, push the balls through the gaps on the left and on the right. The
 * game uses obstacles that move (the player), `add` (new balls), `remove` (balls that went through) and pair events
 * (flashes where two balls meet).
 */
import { createCpuSimulation, pairEvents } from 'cellstorm/cpu';

const WIDTH = 64;
const HEIGHT = 36;
const GAP = { low: 12, high: 24 };
const PLAYER_RADIUS = 3;
const MOST_BALLS = 120;

// Walls with gaps, made of boxes. `half` is half of a box's width and half of its height.
const walls = [0.5, WIDTH - 0.5].flatMap((x) => [
  { centre: [x, GAP.low / 2], half: [0.5, GAP.low / 2] },
  { centre: [x, (GAP.high + HEIGHT) / 2], half: [0.5, (HEIGHT - GAP.high) / 2] },
]);

const simulation = createCpuSimulation({
  dimensions: 2,
  min: [-6, 0],
  max: [WIDTH + 6, HEIGHT],
  radiusRange: { smallest: 0.5, largest: 1.5 },
  capacity: MOST_BALLS,
  boxes: true,
  obstacleCapacity: walls.length + 1,
  restitution: 0.6,
  friction: 0.1,
  gravity: [0, 0],
});
const player = { x: WIDTH / 2, y: 6 };
const target = { ...player };
const flashes: { x: number; y: number; age: number }[] = [];
let contacts = simulation.findPairs();
let score = 0;

const canvas = document.querySelector('canvas') as HTMLCanvasElement;
const status = document.querySelector('#status') as HTMLElement;
const context = canvas.getContext('2d') as CanvasRenderingContext2D;
canvas.onpointermove = ({ offsetX, offsetY }) => {
  const scale = scaleOf();
  target.x = offsetX / scale;
  target.y = HEIGHT - offsetY / scale;
};

const scaleOf = () => Math.min(canvas.clientWidth / WIDTH, canvas.clientHeight / HEIGHT);

function addBall(): void {
  if (simulation.count === MOST_BALLS) return;
  simulation.add({
    positions: Float32Array.of(WIDTH / 2 + 16 * (Math.random() - 0.5), HEIGHT - 2),
    velocities: Float32Array.of(6 * (Math.random() - 0.5), -6),
    radii: Float32Array.of(0.5 + Math.random()),
  });
}

function movePlayer(dt: number): void {
  // The player follows the pointer, at 40 units per second at most.
  const dx = target.x - player.x;
  const dy = target.y - player.y;
  const share = Math.min(1, (40 * dt) / (Math.hypot(dx, dy) || 1));
  player.x += share * dx;
  player.y += share * dy;
  simulation.setObstacles({
    positions: Float32Array.from([...walls.flatMap(({ centre }) => centre), player.x, player.y]),
    halfExtents: Float32Array.from([...walls.flatMap(({ half }) => half), 0, 0]),
    radii: Float32Array.from([...walls.map(() => 0), PLAYER_RADIUS]),
  });
}

function update(dt: number): void {
  if (Math.random() < dt * 2) addBall();
  movePlayer(dt);
  simulation.step(dt);

  const { ids, positions } = simulation.read();
  const through = [...ids].filter((_, i) => {
    const x = positions[2 * i] as number;
    return x < -1 || x > WIDTH + 1;
  });
  if (through.length > 0) simulation.remove(through);
  score += through.length;

  const found = simulation.findPairs();
  const { begun } = pairEvents(contacts, found);
  contacts = found;
  const slotOf = new Map([...ids].map((id, slot) => [id, slot]));
  for (let pair = 0; pair < begun.count; pair++) {
    const a = slotOf.get(begun.pairs[2 * pair] as number) as number;
    const b = slotOf.get(begun.pairs[2 * pair + 1] as number) as number;
    const middle = (axis: number) =>
      ((positions[2 * a + axis] as number) + (positions[2 * b + axis] as number)) / 2;
    flashes.push({ x: middle(0), y: middle(1), age: 0 });
  }
}

function draw(dt: number): void {
  canvas.width = canvas.clientWidth * devicePixelRatio;
  canvas.height = canvas.clientHeight * devicePixelRatio;
  const scale = scaleOf() * devicePixelRatio;
  context.setTransform(scale, 0, 0, -scale, 0, HEIGHT * scale);
  const disc = (x: number, y: number, radius: number) => {
    context.beginPath();
    context.arc(x, y, radius, 0, 2 * Math.PI);
    context.fill();
  };
  context.fillStyle = '#3a4450';
  for (const { centre, half } of walls) {
    const [x, y, width, height] = [...centre, ...half] as [number, number, number, number];
    context.fillRect(x - width, y - height, 2 * width, 2 * height);
  }
  const { positions, radii } = simulation.read();
  for (let i = 0; i < simulation.count; i++) {
    const radius = radii?.[i] as number;
    context.fillStyle = `hsl(${200 + 90 * (radius - 0.5)} 80% 60%)`;
    disc(positions[2 * i] as number, positions[2 * i + 1] as number, radius);
  }
  context.fillStyle = '#f5b942';
  disc(player.x, player.y, PLAYER_RADIUS);
  for (const flash of flashes) {
    context.fillStyle = `rgb(255 255 255 / ${1 - flash.age / 0.3})`;
    disc(flash.x, flash.y, 0.25 + 2 * flash.age);
    flash.age += dt;
  }
  while (flashes[0] !== undefined && flashes[0].age >= 0.3) flashes.shift();
}

for (let i = 0; i < 30; i++) addBall();
let last = performance.now();
function frame(now: number): void {
  const dt = Math.min(Math.max(now - last, 1), 33) / 1000;
  last = now;
  update(dt);
  draw(dt);
  status.textContent = `Push the balls through the gaps. Score ${score}, ${simulation.count} balls.`;
  requestAnimationFrame(frame);
}
requestAnimationFrame(frame);
