import { createHmac, hkdfSync, timingSafeEqual } from 'node:crypto';

/**
 * Signs the cookies of known devices, so that a sign-in from a device that was never given one is recognized without a
 * query. Which accounts a device belongs to is in the database.
 */
export function openDeviceCookies(secretsKey: Buffer) {
  const key = Buffer.from(hkdfSync('sha256', secretsKey, '', 'bursar device cookies', 32));
  const signatureOf = (device: string) => createHmac('sha256', key).update(device).digest();

  return {
    sign: (device: string) => `${device}.${signatureOf(device).toString('base64url')}`,

    /** Returns the device of a cookie, or undefined if this installation has not signed it. */
    read(cookie: string | undefined) {
      const [device = '', signature = ''] = (cookie ?? '').split('.');
      const given = Buffer.from(signature, 'base64url');
      const expected = signatureOf(device);
      return given.length === expected.length && timingSafeEqual(given, expected) ? device : undefined;
    },
  };
}
