import { readFileSync } from 'node:fs';
import type { Endpoint } from 'contract/core/endpoint.ts';
import { platformCalls } from 'contract/integrations-reference.ts';
import { depositItemRefusals } from 'contract/ledger-inbound.ts';
import { activityItemRefusals } from 'contract/reports-inbound.ts';
import { stakeEndRefusals, stakeItemRefusals } from 'contract/staking-inbound.ts';
import { submissionItemRefusals } from 'contract/tasks-inbound.ts';
import { messageItemRefusals, ticketItemRefusals } from 'contract/tickets-inbound.ts';
import { userItemRefusals } from 'contract/users-inbound.ts';
import { withdrawalItemRefusals } from 'contract/withdrawals-inbound.ts';
import { reportOutcome } from 'contract/withdrawals-settlement.ts';
import { expect, test } from 'vitest';
import { testEnvironment } from '#server/core/testing/environment.ts';
import { addApiKey } from '#server/core/testing/api-key.ts';
import { inboundScopes } from '#server/core/testing/inbound.ts';
import { addAdmin } from '#server/core/testing/server.ts';

const read = (page: string) => readFileSync(new URL(`../../../../docs/${page}.md`, import.meta.url), 'utf8');

async function platformServer() {
  const { db, server } = await testEnvironment();
  await addAdmin(db.owner, { username: 'ann' });
  const { secret: token } = await addApiKey(db.owner, { scopes: [...inboundScopes] });
  return { server, token };
}

const { server, token } = await platformServer();

// In this order, because the examples continue each other.
test.each([
  'platform-api',
  'integration/ids',
  'integration/amounts',
  'integration/idempotency',
  'integration/ordering',
  'integration/errors',
])('the examples in docs/%s.md work as written', async (page) => {
  const document = read(page);
  const steps = [...document.matchAll(/```\nPOST (?<path>\S+)\n(?<body>.*?)```\s+```json\n(?<answer>.*?)```/gs)];
  expect(steps.length).toBe(document.match(/^```json/gm)?.length);
  for (const { groups: { path = '', body = '', answer = '' } = {} } of steps) {
    const expected = JSON.parse(answer) as { status?: number; reference?: string };
    const called = await server.call('POST', path, { token, body: body.replaceAll('NOW', new Date().toISOString()) });
    expect([path, called.status]).toEqual([path, expected.status ?? 200]);
    // Every refusal has a reference of its own.
    const answered = 'reference' in called.json ? { ...called.json, reference: expected.reference } : called.json;
    expect(answered).toEqual(expected);
  }
});

/** Returns the codes of the table of refused items, which are in its first column. */
function listedCodes() {
  const [, section = ''] = read('integration/errors').split('\n## An item is refused\n');
  const cells = [...section.matchAll(/^\|([^|]*)\|/gm)].map(([, first = '']) => first);
  return cells.slice(2).flatMap((cell) => [...cell.matchAll(/`(\w+)`/g)].map(([, code = '']) => code));
}

test('docs/integration/errors.md lists every code with which an item is refused', () => {
  const itemRefusals = [
    userItemRefusals,
    depositItemRefusals,
    stakeItemRefusals,
    stakeEndRefusals,
    withdrawalItemRefusals,
    ticketItemRefusals,
    messageItemRefusals,
    submissionItemRefusals,
    activityItemRefusals,
  ];
  const codes = new Set(itemRefusals.flatMap((refusals) => Object.keys(refusals)));
  expect(listedCodes().toSorted()).toEqual([...codes].toSorted());
});

test('docs/integration/errors.md lists every code with which a report of an outcome is refused', () => {
  const codes = Object.values(reportOutcome.refusals).flatMap((refusals) => Object.keys(refusals));
  const text = read('integration/errors');
  expect(codes.filter((code) => !text.includes(`\`${code}\``))).toEqual([]);
});

const calls: Endpoint[] = Object.values(platformCalls);
const sending = calls.flatMap(({ url, example }) =>
  example?.body && 'items' in example.body ? [{ url, body: JSON.stringify(example.body), answer: example.answer }] : [],
);
const time = /(?<=")\d{4}-[\d-]+T[\d:]+Z(?=")/g;

test('the examples of the API reference work in its order, if they end now', async () => {
  const reference = await platformServer();
  const times = sending.flatMap(({ body }) => body.match(time) ?? []);
  const late = Date.now() - Math.max(...times.map(Date.parse));
  expect(sending.length).toBeGreaterThan(8);
  for (const { url, body, answer } of sending) {
    const sent = body.replaceAll(time, (at) => new Date(Date.parse(at) + late).toISOString());
    const { status, json } = await reference.server.call('POST', url, { token: reference.token, body: sent });
    expect([url, status, json]).toEqual([url, 200, answer]);
  }
});
