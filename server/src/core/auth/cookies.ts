import type { FastifyReply, FastifyRequest } from 'fastify';
import { networkOf } from './networks.ts';
import type { Client } from './sessions.ts';
import { readSignedCookie, signCookie } from './signed-cookies.ts';

export const sessionCookie = '__Host-bursar';
const deviceCookie = '__Host-bursar-device';

/** The attributes that the `__Host-` prefix requires. Scripts and other sites cannot use the cookie. */
export const hostOnly = { path: '/', secure: true, httpOnly: true, sameSite: 'strict' } as const;

type Given = { value: string; seconds?: number };

export function setCookie(reply: FastifyReply, name: string, { value, seconds }: Given) {
  reply.setCookie(name, value, { ...hostOnly, ...(seconds && { maxAge: seconds }) });
}

const deviceSeconds = 180 * 86_400;

type Started = { token: string; cookie: string | undefined };

export function sendToken(reply: FastifyReply, { token, cookie }: Started) {
  if (cookie) setCookie(reply, sessionCookie, { value: cookie });
  return { token };
}

/** Sends a session that was started with a password or by single sign-on, and makes the browser a known device. */
export function sendSession(reply: FastifyReply, started: Started & { device: string | undefined }) {
  const { device } = started;
  if (device) setCookie(reply, deviceCookie, { value: signCookie('device cookies', device), seconds: deviceSeconds });
  return sendToken(reply, started);
}

/** A browser always sends one of these headers, and no page can prevent that. */
export function clientOf({ headers, ip }: FastifyRequest): Client {
  const browser = headers.origin !== undefined || headers['sec-fetch-site'] !== undefined;
  return { browser, network: networkOf(ip), device: (headers['user-agent'] ?? 'unknown').slice(0, 200) };
}

/** Returns the device that this installation has given the browser, if it has. */
export const deviceOf = ({ cookies }: FastifyRequest) => readSignedCookie('device cookies', cookies[deviceCookie]);
