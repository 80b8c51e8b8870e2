type Request = { number: number; opened: boolean };

let request: Request = { number: 0, opened: false };
let settle: ((proved: boolean) => void) | undefined;
let pending: Promise<boolean> | undefined;
const listeners = new Set<() => void>();

function show(next: Request) {
  request = next;
  for (const listener of listeners) listener();
}

/** Asks the administrator to prove again who they are. Calls that arrive meanwhile share the request. */
export function requestStepUp() {
  if (pending) return pending;
  const { promise, resolve } = Promise.withResolvers<boolean>();
  pending = promise;
  settle = resolve;
  show({ number: request.number + 1, opened: true });
  return promise;
}

export function finishStepUp(proved: boolean) {
  settle?.(proved);
  pending = undefined;
  settle = undefined;
  show({ ...request, opened: false });
}

export function onStepUpRequest(listener: () => void) {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

export const currentStepUpRequest = () => request;
