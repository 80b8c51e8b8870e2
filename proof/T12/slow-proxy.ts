import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';

/** Forwards connections to a port of this machine, and holds back each piece of data for a time that can be changed. */
export async function openSlowProxy(port: number) {
  const sockets = new Set<Socket>();
  let delayMs = 0;
  const server = createServer((client) => {
    const target = connect(port, '127.0.0.1');
    forward(client, target);
    forward(target, client);
  });

  function forward(from: Socket, to: Socket) {
    sockets.add(from);
    // Pieces stay in their order, because each waits for the one before.
    let before: Promise<unknown> = Promise.resolve();
    const after = (act: () => void) => {
      const isDue = wait(delayMs);
      before = before.then(() => isDue).then(act);
    };
    from.on('data', (piece) => after(() => void (to.destroyed || to.write(piece))));
    from.on('end', () => after(() => to.end()));
    from.on('error', () => to.destroy());
    from.on('close', () => sockets.delete(from));
  }

  await once(server.listen(0, '127.0.0.1'), 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    /** Delays requests and responses so that a round trip takes so much longer. */
    slowBy(roundTripMs: number) {
      delayMs = roundTripMs / 2;
    },
    close() {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}
