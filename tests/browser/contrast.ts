/** Runs in the page, so it uses nothing outside its own body. Returns the visible texts with a contrast below 4.5. */
export function findPoorContrast(): string[] {
  type Colour = readonly number[];
  const parse = (text: string): Colour => {
    const [red = 0, green = 0, blue = 0, opacity = 1] = (text.match(/[\d.]+/g) ?? []).map(Number);
    return text === 'none' ? [0, 0, 0, 0] : [red, green, blue, opacity];
  };
  const over = (front: Colour, back: Colour): Colour => {
    const share = front[3] ?? 1;
    return [0, 1, 2].map((channel) => share * (front[channel] ?? 0) + (1 - share) * (back[channel] ?? 0));
  };
  const fade = ([red = 0, green = 0, blue = 0, opacity = 1]: Colour, by: string): Colour => [
    ...[red, green, blue],
    opacity * Number(by),
  ];
  const luminance = (colour: Colour) => {
    const [red = 0, green = 0, blue = 0] = colour.slice(0, 3).map((channel) => {
      const share = channel / 255;
      return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  };
  const backgroundOf = (element: Element | null): Colour => {
    if (!element) return [255, 255, 255];
    const own = parse(getComputedStyle(element).backgroundColor);
    return (own[3] ?? 1) > 0.99 ? own : over(own, backgroundOf(element.parentElement));
  };
  /** Returns the colour of a text's outline or, if there is none, of the shapes and the page behind its middle. */
  const behindDrawn = (text: SVGElement): Colour => {
    const { stroke, strokeWidth, paintOrder } = getComputedStyle(text);
    if (stroke !== 'none' && Number.parseFloat(strokeWidth) > 0 && paintOrder.startsWith('stroke')) {
      return parse(stroke);
    }
    const { left, top, width, height } = text.getBoundingClientRect();
    const found = document.elementsFromPoint(left + width / 2, top + height / 2);
    const layers: Colour[] = [];
    for (const element of found.slice(found.indexOf(text) + 1)) {
      if (!(element instanceof SVGElement) || element instanceof SVGSVGElement) {
        return layers.reduceRight((back, front) => over(front, back), backgroundOf(element));
      }
      const { fill, fillOpacity } = getComputedStyle(element);
      if (element.tagName !== 'text') layers.push(fade(parse(fill), fillOpacity));
    }
    return layers.reduceRight((back, front) => over(front, back), backgroundOf(text.closest('svg')));
  };
  const poor: string[] = [];
  for (const element of document.querySelectorAll('body *')) {
    const text = [...element.childNodes].some((node) => node.nodeType === 3 && node.textContent?.trim());
    if (!text || element.closest('.unseen') || !element.checkVisibility()) continue;
    const isDrawn = element instanceof SVGElement;
    if (isDrawn) element.scrollIntoView({ block: 'center' });
    const { width, height } = element.getBoundingClientRect();
    if (width < 2 || height < 2) continue;
    const style = getComputedStyle(element);
    const back = isDrawn ? behindDrawn(element) : backgroundOf(element);
    const front = over(fade(parse(isDrawn ? style.fill : style.color), style.opacity), back);
    const [high = 0, low = 0] = [luminance(front), luminance(back)].sort((first, second) => second - first);
    const contrast = (high + 0.05) / (low + 0.05);
    if (contrast < 4.5) poor.push(`${element.tagName} "${element.textContent}" ${contrast.toFixed(2)}`);
  }
  return poor;
}
