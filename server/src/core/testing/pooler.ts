import { once } from 'node:events';
import { type AddressInfo, connect, createServer } from 'node:net';

/**
 * Opens a proxy to PostgreSQL that acts like some connection poolers: while `dropsOptions` is true, it drops the
 * startup parameter `options`, with which a connection sets its role.
 */
export async function openPooler(url: string) {
  const target = new URL(url);
  const pooler = { dropsOptions: true };
  const server = createServer((client) => {
    const upstream = connect(Number(target.port || 5432), target.hostname);
    const close = () => {
      client.destroy();
      upstream.destroy();
    };
    for (const socket of [client, upstream]) socket.on('error', close).on('close', close);
    client.once('data', (startup: Buffer) => {
      upstream.write(pooler.dropsOptions ? withoutOptions(startup) : startup);
      client.pipe(upstream).pipe(client);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const through = new URL(url);
  through.hostname = '127.0.0.1';
  through.port = String((server.address() as AddressInfo).port);
  return Object.assign(pooler, {
    url: through.href,
    async [Symbol.asyncDispose]() {
      server.close();
    },
  });
}

const protocolBytes = 8;

/** A startup message has its length, the protocol version, and names and values that each end in a zero byte. */
function withoutOptions(startup: Buffer) {
  const fields = startup.subarray(protocolBytes).toString('utf8').split('\0');
  const at = fields.indexOf('options');
  if (at === -1) return startup;
  const body = Buffer.from(fields.toSpliced(at, 2).join('\0'));
  const head = Buffer.from(startup.subarray(0, protocolBytes));
  head.writeInt32BE(protocolBytes + body.length);
  return Buffer.concat([head, body]);
}
