import { dictionary } from '@zxcvbn-ts/language-common';

/** Words of this product and of the places where it is used, which the list of common passwords does not have. */
const productWords =
  'bursar staking stake stakes staker wallet payout payouts solana bitcoin referral referrals withdrawal withdrawals ' +
  'treasury ledger backoffice office company administrator superadmin temporary passwort changeme';

/** Words that are weak in any combination, such as Bursar-Staking. */
const weakWords = new RegExp(
  `^(${productWords.replaceAll(' ', '|')}|password|qwerty|welcome|letmein|iloveyou|admin|root|login|secret|change|` +
    'default|master|dragon|monkey|football|super|summer|winter|spring|autumn)+$',
);

/** Patterns on the keyboard that are long enough to be allowed, and a phrase that everybody knows. */
const knownPatterns =
  'abcdefghijkl abcdefghijklm qwertyuiopasdf qwertyuiopasdfghjkl asdfghjklqwe zaq12wsxcde3 thequickbrownfox ' +
  'correcthorsebatterystaple';

const guessed = [...dictionary['passwords-common'], ...productWords.split(' '), ...knownPatterns.split(' ')];
const common = new Set([...guessed, ...guessed.map(trimmed)]);
// Nothing remains of a password of digits and symbols, and that is not a reason to refuse all others like it.
common.delete('');

const countedUp = '1234567890'.repeat(14);

/** Letters that digits and symbols often stand for. A 1 can be two letters, so that a password has two readings. */
const letterOf: Record<string, string> = { '@': 'a', 4: 'a', 8: 'b', 3: 'e', 9: 'g', 6: 'g', 0: 'o', $: 's', 5: 's' };
const readings = [
  { ...letterOf, 7: 't', '+': 't', 1: 'i', '!': 'i', '|': 'l' },
  { ...letterOf, 7: 't', '+': 't', 1: 'l', '!': 'l', '|': 'i' },
] as Record<string, string>[];

/**
 * Whether a password is easy to guess: it is a common password or made of words of this product, whatever its case and
 * whatever digits and symbols are at its ends or stand for its letters. The contract checks its length.
 */
export function isTooCommon(password: string, username: string) {
  const lower = password.normalize('NFKC').toLowerCase();
  const letters = lower.replaceAll(/[^a-z]/g, '');
  const name = username.toLowerCase();
  return (
    coresOf(lower).some(isCommon) ||
    countedUp.includes(lower) ||
    new Set(lower).size < 5 ||
    (name.length >= 4 && lower.includes(name)) ||
    (letters.length < 4 && /^(?:\d{4}[-./ ]?)+$/.test(lower))
  );
}

/** Returns the text without the digits and symbols at its ends. */
function trimmed(text: string) {
  return text.replaceAll(/^[^\p{L}]+|[^\p{L}]+$/gu, '');
}

/** Returns the password, and what remains of it without its ends, as it is written and in both readings. */
function coresOf(lower: string) {
  // A symbol at the end can stand for the last letter, and a digit at the start for the first.
  const texts = [lower, trimmed(lower), lower.replace(/[^\p{L}]+$/u, ''), lower.replace(/\d+$/, '')];
  return texts.flatMap((text) => [
    text,
    ...readings.map((reading) => text.replaceAll(/[^a-z]/g, (character) => reading[character] ?? character)),
  ]);
}

/** Whether a text is a common password, or one that is repeated or written with symbols in between. */
function isCommon(text: string) {
  const joined = text.replaceAll(/[^\p{L}\d]/gu, '');
  const repeated = /^(.+?)\1+$/u.exec(joined)?.[1];
  const forms = [text, joined, ...(repeated === undefined ? [] : [repeated])];
  return forms.some((form) => common.has(form)) || weakWords.test(text.replaceAll(/[^a-z]/g, ''));
}
