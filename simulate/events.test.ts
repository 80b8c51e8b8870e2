import { expect, test } from 'vitest';
import type { PlatformEvent } from '../client/src/events.ts';
import { handlerOf } from './events.ts';
import { checkStories } from './own-facts.ts';
import type { Payments } from './payments.ts';
import { openWorld } from './world.ts';

const id = 'W1';
let seq = 0;

/** A platform that has requested a withdrawal of 5 dollars, and a function that brings an event about it. */
function platform(decided?: 'confirmed' | 'failed') {
  const world = openWorld({ users: 1, seed: 1, series: 1 });
  world.withdrawals.set(id, {
    id,
    user: 'U1',
    units: 5_000_000n,
    wallet: 'w',
    state: decided ?? 'requested',
    decided,
    reference: undefined,
    events: [],
  });
  const asked: string[] = [];
  const payments: Payments = { send: ({ withdrawal }) => void asked.push(withdrawal.id), isIdle: () => true };
  const { handle } = handlerOf(world, payments);
  const bring = (type: string, changes: Partial<PlatformEvent> = {}) => {
    seq += 1;
    const data = { withdrawalId: 'uuid', platformId: id, userId: 'U1', amount: '5.00', wallet: 'w', isAsked: true };
    handle({ id: `event ${seq}`, seq: String(seq), type, subjectId: 'uuid', timestamp: '', data, ...changes });
  };
  return { world, asked, bring };
}

test('an approved withdrawal is sent once, and its end is expected', () => {
  const { world, asked, bring } = platform('confirmed');
  bring('withdrawal.approved');
  bring('withdrawal.confirmed');
  expect([asked, world.faults]).toEqual([[id], []]);
});

test('a withdrawal that Bursar confirms and the platform did not is a fault', () => {
  const { world, bring } = platform();
  bring('withdrawal.approved');
  bring('withdrawal.confirmed');
  expect(world.faults).toEqual(['Bursar says withdrawal.confirmed of W1, which the platform has not decided']);
});

test('a second request to send is a fault, and so is an event that is handled twice or too late', () => {
  const { world, bring } = platform('failed');
  bring('withdrawal.approved');
  bring('withdrawal.approved', { seq: '0', id: 'event same' });
  bring('withdrawal.failed', { id: 'event same' });
  expect(world.faults).toEqual([
    'the event 0 came after a later one',
    'W1 has two events withdrawal.approved',
    'the event event same was handled twice',
  ]);
});

test('a withdrawal without the event of its end is a fault', () => {
  const { world, bring } = platform('confirmed');
  bring('withdrawal.approved');
  Object.assign(world.withdrawals.get(id) ?? {}, { state: 'confirmed' });
  checkStories(world);
  expect(world.faults).toEqual(['W1 is confirmed, and its events are: withdrawal.approved']);
});
