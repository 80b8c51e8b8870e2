/** Why an address cannot be the wallet of a user. */
export type WalletFault = 'not-base58' | 'not-32-bytes' | 'not-on-curve' | 'not-a-wallet';

const alphabet = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';
const digitOf = new Map(alphabet.split('').map((letter, digit) => [letter, digit]));

/** Addresses of Solana itself and of well-known programs and tokens. What is sent there is lost. */
const knownAccounts = new Set([
  '11111111111111111111111111111111',
  '1nc1nerator11111111111111111111111111111111',
  'AddressLookupTab1e1111111111111111111111111',
  'BPFLoader1111111111111111111111111111111111',
  'BPFLoader2111111111111111111111111111111111',
  'BPFLoaderUpgradeab1e11111111111111111111111',
  'ComputeBudget111111111111111111111111111111',
  'Config1111111111111111111111111111111111111',
  'Ed25519SigVerify111111111111111111111111111',
  'Feature111111111111111111111111111111111111',
  'KeccakSecp256k11111111111111111111111111111',
  'NativeLoader1111111111111111111111111111111',
  'Secp256r1SigVerify1111111111111111111111111',
  'Stake11111111111111111111111111111111111111',
  'StakeConfig11111111111111111111111111111111',
  'Vote111111111111111111111111111111111111111',
  'Sysvar1nstructions1111111111111111111111111',
  'SysvarC1ock11111111111111111111111111111111',
  'SysvarEpochRewards1111111111111111111111111',
  'SysvarEpochSchedu1e111111111111111111111111',
  'SysvarFees111111111111111111111111111111111',
  'SysvarLastRestartS1ot1111111111111111111111',
  'SysvarRecentB1ockHashes11111111111111111111',
  'SysvarRent111111111111111111111111111111111',
  'SysvarRewards111111111111111111111111111111',
  'SysvarS1otHashes111111111111111111111111111',
  'SysvarS1otHistory11111111111111111111111111',
  'SysvarStakeHistory1111111111111111111111111',
  // The token programs, their account program, the memo programs and Metaplex.
  'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA',
  'TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb',
  'ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL',
  'MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr',
  'Memo1UhkJRfHyvLMcVucJwxXeuD728EqVDDwQDxFMNo',
  'metaqbxxUerdq28cj1RbAWkYQm3ybzjb6a8bt518x1s',
  // Tokens: wrapped SOL, USDC, USDT, mSOL, JitoSOL, BONK and JUP.
  'So11111111111111111111111111111111111111112',
  'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v',
  'Es9vMFrzaCERmJfrF4H2FYD4KCoNkY11McCe8BenwNYB',
  'mSoLzYCxHdYgdzU16g5QSh3i5K3z3KZK7ytfqcJm7So',
  'J1toso1uCk3RLmjorhTtrVwY9HJ7X8V9yYac6Y7kGCPn',
  'DezXAZ8z7PnrnRJjz3wXBoRgixCa6xjnB263BbiNVh6',
  'JUPyiwrYJFskUPiHa7hkeR8VUtAeFoSYbKedZNsDvCN',
]);

/**
 * Returns why an address cannot be the wallet of a user, or undefined if it can: it is base58 of the 32 bytes of a point
 * on the ed25519 curve, and no known program or token. Only a key pair has such an address; the accounts that belong to
 * programs are never on the curve, and nobody could sign for them.
 */
export function walletFault(address: string): WalletFault | undefined {
  // Far longer texts would take long to decode.
  if (address.length < 32 || address.length > 44) return isBase58(address) ? 'not-32-bytes' : 'not-base58';
  const value = decode(address);
  if (value === undefined) return 'not-base58';
  if (lengthOf(address, value) !== 32) return 'not-32-bytes';
  if (knownAccounts.has(address)) return 'not-a-wallet';
  return isOnCurve(value) ? undefined : 'not-on-curve';
}

const isBase58 = (text: string) => /^[1-9A-HJ-NP-Za-km-z]+$/.test(text);

/** Nine digits fit a number, so most of the arithmetic needs no bigint. */
const chunkDigits = 9;

function decode(address: string) {
  let value = 0n;
  for (let start = 0; start < address.length; start += chunkDigits) {
    const chunk = address.slice(start, start + chunkDigits);
    let part = 0;
    for (const letter of chunk) {
      const digit = digitOf.get(letter);
      if (digit === undefined) return undefined;
      part = part * 58 + digit;
    }
    value = value * BigInt(58 ** chunk.length) + BigInt(part);
  }
  return value;
}

/** Each leading 1 is a zero byte. */
function lengthOf(address: string, value: bigint) {
  const zeros = address.length - address.replace(/^1+/, '').length;
  return zeros + (value === 0n ? 0 : Math.ceil(value.toString(16).length / 2));
}

const prime = 2n ** 255n - 19n;
const d = 37095705934669439343138083508754565189542113879843219016388785533085940283555n;

/** A point is its y, least significant byte first, with the sign of x in the highest bit: x² = (y² - 1) / (d y² + 1). */
function isOnCurve(value: bigint) {
  const y = BigInt.asUintN(255, reverseBytes(value));
  if (y >= prime) return false;
  const square = (y * y) % prime;
  // A quotient is a square exactly if the product is.
  return isSquare(((square - 1n + prime) * (d * square + 1n)) % prime);
}

const bytes = new DataView(new ArrayBuffer(32));

function reverseBytes(value: bigint) {
  let reversed = 0n;
  for (let word = 0; word < 4; word += 1) {
    bytes.setBigUint64(0, BigInt.asUintN(64, value >> BigInt(64 * word)), true);
    reversed = (reversed << 64n) | bytes.getBigUint64(0);
  }
  return reversed;
}

/**
 * Whether a number below the prime is a square modulo it, by its Jacobi symbol. That takes a quarter of the time of a
 * power: an import checks a million addresses.
 */
function isSquare(number: bigint) {
  if (number === 0n) return true;
  let [top, bottom, symbol] = [number, prime, 1];
  while (top !== 0n) {
    while ((top & 1n) === 0n) {
      const zeros = trailingZeros(top);
      top >>= BigInt(zeros);
      const rest = bottom & 7n;
      if (zeros % 2 === 1 && (rest === 3n || rest === 5n)) symbol = -symbol;
    }
    if ((top & 3n) === 3n && (bottom & 3n) === 3n) symbol = -symbol;
    [top, bottom] = [bottom % top, top];
  }
  return symbol === 1;
}

/** Returns how many of the lowest 30 bits are zero before the first one. */
function trailingZeros(number: bigint) {
  const low = Number(BigInt.asUintN(30, number));
  return low === 0 ? 30 : 31 - Math.clz32(low & -low);
}
