import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { type ProcessRole, refuseOtherRolesThan } from './roles.ts';

type Source = { url: string; role: ProcessRole; channel: string };

type Handlers = {
  onMessage: (payload: string) => void;
  /** Called after a reconnect. Notifications sent while disconnected are lost. */
  onReconnect: () => void;
  onLostConnection: (error: unknown) => void;
};

/** Listens to a channel on its own connection, and reconnects when it is lost. Throws if the first connection fails. */
export async function listen(source: Source, { onMessage, onReconnect, onLostConnection }: Handlers) {
  const stopping = new AbortController();
  let connection = await open(source, onMessage);

  const run = async () => {
    for (;;) {
      const reason = await Promise.race([connection.lost, aborted(stopping.signal)]);
      await connection.close();
      if (stopping.signal.aborted) return;
      onLostConnection(reason);
      connection = await reopen();
      onReconnect();
    }
  };
  const reopen = async () => {
    for (;;) {
      await pause(500 + Math.random() * 500);
      if (stopping.signal.aborted) return connection;
      try {
        return await open(source, onMessage);
      } catch (error) {
        onLostConnection(error);
      }
    }
  };

  const running = run();
  return {
    async stop() {
      stopping.abort();
      await running;
    },
  };
}

const probeEveryMs = 15_000;

async function open({ url, role, channel }: Source, onMessage: (payload: string) => void) {
  const client = new pg.Client({
    connectionString: url,
    options: `-c role=${role}`,
    connectionTimeoutMillis: 5_000,
    query_timeout: 10_000,
    application_name: 'bursar-listen',
  });
  const { promise: lost, resolve } = Promise.withResolvers<Error | undefined>();
  client.on('error', resolve);
  client.on('end', () => resolve(undefined));
  client.on('notification', ({ payload }) => payload && onMessage(payload));
  const close = () => client.end().catch(() => undefined);
  try {
    await client.connect();
    await refuseOtherRolesThan(role).onConnect(client);
    await client.query(`listen ${pg.escapeIdentifier(channel)}`);
  } catch (error) {
    await close();
    throw error;
  }
  // A connection dropped by the network can look idle for hours: only a query detects it.
  const probe = setInterval(() => void client.query('select 1').catch(resolve), probeEveryMs);
  const stop = () => {
    clearInterval(probe);
    return close();
  };
  return { lost, close: stop };
}

function aborted(signal: AbortSignal) {
  const { promise, resolve } = Promise.withResolvers<undefined>();
  signal.addEventListener('abort', () => resolve(undefined), { once: true });
  return promise;
}
