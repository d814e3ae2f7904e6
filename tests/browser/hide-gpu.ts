/**
 * Runs in the page before its scripts. Hides navigator.gpu from the workers that the page starts. The test must bypass
 * the page's content policy.
 */
export function hideWebGpu(): void {
  const hide = 'Object.defineProperty(navigator, "gpu", { value: undefined })';
  window.Worker = class extends Worker {
    constructor(url: string | URL, options?: WorkerOptions) {
      // Static imports run in order, before the worker gets its first message.
      const code = [`data:text/javascript,${encodeURIComponent(hide)}`, String(url)]
        .map((part) => `import ${JSON.stringify(part)};`)
        .join('');
      super(URL.createObjectURL(new Blob([code], { type: 'text/javascript' })), options);
    }
  };
}
