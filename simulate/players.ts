import { setTimeout as wait } from 'node:timers/promises';
import type { ActivityItem } from '../client/src/items.ts';
import { platformId } from '../server/src/core/platform-id.ts';
import { deposit, depositFirst, endStake, type Scene, stake, withdraw } from './money.ts';
import type { Kind, Turn } from './turns.ts';
import type { Player } from './world.ts';

/** While Bursar is away, no more than this many users wait for their answers. */
const atOnce = 60;
const dayMs = 86_400_000;

type Performance = { turns: Iterable<Turn>; rate: number; signal: AbortSignal };

/** Lets users act, at a steady rate, until the signal aborts; then waits until all of them have their answers. */
export async function play(scene: Scene, { turns, rate, signal }: Performance) {
  let acting = 0;
  for (const turn of turns) {
    while (acting >= atOnce && !signal.aborted) await wait(20);
    if (signal.aborted) break;
    acting += 1;
    const { player } = turn;
    player.lane = player.lane
      .then(() => act(scene, turn))
      .finally(() => {
        acting -= 1;
      });
    await wait(1_000 / rate, undefined, { signal }).catch(() => undefined);
  }
  await Promise.all(scene.world.players.map(({ lane }) => lane));
}

async function act(scene: Scene, turn: Turn) {
  const { world } = scene;
  try {
    if (await join(scene, turn.player)) await actions[turn.kind](scene, turn);
  } catch (error) {
    world.fault(`${turn.player.item.id} could not ${turn.kind}: ${String(error)}`);
  }
}

const actions: Record<Kind, (scene: Scene, turn: Turn) => Promise<void>> = {
  deposit,
  stake,
  'end a stake': endStake,
  withdraw,
  'open a ticket': openTicket,
  'write a message': writeMessage,
  'submit a task': submitTask,
  'be active': beActive,
};

/** Signs a user up when they act for the first time, and their sponsor before. Returns whether Bursar has the user. */
function join(scene: Scene, player: Player): Promise<boolean> {
  player.joined ??= signUp(scene, player);
  return player.joined;
}

async function signUp(scene: Scene, player: Player) {
  const { world, sender } = scene;
  const { item, sponsor } = player;
  if (sponsor && !(await join(scene, sponsor))) return false;
  const joined = { ...item, joinedAt: now() };
  const outcome = await sender.one((client) => client.addUsers([joined]));
  if (outcome !== 'taken') {
    world.fault(`the user ${item.id} was refused: ${outcome}`);
    return false;
  }
  world.items.set(`user ${item.id}`, userFact({ username: item.username, sponsor: sponsor?.item.id ?? null }));
  world.count('users');
  await depositFirst(scene, player, 0.2 + (Number.parseInt(item.referralCode.slice(-2), 36) % 70) / 100);
  return true;
}

export const userFact = ({ username, sponsor }: { username: string; sponsor: string | null }) =>
  `${username}, referred by ${sponsor ?? 'nobody'}`;

const now = () => new Date().toISOString();

const subjects = ['Deposit', 'Staking', 'Withdrawal', 'Referral', 'Account'] as const;

async function openTicket({ world, sender }: Scene, { no, player, which, isRepeated }: Turn) {
  const { id: user, username } = player.item;
  const id = `${user}-T${no}`;
  const type = subjects[which % subjects.length] ?? 'Account';
  const item = { id, user, type, description: `I have a question about my ${type.toLowerCase()} (${id}).`, at: now() };
  const outcome = await sender.one((client) => client.openTickets([item]), { isRepeated });
  if (outcome !== 'taken') {
    world.fault(`the ticket ${id} was refused: ${outcome}`);
    return;
  }
  world.items.set(`ticket ${platformId('ticket', id)}`, `${username}, ${type}: ${item.description}`);
  player.tickets.push(id);
  world.count('tickets');
}

async function writeMessage(scene: Scene, turn: Turn) {
  const { world, sender } = scene;
  const { no, player, which, isRepeated } = turn;
  const ticket = player.tickets[which % Math.max(1, player.tickets.length)];
  if (ticket === undefined) {
    await openTicket(scene, turn);
    return;
  }
  const item = { id: `${player.item.id}-M${no}`, ticket, message: `Is there any news? (${no})`, at: now() };
  const outcome = await sender.one((client) => client.addTicketMessages([item]), { isRepeated });
  if (outcome === 'taken') {
    const name = `message ${platformId('ticket-message', item.id)}`;
    world.items.set(name, `${player.item.username} on ${platformId('ticket', ticket)}: ${item.message}`);
    world.count('messages');
  } else world.fault(`the message ${item.id} was refused: ${outcome}`);
}

async function submitTask({ world, sender }: Scene, { no, player, which, isRepeated }: Turn) {
  const { id: user, username } = player.item;
  const id = `${user}-J${no}`;
  const item = {
    id,
    user,
    postUrl: `https://social.example.com/${username}/${no}`,
    title: `Shared a post (${no})`,
    reward: `${1 + (which % 20)}.00`,
    deadline: new Date(Date.now() + 7 * dayMs).toISOString().slice(0, 10),
    at: now(),
  };
  const outcome = await sender.one((client) => client.submitTasks([item]), { isRepeated });
  if (outcome === 'taken') {
    world.items.set(`task ${platformId('task', id)}`, `${user}: ${item.title} for ${item.reward}`);
    world.count('tasks');
  } else world.fault(`the task ${id} was refused: ${outcome}`);
}

const kindsOfActivity = ['Login', 'Browsing', 'Checkout', 'Purchases', 'Referrals', 'Edits', 'Messages'] as const;

/** Sends up to five events of a user in one call. */
async function beActive({ world, sender }: Scene, { no, player, which }: Turn) {
  const { id: user } = player.item;
  const items = Array.from({ length: 1 + (which % 5) }, (_none, index): ActivityItem => {
    const type = kindsOfActivity[(which + index) % kindsOfActivity.length] ?? 'Login';
    return { id: `${user}-A${no}-${index}`, user, type, at: now() };
  });
  const results = await sender.next().recordActivity(items);
  if (results.some(({ outcome }) => outcome === 'refused')) world.fault(`activity: ${JSON.stringify(results)}`);
  for (const { type } of items) world.activity.set(type, (world.activity.get(type) ?? 0) + 1);
  world.count('calls with activity');
}
