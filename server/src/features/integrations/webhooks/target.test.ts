import { expect, test } from 'vitest';
import { openSender } from './sender.ts';
import { isAllowedAddress, refuseUrl } from './target.ts';

const unreachable = async () => {
  throw new Error('No name is resolved here.');
};
const sender = openSender({ targets: 'public', resolve: unreachable });

/** Spellings that have no valid URL are refused by the contract, before anything looks at them. */
const refused = async (url: string) => (URL.canParse(url) ? await sender.check(url) : 'not a URL');

test.each([
  ['loopback', '127.0.0.1'],
  ['another loopback address', '127.8.9.1'],
  ['loopback without zeros', '127.1'],
  ['loopback in decimal', '2130706433'],
  ['loopback in hexadecimal', '0x7f000001'],
  ['loopback in hexadecimal parts', '0x7f.0x0.0x0.0x1'],
  ['loopback in octal', '0177.0.0.1'],
  ['loopback in one octal number', '017700000001'],
  ['loopback in mixed parts', '0x7f.0.1'],
  ['loopback with a trailing dot', '127.0.0.1.'],
  ['loopback in fullwidth digits', '１２７.0.0.1'],
  ['loopback with circled digits', '①②⑦.⓪.⓪.①'],
  ['loopback with encoded digits', '%31%32%37.0.0.1'],
  ['loopback with ideographic dots', '127。0。0。1'],
  ['this host', '0.0.0.0'],
  ['this host in short', '0'],
  ['this network', '0.1.2.3'],
  ['private ten', '10.0.0.5'],
  ['private ten in hexadecimal', '0xa000005'],
  ['private 172.16', '172.16.0.1'],
  ['private 172.31', '172.31.255.254'],
  ['private 192.168', '192.168.1.1'],
  ['private 192.168 in decimal', '3232235777'],
  ['carrier-grade NAT', '100.64.0.1'],
  ['link-local', '169.254.1.1'],
  ['cloud metadata', '169.254.169.254'],
  ['cloud metadata in decimal', '2852039166'],
  ['cloud metadata in octal', '0251.0376.0251.0376'],
  ['multicast', '224.0.0.1'],
  ['broadcast', '255.255.255.255'],
  ['reserved', '240.0.0.1'],
  ['benchmarking', '198.18.0.1'],
  ['documentation', '192.0.2.1'],
  ['protocol assignments', '192.0.0.1'],
  ['IPv6 loopback', '[::1]'],
  ['IPv6 loopback in full', '[0:0:0:0:0:0:0:1]'],
  ['IPv6 unspecified', '[::]'],
  ['mapped loopback', '[::ffff:127.0.0.1]'],
  ['mapped loopback in hexadecimal', '[::ffff:7f00:1]'],
  ['mapped metadata', '[::ffff:a9fe:a9fe]'],
  ['compatible loopback', '[::127.0.0.1]'],
  ['translated loopback', '[64:ff9b::7f00:1]'],
  ['locally translated loopback', '[64:ff9b:1::7f00:1]'],
  ['SIIT loopback', '[::ffff:0:7f00:1]'],
  ['6to4 loopback', '[2002:7f00:1::]'],
  ['Teredo', '[2001:0:7f00:1::]'],
  ['IPv6 link-local', '[fe80::1]'],
  ['IPv6 with a zone id', '[fe80::1%25eth0]'],
  ['loopback with a zone id', '[::1%lo]'],
  ['IPv6 unique local', '[fd00::1]'],
  ['IPv6 metadata', '[fd00:ec2::254]'],
  ['IPv6 site-local', '[fec0::1]'],
  ['IPv6 multicast', '[ff02::1]'],
  ['IPv6 documentation', '[2001:db8::1]'],
  ['IPv6 discard', '[100::1]'],
  ['localhost', 'localhost'],
  ['localhost in capitals', 'LOCALHOST'],
  ['localhost with a trailing dot', 'localhost.'],
  ['a name under localhost', 'api.localhost'],
  ['localhost.localdomain', 'localhost.localdomain'],
  ['ip6-localhost', 'ip6-localhost'],
  ['a name without a dot', 'intranet'],
  ['metadata by name', 'metadata.google.internal'],
  ['a name of the local network', 'printer.local'],
  ['a name of the home network', 'router.home.arpa'],
])('a webhook to %s (%s) is refused', async (_what, host) => {
  expect(await refused(`https://${host}/hook`)).toMatch(/^(WebhookTargetPrivate|not a URL)$/);
  expect(await refused(`https://${host}:8443/hook`)).toMatch(/^(WebhookTargetPrivate|not a URL)$/);
});

test.each(['https://hooks.example.com/', 'https://1.1.1.1/', 'https://[2606:4700::1111]/', 'https://8.8.8.8:8443/x'])(
  'a webhook to %s is not refused',
  async (url) => expect(await refused(url)).toBeUndefined(),
);

test.each([
  ['http://hooks.example.com/', 'WebhookNotHttps'],
  ['ftp://hooks.example.com/', 'WebhookNotHttps'],
  ['file:///etc/passwd', 'WebhookNotHttps'],
  ['https://user:secret@hooks.example.com/', 'WebhookHasCredentials'],
])('%s is refused as %s', async (url, code) => expect(await refused(url)).toBe(code));

test('a name that leads to a private address is refused, also beside a public one', async () => {
  const to = (...addresses: string[]) =>
    openSender({
      targets: 'public',
      resolve: async () => addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
    }).check('https://hooks.example.com/');
  expect(await to('93.184.216.34')).toBeUndefined();
  expect(await to('10.0.0.1')).toBe('WebhookTargetPrivate');
  expect(await to('93.184.216.34', '::1')).toBe('WebhookTargetPrivate');
  expect(await to('fe80::1%eth0')).toBe('WebhookTargetPrivate');
});

test('only for development, http and loopback are allowed, and no other private address', () => {
  const local = (url: string) => refuseUrl(new URL(url), 'local');
  expect(['http://127.0.0.1:4000/', 'http://localhost:4000/', 'http://[::1]/'].map(local)).toEqual(
    Array(3).fill(undefined),
  );
  expect(local('http://10.0.0.1/')).toBe('WebhookTargetPrivate');
  expect(local('http://169.254.169.254/')).toBe('WebhookTargetPrivate');
  expect(isAllowedAddress('not an address', 'local')).toBe(false);
});
