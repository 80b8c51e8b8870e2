import { createServer } from 'node:net';

const tries = 50;

/** Returns the wanted port or the next free one, or any free port if none is wanted. Fails after 50 ports. */
export async function freePort(wanted?: number): Promise<number> {
  if (wanted === undefined) return listenOnce(0);
  for (let port = wanted; port < wanted + tries; port += 1) {
    const taken = await listenOnce(port).catch(() => undefined);
    if (taken !== undefined) return taken;
  }
  throw new Error(`No free port between ${wanted} and ${wanted + tries - 1}.`);
}

function listenOnce(port: number): Promise<number> {
  const probe = createServer();
  return new Promise((resolve, reject) => {
    probe.once('error', reject);
    probe.listen(port, '127.0.0.1', () => {
      const address = probe.address();
      probe.close(() => {
        if (typeof address === 'object' && address) resolve(address.port);
        else reject(new Error('The probe has no port.'));
      });
    });
  });
}
