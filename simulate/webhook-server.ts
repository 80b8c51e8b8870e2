import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { PlatformEvent } from '../client/src/events.ts';
import { createVerifier, WebhookRefused } from '../client/src/webhooks.ts';

type Options = {
  port: number;
  secret: string;
  /** The message is answered when this has resolved. */
  onEvent: (event: PlatformEvent) => Promise<void>;
};

/** Listens for webhooks on loopback, and verifies each message. */
export async function listenForEvents({ port, secret, onEvent }: Options) {
  const verify = createVerifier({ secrets: [secret] });

  async function receive(request: IncomingMessage, response: ServerResponse) {
    let body = '';
    for await (const part of request.setEncoding('utf8')) body += String(part);
    await onEvent(verify(body, request.headers));
    response.writeHead(204).end();
  }

  const server = createServer((request, response) => {
    receive(request, response).catch((error: unknown) => {
      console.error(error);
      response.writeHead(error instanceof WebhookRefused ? 400 : 500).end();
    });
  });
  await new Promise<void>((resolve) => {
    server.listen(port, '127.0.0.1', resolve);
  });
}
