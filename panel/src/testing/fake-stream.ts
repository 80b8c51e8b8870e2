import { LiveEvent } from 'contract/events.ts';
import { z } from 'zod';

/** The open streams of live updates, as the server would keep them. */
export function createFakeStreams() {
  const open = new Set<ReadableStreamDefaultController<Uint8Array>>();
  const encoder = new TextEncoder();
  const emitted: Uint8Array[] = [];
  return {
    respond(signal: AbortSignal | null | undefined) {
      const body = new ReadableStream<Uint8Array>({
        start(controller) {
          open.add(controller);
          for (const message of emitted) controller.enqueue(message);
          signal?.addEventListener('abort', () => {
            if (open.delete(controller)) controller.error(signal.reason);
          });
        },
      });
      return new Response(body, { headers: { 'content-type': 'text/event-stream' } });
    },
    emit(event: LiveEvent) {
      const message = encoder.encode(`data: ${JSON.stringify(z.encode(LiveEvent, event))}\n\n`);
      emitted.push(message);
      for (const controller of open) controller.enqueue(message);
    },
  };
}
