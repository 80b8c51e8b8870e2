import { expect, test } from 'vitest';
import { networkOf, siteOf } from './networks.ts';

test.each([
  ['192.168.7.9', '192.168.7.0/24', undefined],
  ['::ffff:192.168.7.9', '192.168.7.0/24', undefined],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64', '2001:db8:1::/48'],
  ['2001:0DB8:1:2::9', '2001:db8:1:2::/64', '2001:db8:1::/48'],
  ['2001:db8::9', '2001:db8:0:0::/64', '2001:db8:0::/48'],
  ['::1', '0:0:0:0::/64', '0:0:0::/48'],
  ['fe80::1%eth0', 'fe80:0:0:0::/64', 'fe80:0:0::/48'],
])('%s is in the network %s and the site %s', (address, network, site) => {
  expect(networkOf(address)).toBe(network);
  expect(siteOf(address)).toBe(site);
});
