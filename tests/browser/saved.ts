import type { Page } from 'puppeteer';

declare global {
  interface Window {
    saved?: { readonly name: string; readonly blob: Blob }[];
  }
}

/** Runs in the page before its scripts: keeps downloads in memory. */
export function keepFiles(): void {
  const blobs = new Map<string, Blob>();
  window.saved = [];
  const create = URL.createObjectURL;
  URL.createObjectURL = (blob: Blob | MediaSource) => {
    const url = create(blob);
    if (blob instanceof Blob) blobs.set(url, blob);
    return url;
  };
  HTMLAnchorElement.prototype.click = function () {
    const blob = blobs.get(this.href);
    if (blob) window.saved?.push({ name: this.download, blob });
  };
}

export async function takeFile(page: Page): Promise<{ readonly name: string; readonly bytes: Uint8Array }> {
  await page.waitForFunction(() => (window.saved?.length ?? 0) > 0);
  const { name, text } = await page.evaluate(async () => {
    const { name, blob } = window.saved?.shift() ?? { name: '', blob: new Blob() };
    const url: string = await new Promise((resolve) => {
      const reader = new FileReader();
      reader.onload = () => resolve(String(reader.result));
      reader.readAsDataURL(blob);
    });
    return { name, text: url.slice(url.indexOf(',') + 1) };
  });
  return { name, bytes: new Uint8Array(Buffer.from(text, 'base64')) };
}
