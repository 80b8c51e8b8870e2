import { randomBytes } from 'node:crypto';
import { Webhook } from 'standardwebhooks';
import { expect, test } from 'vitest';
import { createVerifier, WebhookRefused } from './webhooks.ts';

const newSecret = () => `whsec_${randomBytes(24).toString('base64')}`;
const secret = newSecret();
const minute = 60_000;
let sent = 0;

/** A message as Bursar signs it. */
function messageOf({ by = [secret], at = Date.now(), id = `event-${(sent += 1)}` } = {}) {
  const body = JSON.stringify({ id, seq: '1', type: 'webhook.test', subjectId: 's', timestamp: 't', data: { a: 'ä' } });
  const signatures = by.map((one) => new Webhook(one).sign(id, new Date(at), body));
  const timestamp = String(Math.floor(at / 1_000));
  const headers = { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signatures.join(' ') };
  return { id, body, headers };
}

test('an event that Bursar signed is returned', () => {
  const { id, body, headers } = messageOf();
  expect(createVerifier({ secrets: [secret] })(body, headers)).toMatchObject({
    id,
    type: 'webhook.test',
    data: { a: 'ä' },
  });
});

test('while the secret is rotated, both secrets are valid on both sides', () => {
  const next = newSecret();
  for (const by of [[secret], [next], [secret, next], [newSecret(), next]]) {
    const { id, body, headers } = messageOf({ by });
    expect(createVerifier({ secrets: [secret, next] })(body, headers).id).toBe(id);
  }
});

test.each([
  ['the signature of another secret', () => messageOf({ by: [newSecret()] })],
  ['another body', () => ({ ...messageOf(), body: '{"id":"forged"}' })],
  ['the body with a blank', () => addBlank(messageOf())],
  ['another id', () => withHeader('webhook-id', 'other')],
  ['another time', () => withHeader('webhook-timestamp', String(Math.floor(Date.now() / 1_000) - 1))],
  ['no signature', () => withHeader('webhook-signature', undefined)],
  ['no id', () => withHeader('webhook-id', undefined)],
  ['no time', () => withHeader('webhook-timestamp', undefined)],
  ['a time that is no number', () => withHeader('webhook-timestamp', 'now')],
  ['another version of signatures', () => changeSignature((signature) => signature.replace('v1,', 'v2,'))],
  ['a cut signature', () => changeSignature((signature) => signature.slice(0, -4))],
  ['an empty signature', () => changeSignature(() => 'v1,')],
  ['a clock that is six minutes behind', () => messageOf({ at: Date.now() - 6 * minute })],
  ['a clock that is six minutes ahead', () => messageOf({ at: Date.now() + 6 * minute })],
])('%s is refused', (_title, forge) => {
  const { body, headers } = forge();
  expect(() => createVerifier({ secrets: [secret] })(body, headers)).toThrow(WebhookRefused);
});

test.each([-4, 4])('a clock that is off by %i minutes is not refused', (minutes) => {
  const { id, body, headers } = messageOf({ at: Date.now() + minutes * minute });
  expect(createVerifier({ secrets: [secret] })(body, headers).id).toBe(id);
});

test('a message that was received before is refused, and a new attempt to send its event is not', () => {
  const verify = createVerifier({ secrets: [secret] });
  const first = messageOf({ id: 'repeated', at: Date.now() - 5_000 });
  verify(first.body, first.headers);
  expect(() => verify(first.body, first.headers)).toThrow('received before');
  const again = messageOf({ id: 'repeated' });
  expect(verify(again.body, again.headers).id).toBe('repeated');
});

function withHeader(name: string, value: string | undefined) {
  const message = messageOf();
  return { ...message, headers: { ...message.headers, [name]: value } };
}

function changeSignature(change: (signature: string) => string) {
  const message = messageOf();
  return withHeaders(message, change(message.headers['webhook-signature']));
}

const withHeaders = (message: ReturnType<typeof messageOf>, signature: string) => ({
  ...message,
  headers: { ...message.headers, 'webhook-signature': signature },
});

const addBlank = (message: ReturnType<typeof messageOf>) => ({ ...message, body: `${message.body} ` });
