import { type ClientHttp2Session, connect, type IncomingHttpHeaders } from 'node:http2';
import { setTimeout as wait } from 'node:timers/promises';

type Sent = { body?: unknown; method?: string };
export type Visitor = ReturnType<typeof openVisitor>;

const patienceMs = 10_000;

/** Opens a client that looks like a browser to the server: HTTP/2, an origin and cookies. */
export function openVisitor(address: string) {
  const cookies = new Map<string, string>();
  let token = '';
  let session: ClientHttp2Session | undefined;

  const connection = () => {
    if (session && !session.closed && !session.destroyed) return session;
    session = connect(address, { rejectUnauthorized: false, servername: 'bursar.example.com' });
    session.on('error', () => undefined);
    return session;
  };
  const headersFor = (method: string, path: string) => ({
    ':method': method,
    ':path': path,
    origin: address,
    cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; '),
    ...(token && { authorization: `Bearer ${token}` }),
  });
  const keep = (headers: IncomingHttpHeaders) => {
    for (const line of headers['set-cookie'] ?? []) {
      const [pair = ''] = line.split(';');
      cookies.set(pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1));
    }
  };

  async function call(path: string, { body, method = body === undefined ? 'GET' : 'POST' }: Sent = {}) {
    const stream = connection().request({ ...headersFor(method, path), 'content-type': 'application/json' });
    const answered = Promise.withResolvers<IncomingHttpHeaders & { ':status'?: number }>();
    stream.on('response', answered.resolve).on('error', answered.reject);
    stream.setTimeout(patienceMs, () => stream.close());
    stream.on('close', () => answered.reject(new Error(`${path} was not answered.`)));
    stream.end(body === undefined ? undefined : JSON.stringify(body));
    const headers = await answered.promise;
    keep(headers);
    let text = '';
    for await (const chunk of stream.setEncoding('utf8')) text += String(chunk);
    const json: unknown = text.startsWith('{') ? JSON.parse(text) : {};
    const found = json as Record<string, unknown>;
    if (typeof found['token'] === 'string') token = found['token'];
    return { status: headers[':status'], json: found, text };
  }

  /** Opens the stream of live updates. `status` is undefined if no headers arrive within `withinMs`. */
  async function openStream(withinMs: number) {
    const started = performance.now();
    const stream = connection().request({ ...headersFor('GET', '/api/events'), accept: 'text/event-stream' });
    let text = '';
    stream.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk;
    });
    stream.on('error', () => undefined);
    const answered = new Promise<number | undefined>((resolve) => {
      stream.on('response', (headers: { ':status'?: number }) => resolve(headers[':status']));
    });
    const status = await Promise.race([answered, wait(withinMs, undefined, { ref: false })]);
    return {
      status,
      ms: Math.round(performance.now() - started),
      async hears(wanted: string, ms = 2_000) {
        for (const latest = performance.now() + ms; performance.now() < latest; await wait(10)) {
          if (text.includes(wanted)) return true;
        }
        return false;
      },
      close: () => stream.close(),
    };
  }

  return { call, openStream, cookies, close: () => session?.destroy() };
}
