import { createPrivateKey, createPublicKey, hash } from 'node:crypto';
import { addressOf } from '../server/src/core/testing/inbound.ts';

/** What comes before the 32 bytes of an ed25519 key in PKCS #8. */
const pkcs8 = Buffer.from('302e020100300506032b657004220420', 'hex');

/** Returns a wallet address that follows from the text, so that the same seed leads to the same wallets. */
export function walletOf(text: string) {
  const key = Buffer.concat([pkcs8, hash('sha256', text, 'buffer')]);
  return addressOf(createPublicKey(createPrivateKey({ key, format: 'der', type: 'pkcs8' })));
}
