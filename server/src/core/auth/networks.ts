import { isIPv6 } from 'node:net';

/** Returns the network that shares a limit: an attacker can get a whole /24 or /64 as easily as one address. */
export function networkOf(address: string) {
  const plain = unmapped(address);
  return isIPv6(plain) ? prefixOf(plain, 4) : `${plain.split('.').slice(0, 3).join('.')}.0/24`;
}

/** Returns the /48 of an IPv6 address, which one customer of a provider often gets: it has 65,536 networks. */
export function siteOf(address: string) {
  const plain = unmapped(address);
  return isIPv6(plain) ? prefixOf(plain, 3) : undefined;
}

/** Returns the IPv4 address that a socket for both versions shows as an IPv6 address. */
const unmapped = (address: string) => /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1] ?? address;

function prefixOf(address: string, groups: number) {
  const [head = '', tail = ''] = address.split('%')[0]?.split('::') ?? [];
  const before = head === '' ? [] : head.split(':');
  const after = tail === '' ? [] : tail.split(':');
  const full = address.includes('::')
    ? [...before, ...Array<string>(8 - before.length - after.length).fill('0'), ...after]
    : before;
  const prefix = full.slice(0, groups).map((group) => Number.parseInt(group || '0', 16).toString(16));
  return `${prefix.join(':')}::/${groups * 16}`;
}
