import { createHmac, hkdfSync, timingSafeEqual } from 'node:crypto';

/**
 * Signs the values of one kind of cookie, so that a value which this installation has not made is recognized without a
 * query. A value has no dots.
 */
export function openSignedCookies(secretsKey: Buffer, purpose: 'devices' | 'single sign-on') {
  const key = Buffer.from(hkdfSync('sha256', secretsKey, '', `bursar cookies: ${purpose}`, 32));
  const signatureOf = (value: string) => createHmac('sha256', key).update(value).digest();

  return {
    sign: (value: string) => `${value}.${signatureOf(value).toString('base64url')}`,

    /** Returns the value of a cookie, or undefined if this installation has not signed it. */
    read(cookie: string | undefined) {
      const [value = '', signature = ''] = (cookie ?? '').split('.');
      const given = Buffer.from(signature, 'base64url');
      const expected = signatureOf(value);
      return given.length === expected.length && timingSafeEqual(given, expected) ? value : undefined;
    },
  };
}
