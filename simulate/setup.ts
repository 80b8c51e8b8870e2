import { randomUUID } from 'node:crypto';
import { Scope } from 'contract/core/scopes.ts';
import { accepted, type Administrator } from './administrator.ts';
import { approveWaiting } from './back-office.ts';

/** The duration of a stake that the stake payout of yesterday completes. */
const shortStakeDays = 1;
export const offeredDays = [shortStakeDays, 30, 60] as const;

const treasury = { USD: '1000000.00', GMP: '1000000.00' };

type Approving = { administrator: Administrator; approver: Administrator };
type Waiting = { approval: string } | null;

/** Approves one request exactly as it was made. */
async function approve({ approver }: Approving, waiting: Waiting | undefined) {
  if (!waiting) throw new Error('Nothing waits for an approval.');
  const { approval } = await approver.read(`/api/approvals/${waiting.approval}`);
  const { digest } = approval as { digest: string };
  accepted(await approver.post(`/api/approvals/${waiting.approval}/decide`, { decision: 'approve', digest }));
}

/** Creates an API key with every scope, has it approved, and returns its secret. */
export async function createKey(approving: Approving, name: string) {
  const body = { name, scopes: Scope.options, requestsPerMinute: 100_000 };
  const { key, secret } = accepted(await approving.administrator.post('/api/integrations/keys', body));
  await approve(approving, (key as { secrets: { waiting: Waiting }[] }).secrets[0]?.waiting);
  return String(secret);
}

type Webhook = { url: string; description: string };

/** Adds a webhook for all events, and returns its secret. */
export async function createWebhook(administrator: Administrator, webhook: Webhook) {
  const { secret } = accepted(await administrator.post('/api/integrations/webhooks', { ...webhook, types: null }));
  return String(secret);
}

type Settings = { mode: string; version: number; unknownAfterHours: number; waiting: Waiting };

/** Lets the platform send withdrawals, unless it does already or somebody has requested a change of it. */
export async function letPlatformSend(approving: Approving) {
  const { administrator } = approving;
  const before = (await administrator.read('/api/withdrawals/settings'))['settings'] as Settings;
  const { mode, version, unknownAfterHours, waiting } = before;
  if (mode === 'platform' || waiting) return;
  const wanted = { mode: 'platform', version, unknownAfterHours };
  const { settings } = accepted(await administrator.post('/api/withdrawals/settings', wanted));
  await approve(approving, (settings as Settings).waiting);
}

/** Fills the treasury, and offers stakes that end soon. */
async function prepareRuns({ administrator, approver }: Approving) {
  for (const [asset, amount] of Object.entries(treasury)) {
    const body = { id: randomUUID(), user: null, asset, amount, reason: 'To pay rewards' };
    accepted(await administrator.post('/api/ledger/adjustments', body));
  }
  accepted(await administrator.post('/api/staking/plans', { days: shortStakeDays, dailyRate: 0.5 }));
  await approveWaiting(approver);
}

/** Prepares a new installation with two administrators for a platform. Returns its API key and the secret of its webhook. */
export async function prepare(approving: Approving, receiverUrl: string) {
  const secret = await createWebhook(approving.administrator, { url: receiverUrl, description: 'The simulator' });
  const apiKey = await createKey(approving, 'The simulator');
  await letPlatformSend(approving);
  await prepareRuns(approving);
  return { apiKey, secret };
}
