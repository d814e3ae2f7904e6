/** Hands files to the visitor, and the page its turn between the parts of long work. */

/** Milliseconds until the browser has taken over a file that it was given. */
const DOWNLOAD_MS = 60_000;

export function saveFile(blob: Blob, name: string): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  // Some browsers read it only after this task.
  setTimeout(() => URL.revokeObjectURL(link.href), DOWNLOAD_MS);
}

/** Lets the page have its turn; in a hidden tab, too, where timers and frames are rare. */
export function nextTask(): Promise<void> {
  return new Promise((resolve) => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => {
      port1.close();
      resolve();
    };
    port2.postMessage(undefined);
  });
}
