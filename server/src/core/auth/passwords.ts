/** Common passwords that are long enough to be allowed and that attackers try first. */
const common = new Set([
  '123456789012',
  '1234567890123',
  '12345678901234',
  '123123123123',
  '111111111111',
  '000000000000',
  'abcdefghijkl',
  'abcdefghijklm',
  'qwertyuiop12',
  'qwertyuiop123',
  'qwertyuiopasdf',
  'qwerty123456',
  'qwertyqwerty',
  'asdfghjkl123',
  'asdfghjklqwe',
  '1q2w3e4r5t6y',
  '1qaz2wsx3edc',
  'zaq12wsxcde3',
  'passwordpassword',
  'correcthorsebatterystaple',
  'iloveyouiloveyou',
  'letmeinletmein',
  'thequickbrownfox',
  'trustno1trustno1',
]);

/** Words that are weak alone, repeated, or with digits and symbols around them. */
const weakWords =
  /^(password|passwort|passw0rd|p4ssword|qwerty|welcome|letmein|iloveyou|admin|administrator|superadmin|root|login|secret|changeme|change|temporary|default|master|dragon|monkey|football|bursar|staking|stake|wallet|payout|solana|bitcoin|referral|backoffice|office|company|summer|winter|spring|autumn)+$/;

/** Whether a password is easy to guess. The contract checks its length. */
export function isTooCommon(password: string, username: string) {
  const lower = password.toLowerCase();
  const letters = lower.replaceAll(/[^a-z]/g, '');
  const name = username.toLowerCase();
  return (
    common.has(lower) ||
    weakWords.test(letters) ||
    new Set(lower).size < 5 ||
    (name.length >= 4 && lower.includes(name)) ||
    (letters.length < 4 && /^(?:\d{4}[-./ ]?)+$/.test(lower))
  );
}
