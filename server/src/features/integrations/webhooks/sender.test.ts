import type { LookupAddress } from 'node:dns';
import type { ServerResponse } from 'node:http';
import { expect, test } from 'vitest';
import { startReceiver, testCertificate } from '#server/core/testing/receiver.ts';
import { openSender } from './sender.ts';

const never = new AbortController().signal;
const message = (url: string) => ({ url, headers: { 'content-type': 'application/json' }, body: '{"a":1}' });
const local = openSender({ targets: 'local' });

const loopback: LookupAddress = { address: '127.0.0.1', family: 4 };
const publicAddress: LookupAddress = { address: '93.184.216.34', family: 4 };

/** Resolves every name to the next of these addresses, and counts how often it is asked. */
function resolverOf(...answers: LookupAddress[][]) {
  const asked: string[] = [];
  const resolve = async (host: string) => {
    asked.push(host);
    return answers[Math.min(asked.length, answers.length) - 1] ?? [];
  };
  return { asked, resolve };
}

test('a message arrives with its headers and body, and the answer is returned', async () => {
  const receiver = await startReceiver();
  receiver.respond = (response) => response.writeHead(200).end('thanks\0');
  const outcome = await local.send(message(receiver.url), never);
  expect(outcome).toEqual({ status: 200, answer: 'thanks', error: null, durationMs: expect.any(Number) });
  expect(receiver.received[0]).toMatchObject({ body: '{"a":1}', headers: { 'content-type': 'application/json' } });
});

test('a name that changes to a private address after it was checked is not connected to', async () => {
  const receiver = await startReceiver();
  const { resolve, asked } = resolverOf([publicAddress], [loopback]);
  const sender = openSender({ targets: 'public', resolve });
  const url = `https://hooks.example.com:${receiver.port}/`;
  expect(await sender.check(url)).toBeUndefined();
  expect(await sender.send(message(url), never)).toMatchObject({ status: null, error: 'address-refused' });
  expect(asked).toHaveLength(2);
  expect(receiver.received).toEqual([]);
});

test('the address that was checked is the one that is connected to: the name is resolved once for a message', async () => {
  const receiver = await startReceiver({ tls: true });
  // A second resolution would lead to an address that answers nothing.
  const { resolve, asked } = resolverOf([loopback], [publicAddress]);
  const sender = openSender({ targets: 'local', resolve, ca: testCertificate });
  const outcome = await sender.send(message(`https://hooks.example.com:${receiver.port}/`), never);
  expect(outcome).toMatchObject({ status: 204, error: null });
  expect(asked).toEqual(['hooks.example.com']);
  expect(receiver.received[0]?.headers['host']).toBe(`hooks.example.com:${receiver.port}`);
});

test('a certificate that is not trusted, or is of another name, is refused', async () => {
  const receiver = await startReceiver({ tls: true });
  const { resolve } = resolverOf([loopback]);
  const send = (host: string, ca?: string) =>
    openSender({ targets: 'local', resolve, ...(ca && { ca }) }).send(
      message(`https://${host}:${receiver.port}/`),
      never,
    );
  expect(await send('hooks.example.com')).toMatchObject({ error: 'certificate-invalid' });
  expect(await send('other.example.com', testCertificate)).toMatchObject({ error: 'certificate-invalid' });
  expect(receiver.received).toEqual([]);
});

test('a redirect is not followed', async () => {
  const [receiver, target] = [await startReceiver(), await startReceiver()];
  for (const status of [301, 302, 307, 308]) {
    receiver.respond = (response) => response.writeHead(status, { location: target.url }).end();
    expect(await local.send(message(receiver.url), never)).toMatchObject({ status, error: 'redirected' });
  }
  expect(target.received).toEqual([]);
});

test('an answer that is no success is a failure with its status', async () => {
  const receiver = await startReceiver();
  for (const status of [400, 404, 410, 429, 500, 503]) {
    receiver.respond = (response) => response.writeHead(status).end('no');
    expect(await local.send(message(receiver.url), never)).toMatchObject({ status, answer: 'no', error: 'status' });
  }
});

test('a receiver that never answers, or answers one byte a second, is left after 5 seconds in all', async () => {
  const answerSlowly = (response: ServerResponse) => {
    response.writeHead(200);
    const timer = setInterval(() => response.write('.'), 1_000);
    response.on('close', () => clearInterval(timer));
  };
  const outcomes = await Promise.all(
    [() => undefined, answerSlowly].map(async (respond) => {
      const receiver = await startReceiver();
      receiver.respond = respond;
      return local.send(message(receiver.url), never);
    }),
  );
  for (const outcome of outcomes) {
    expect(outcome).toMatchObject({ status: null, error: 'timed-out' });
    expect(outcome.durationMs).toBeGreaterThan(4_900);
    expect(outcome.durationMs).toBeLessThan(8_000);
  }
}, 20_000);

test('an answer is read up to 64 KB, and its first 2 KB are kept', async () => {
  const receiver = await startReceiver();
  let sentBytes = 0;
  receiver.respond = (response) => {
    response.writeHead(200);
    const more = () => {
      while (!response.destroyed && sentBytes < 50_000_000) {
        sentBytes += 10_000;
        if (!response.write('x'.repeat(10_000))) return void response.once('drain', more);
      }
    };
    more();
  };
  const outcome = await local.send(message(receiver.url), never);
  expect(outcome).toMatchObject({ status: 200, error: null });
  expect(outcome.answer).toHaveLength(2_048);
  // The rest is in the buffers of the system at most.
  expect(sentBytes).toBeLessThan(20_000_000);
});

test('an unknown name, a closed port and an address in the stored URL that is private are failures', async () => {
  const gone = openSender({
    targets: 'public',
    resolve: async () => {
      throw Object.assign(new Error('unknown'), { code: 'ENOTFOUND' });
    },
  });
  expect(await gone.send(message('https://hooks.example.com/'), never)).toMatchObject({ error: 'name-not-found' });
  expect(await local.send(message('http://127.0.0.1:1/'), never)).toMatchObject({ error: 'connection-failed' });
  const publicOnly = openSender({ targets: 'public' });
  expect(await publicOnly.send(message('https://127.0.0.1/'), never)).toMatchObject({ error: 'address-refused' });
});

test('a message that the shutdown interrupts has no outcome', async () => {
  const receiver = await startReceiver();
  const stopping = new AbortController();
  receiver.respond = () => stopping.abort(new Error('shutting down'));
  await expect(local.send(message(receiver.url), stopping.signal)).rejects.toThrow('aborted');
});
