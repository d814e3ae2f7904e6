/** Marks over the picture, such as the inspector's. */
export interface Marks {
  /** Empty while the marks are off. */
  readonly layers: readonly HTMLCanvasElement[];
  /** Resolves when the marks show the present state. */
  catchUp(): Promise<void>;
  /** Returns a copy with the marks; without marks, the picture itself. */
  laidOver(picture: HTMLCanvasElement): HTMLCanvasElement;
}

/**
 * Returns a copy of the picture with the layer drawn over it. The layer must have the proportions of the picture; its
 * resolution may differ.
 */
export function overlaid(picture: HTMLCanvasElement, layer: HTMLCanvasElement): HTMLCanvasElement {
  const both = document.createElement('canvas');
  const context = both.getContext('2d');
  if (!context) return picture;
  Object.assign(both, { width: picture.width, height: picture.height });
  context.drawImage(picture, 0, 0);
  context.drawImage(layer, 0, 0, both.width, both.height);
  return both;
}

/** Fits a layer to the picture, empties it, and returns its context in CSS pixels. */
export function clearLayer(
  layer: HTMLCanvasElement,
  {
    width,
    height,
    pixelRatio,
  }: { readonly width: number; readonly height: number; readonly pixelRatio: number },
): CanvasRenderingContext2D | undefined {
  const context = layer.getContext('2d');
  if (!context) return undefined;
  const [across, down] = [width, height].map((size) => Math.round(size * pixelRatio)) as [number, number];
  if (layer.width !== across) layer.width = across;
  if (layer.height !== down) layer.height = down;
  context.setTransform(pixelRatio, 0, 0, pixelRatio, 0, 0);
  context.clearRect(0, 0, width, height);
  return context;
}
