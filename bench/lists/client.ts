import { Agent, get } from 'node:http';

export type Address = { path: string; query: Record<string, string> };

/** Opens one keep-alive connection. `ask` returns the response and the time until its last byte; fails unless 200. */
export function openClient(address: string, token: string) {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const options = { agent, headers: { authorization: `Bearer ${token}` } };
  return {
    ask: async (path: string) => {
      const started = performance.now();
      const { status, text } = await fetchText(`${address}${path}`, options);
      const ms = performance.now() - started;
      if (status !== 200) throw new Error(`${path} was answered with ${status}: ${text}`);
      return { ms, text };
    },
    close: () => agent.destroy(),
  };
}

/** Requests no compression: it costs the same at every size and would hide part of the growth. */
function fetchText(url: string, options: { agent: Agent; headers: Record<string, string> }) {
  return new Promise<{ status: number | undefined; text: string }>((resolve, reject) => {
    get(url, options, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('end', () => resolve({ status: response.statusCode, text: Buffer.concat(chunks).toString() }));
      response.on('error', reject);
    }).on('error', reject);
  });
}
