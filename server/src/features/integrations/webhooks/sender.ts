import { lookup, type LookupAddress } from 'node:dns';
import http from 'node:http';
import https from 'node:https';
import { isIP, type LookupFunction } from 'node:net';
import { promisify } from 'node:util';
import { type AttemptError, answerStored, type TargetRefusal } from 'contract/integrations-webhooks.ts';
import { isAllowedAddress, refuseUrl, type Targets } from './target.ts';

const longestMs = 5_000;
const longestAnswer = 65_536;

type Resolve = (host: string) => Promise<readonly LookupAddress[]>;

const lookupAll = promisify(lookup);
const resolveAll: Resolve = (host) => lookupAll(host, { all: true, order: 'verbatim' });

type Options = {
  targets: Targets;
  resolve?: Resolve;
  /** Certificates to trust in addition to those of Node.js. */
  ca?: string;
};

type Message = { url: string; headers: Record<string, string>; body: string };

export type Outcome = {
  /** Null if there was no complete answer. */
  status: number | null;
  answer: string | null;
  /** Null if the receiver has the message. */
  error: AttemptError | null;
  durationMs: number;
};

export type Sender = {
  /** Returns why nothing is sent to the URL, with the addresses that its name has now. */
  check: (url: string) => Promise<TargetRefusal | undefined>;
  /** Sends a message and never follows a redirect. Throws only if the signal aborts it. */
  send: (message: Message, signal: AbortSignal) => Promise<Outcome>;
};

/** The name leads to an address that webhooks are not sent to. */
class AddressRefused extends Error {}

/** Opens the only part of the platform that connects to addresses which an administrator has typed. */
export function openSender({ targets, resolve = resolveAll, ca }: Options): Sender {
  const addressesOf = async (host: string) => {
    const addresses = await resolve(host);
    // One private address is enough to refuse: otherwise the connection could fall back to it.
    if (addresses.some(({ address }) => !isAllowedAddress(address, targets))) throw new AddressRefused();
    return addresses;
  };
  /**
   * Node.js connects to exactly the addresses that this returns. Checking them earlier would leave a moment in which
   * the name could change to a private address.
   */
  const checkedLookup: LookupFunction = (host, { all }, callback) => {
    addressesOf(host).then(
      (addresses) => {
        const [first] = addresses;
        if (!first) callback(Object.assign(new Error('The name has no address.'), { code: 'ENOTFOUND' }), '');
        else if (all) callback(null, [...addresses]);
        else callback(null, first.address, first.family);
      },
      (error: unknown) => callback(error instanceof Error ? error : new Error('The name was not resolved.'), ''),
    );
  };

  return {
    async check(text) {
      const url = new URL(text);
      const refusal = refuseUrl(url, targets);
      if (refusal || isIP(url.hostname.replace(/^\[|\]$/g, ''))) return refusal;
      try {
        await addressesOf(url.hostname);
        return undefined;
      } catch (error) {
        // A name that cannot be resolved may be set up later, and is checked again before each connection.
        return error instanceof AddressRefused ? 'WebhookTargetPrivate' : undefined;
      }
    },

    async send({ url, headers, body }, signal) {
      const startedAt = performance.now();
      const timeout = AbortSignal.timeout(longestMs);
      const ended = (outcome: Omit<Outcome, 'durationMs'>): Outcome => ({
        ...outcome,
        durationMs: Math.round(performance.now() - startedAt),
      });
      try {
        const target = new URL(url);
        if (refuseUrl(target, targets)) throw new AddressRefused();
        const options = { lookup: checkedLookup, signal: AbortSignal.any([timeout, signal]), ...(ca && { ca }) };
        const { status, answer } = await exchange(target, options, { headers, body });
        return ended({ status, answer, error: errorOfStatus(status) });
      } catch (error) {
        if (signal.aborted) throw error;
        return ended({ status: null, answer: null, error: timeout.aborted ? 'timed-out' : errorOf(error) });
      }
    },
  };
}

type Connecting = { lookup: LookupFunction; signal: AbortSignal; ca?: string };

async function exchange(target: URL, connecting: Connecting, { headers, body }: Omit<Message, 'url'>) {
  const { request } = target.protocol === 'https:' ? https : http;
  // Each message has its own connection, so that its addresses are always checked.
  const sent = request(target, { ...connecting, agent: false, method: 'POST', headers });
  const answered = new Promise<http.IncomingMessage>((resolve, reject) => {
    sent.once('response', resolve);
    sent.on('error', reject);
  });
  sent.end(body);
  const response = await answered;
  return { status: response.statusCode ?? 0, answer: await readAnswer(response) };
}

/** Reads the answer up to its limit and returns the part that is stored. */
async function readAnswer(response: http.IncomingMessage) {
  const parts: Buffer[] = [];
  let bytes = 0;
  for await (const part of response as AsyncIterable<Buffer>) {
    parts.push(part);
    bytes += part.length;
    if (bytes > longestAnswer) break;
  }
  // PostgreSQL stores no U+0000 in a text.
  return Buffer.concat(parts).toString().replaceAll('\0', '').slice(0, answerStored);
}

function errorOfStatus(status: number): AttemptError | null {
  if (status >= 200 && status < 300) return null;
  return status >= 300 && status < 400 ? 'redirected' : 'status';
}

function errorOf(error: unknown): AttemptError {
  if (error instanceof AddressRefused) return 'address-refused';
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  if (/^(ENOTFOUND|EAI_)/.test(code)) return 'name-not-found';
  return /CERT|SIGNATURE|TLS|SSL/.test(code) ? 'certificate-invalid' : 'connection-failed';
}
