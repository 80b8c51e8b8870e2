import type { TargetRefusal } from 'contract/integrations-webhooks.ts';
import ipaddr from 'ipaddr.js';

/** `local` also allows http and loopback addresses, for receivers on the machine of a developer. */
export type Targets = 'public' | 'local';

/** Names that never lead to a public address, whatever a resolver says. */
const privateName = /(^|\.)(localhost|localdomain|local|internal|intranet|lan|home|corp|home\.arpa)$/;

/** Outside this block, addresses of IPv6 are special or not assigned. */
const publicIpv6 = ipaddr.IPv6.parseCIDR('2000::/3');

/** Whether webhooks may be sent to that address: not if it is private, reserved or special in any way. */
export function isAllowedAddress(text: string, targets: Targets): boolean {
  if (!ipaddr.isValid(text)) return false;
  const address = ipaddr.parse(text);
  if (address instanceof ipaddr.IPv6 && address.isIPv4MappedAddress())
    return isAllowedAddress(address.toIPv4Address().toString(), targets);
  const range = address.range();
  if (targets === 'local' && range === 'loopback') return true;
  if (address instanceof ipaddr.IPv6 && !address.match(publicIpv6)) return false;
  return range === 'unicast';
}

/**
 * Returns why webhooks are never sent to that URL, as far as the URL itself shows. The addresses of a name are checked
 * when a connection is opened (`sender.ts`). The URL parser has already translated every spelling of an IPv4 address.
 */
export function refuseUrl(url: URL, targets: Targets): TargetRefusal | undefined {
  const isHttp = url.protocol === 'http:' && targets === 'local';
  if (url.protocol !== 'https:' && !isHttp) return 'WebhookNotHttps';
  if (url.username !== '' || url.password !== '') return 'WebhookHasCredentials';
  const host = url.hostname.replace(/^\[|\]$/g, '').replace(/\.+$/, '');
  if (ipaddr.isValid(host)) return isAllowedAddress(host, targets) ? undefined : 'WebhookTargetPrivate';
  if (targets === 'local' && /(^|\.)localhost$/.test(host)) return undefined;
  return privateName.test(host) || !host.includes('.') ? 'WebhookTargetPrivate' : undefined;
}
