/**
 * Opens error scopes around a test. They stay open until the test ends or destroys the device, even if the test pops
 * more scopes than it pushed.
 */

export interface ErrorScopes {
  begin(): void;
  /** Closes all open scopes, also those that the test left open. Resolves to a line per error that they caught. */
  end(): Promise<string[]>;
}

const SCOPES = ['internal', 'out-of-memory', 'validation'] as const;

export function describeError(scope: string, error: GPUError): string {
  return `${scope} error: ${error.message}`;
}

/** Replaces the device's methods that open or close error scopes. */
export function guardScopes(device: GPUDevice): ErrorScopes {
  const push = device.pushErrorScope.bind(device);
  const pop = device.popErrorScope.bind(device);
  const destroy = device.destroy.bind(device);
  /** The open scopes, outermost first. */
  let open: GPUErrorFilter[] = [];
  let caught: Promise<string | undefined>[] = [];
  const popAll = () => {
    for (const scope of open.reverse()) {
      caught.push(
        pop().then(
          (error) => (error === null ? undefined : describeError(scope, error)),
          () => undefined,
        ),
      );
    }
    open = [];
  };
  device.pushErrorScope = (filter: GPUErrorFilter) => {
    const pushed = push(filter) as undefined;
    open.push(filter);
    return pushed;
  };
  device.popErrorScope = () => {
    if (open.length === SCOPES.length) {
      const message = 'popErrorScope found no scope that the test pushed.';
      return Promise.reject(new DOMException(message, 'OperationError'));
    }
    open.pop();
    return pop();
  };
  // A destroyed device no longer tells what its scopes caught.
  device.destroy = () => {
    popAll();
    return destroy() as undefined;
  };
  return {
    begin() {
      open = [];
      caught = [];
      for (const scope of SCOPES) device.pushErrorScope(scope);
    },
    async end() {
      popAll();
      return (await Promise.all(caught)).filter((line) => line !== undefined);
    },
  };
}
