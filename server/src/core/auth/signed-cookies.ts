import { fitsKeyedHash, keyedHash } from '#server/core/keys.ts';

type Purpose = Extract<Parameters<typeof keyedHash>[0], `${string} cookies`>;

/** Signs the value of a cookie. A value has no dots. */
export const signCookie = (purpose: Purpose, value: string) =>
  `${value}.${keyedHash(purpose, value).toString('base64url')}`;

/** Returns the value of a cookie, or undefined if this installation has not signed it. Needs no query. */
export function readSignedCookie(purpose: Purpose, cookie: string | undefined) {
  const [value = '', signature = ''] = (cookie ?? '').split('.');
  return fitsKeyedHash(purpose, value, Buffer.from(signature, 'base64url')) ? value : undefined;
}
