import { once } from 'node:events';
import http from 'node:http';
import https from 'node:https';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

export type Received = { headers: Record<string, string>; body: string; at: number };
type Respond = (response: http.ServerResponse, received: Received) => void;

/** A self-signed certificate of hooks.example.com, for tests only. */
export const testCertificate = `-----BEGIN CERTIFICATE-----
MIIBrjCCAVOgAwIBAgIUVCmW+34gQ8tUl4RIM83XcpFBk8IwCgYIKoZIzj0EAwIw
HDEaMBgGA1UEAwwRaG9va3MuZXhhbXBsZS5jb20wIBcNMjYxMTE4MjA0NzI0WhgP
MjEyNjEwMjUyMDQ3MjRaMBwxGjAYBgNVBAMMEWhvb2tzLmV4YW1wbGUuY29tMFkw
EwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEdE7n3DKZIPseqz2/6fRu0R1UY3/e2eyW
W2HJgeRd2feiq08+WOGqQ0EPk9VhJavII6x9wFNXBZp1tUB8vq5XD6NxMG8wHQYD
VR0OBBYEFBP0W4mF1EC3CFCuXxJkW1GXPSwmMB8GA1UdIwQYMBaAFBP0W4mF1EC3
CFCuXxJkW1GXPSwmMA8GA1UdEwEB/wQFMAMBAf8wHAYDVR0RBBUwE4IRaG9va3Mu
ZXhhbXBsZS5jb20wCgYIKoZIzj0EAwIDSQAwRgIhAJ9loDaVrg7y0Mrxe4gCvM4i
52+zpAAnU9GFE5vb7o3sAiEAihn3JFzG8t75x2uGiUU/zB/bRrXHUEY6NaraQF6Z
eOw=
-----END CERTIFICATE-----
`;
const testKey = `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQg+oe/L5AZBBp4xl0O
QWzC4H8BxK/grZG0t1LPGkuIeLShRANCAAR0TufcMpkg+x6rPb/p9G7RHVRjf97Z
7JZbYcmB5F3Z96KrTz5Y4apDQQ+T1WElq8gjrH3AU1cFmnW1QHy+rlcP
-----END PRIVATE KEY-----
`;

/** Starts a receiver of webhooks on loopback, until the test ends. It answers 204 unless told otherwise. */
export async function startReceiver({ tls = false } = {}) {
  const received: Received[] = [];
  const receiver = { respond: ((response) => response.writeHead(204).end()) as Respond };
  const receive = async (request: http.IncomingMessage, response: http.ServerResponse) => {
    const parts: Buffer[] = [];
    for await (const part of request as AsyncIterable<Buffer>) parts.push(part);
    const headers = Object.fromEntries(Object.entries(request.headers).map(([name, value]) => [name, String(value)]));
    const message = { headers, body: Buffer.concat(parts).toString(), at: performance.now() };
    received.push(message);
    receiver.respond(response, message);
  };
  const listener: http.RequestListener = (request, response) => void receive(request, response);
  const server = tls
    ? https.createServer({ key: testKey, cert: testCertificate }, listener)
    : http.createServer(listener);
  await once(server.listen(0, '127.0.0.1'), 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return Object.assign(receiver, { received, port, url: `http://127.0.0.1:${port}/hook` });
}
