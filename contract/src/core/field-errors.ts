import type { z } from 'zod';

type Issue = z.core.$ZodRawIssue;
type Path = readonly PropertyKey[];

/** Words that are written in capitals. */
const capitals = new Set(['id', 'url', 'utc', 'sol', 'usd', 'gmp', 'slx']);

/** Returns "Confirm password" for `confirmPassword`, and "The request" for the root. */
function fieldName(path: Path): string {
  const last = path.at(-1);
  if (last === undefined) return 'The request';
  if (typeof last === 'number') return `Item ${last + 1} of ${fieldName(path.slice(0, -1)).toLowerCase()}`;
  const words = String(last)
    .split(/(?<=[a-z0-9])(?=[A-Z])/)
    .map((word) => (capitals.has(word.toLowerCase()) ? word.toUpperCase() : word.toLowerCase()))
    .join(' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** The text for a rule that `explainIssue` cannot describe, such as a pattern. It follows the name of the field. */
export const rule = (text: string) => ({
  error: ({ path = [] }: { path?: Path | undefined }) => `${fieldName(path)} ${text}.`,
});

/** Returns one sentence about a value that a schema rejects. It never contains the value. */
export function explainIssue(issue: Issue): string {
  const { path = [] } = issue;
  return issue.code === 'unrecognized_keys' ? unknownFields(issue.keys) : `${fieldName(path)} ${reasonFor(issue)}.`;
}

/** The caller chose these names, so only those that look like field names are repeated. */
function unknownFields(keys: string[]) {
  const names = keys.filter((key) => /^[\w-]{1,40}$/.test(key)).slice(0, 3);
  const found = names.length > 0 ? `: ${names.join(', ')}` : '';
  return `The request has a field that is not known${found}.`;
}

const types: Record<string, string> = {
  string: 'text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'a JSON object',
};

const formats: Record<string, string> = {
  uuid: 'a UUID',
  email: 'an email address',
  url: 'a web address that starts with http:// or https://',
  date: 'a date written YYYY-MM-DD',
  datetime: 'a time in UTC written as in ISO 8601',
};

function reasonFor(issue: Issue): string {
  const isMissing = issue.input === undefined || issue.input === '';
  if (isMissing && issue.path?.length) return 'is required';
  switch (issue.code) {
    case 'invalid_type':
      return `must be ${types[issue.expected] ?? 'of another type'}`;
    case 'invalid_format':
      return `must be ${formats[issue.format] ?? 'written in another way'}`;
    case 'invalid_value':
      return `must be ${oneOf(issue.values.map(String))}`;
    case 'not_multiple_of':
      return `must be a multiple of ${issue.divisor}`;
    case 'too_small':
      return atLeast(issue.origin, issue.minimum);
    case 'too_big':
      return atMost(issue.origin, issue.maximum);
    // These have their own text above, get it from `rule`, or do not occur in request schemas.
    case 'unrecognized_keys':
    case 'custom':
    case 'invalid_union':
    case 'invalid_key':
    case 'invalid_element':
      return 'is not valid';
  }
}

const oneOf = (names: string[]) =>
  names.length > 1 ? `${names.slice(0, -1).join(', ')} or ${names.at(-1)}` : names.join('');

/** The unit in which the length of a value is counted. */
const counted: Record<string, string> = { string: 'characters', array: 'items' };

function atLeast(origin: string, minimum: number | bigint) {
  // Empty text is handled before this, so the text had only blanks, which were trimmed.
  if (origin === 'string' && Number(minimum) === 1) return 'is required';
  const unit = counted[origin];
  return unit ? `must have at least ${written(minimum)} ${unit}` : `must be at least ${written(minimum)}`;
}

function atMost(origin: string, maximum: number | bigint) {
  const unit = counted[origin];
  return unit ? `must have at most ${written(maximum)} ${unit}` : `must be at most ${written(maximum)}`;
}

const written = (limit: number | bigint) => limit.toLocaleString('en-US');
