import { infiniteQueryOptions, type InfiniteData } from '@tanstack/react-query';
import type { Answer } from 'contract/core/endpoint.ts';
import {
  createWebhook,
  type DeliveryState,
  listDeliveries,
  listWebhooks,
  readDelivery,
  removeWebhook,
  replayWebhook,
  retryDelivery,
  rotateWebhookSecret,
  setWebhookState,
  testWebhook,
  updateWebhook,
} from 'contract/integrations-webhooks.ts';
import { call, type Failure } from '#panel/shell/call.ts';
import { queryFor } from '#panel/shell/query.ts';
import { type Done, useChange } from './change.ts';

export const webhooksQuery = queryFor(listWebhooks, {});

export const deliveryQuery = (id: string) => queryFor(readDelivery, { params: { id } });

type Page = Answer<typeof listDeliveries>;

export const deliveriesQuery = (id: string, state: DeliveryState | undefined) =>
  infiniteQueryOptions<Page, Failure, InfiniteData<Page>, readonly unknown[], bigint | undefined>({
    queryKey: [listDeliveries.feature, listDeliveries.url, id, state ?? 'all'],
    queryFn: ({ pageParam: before, signal }) =>
      call(listDeliveries, { params: { id }, querystring: { state, before } }, signal),
    initialPageParam: undefined,
    getNextPageParam: ({ olderThan }) => olderThan,
  });

export const useCreateWebhook = (done: Done<typeof createWebhook>) => useChange(createWebhook, done);

export const useUpdateWebhook = ({ onSuccess }: Done<typeof updateWebhook>) =>
  useChange(updateWebhook, { success: 'Webhook saved', onSuccess });

export const useSetWebhookState = () => useChange(setWebhookState, { failed: 'Failed to change the webhook' });

export const useRemoveWebhook = ({ onSuccess }: Done<typeof removeWebhook>) =>
  useChange(removeWebhook, { success: 'Webhook removed', failed: 'Failed to remove the webhook', onSuccess });

export const useRotateSecret = (done: Done<typeof rotateWebhookSecret>) =>
  useChange(rotateWebhookSecret, { failed: 'Failed to rotate the secret', ...done });

export const useTestWebhook = () =>
  useChange(testWebhook, { success: 'Test event queued', failed: 'Failed to send a test event' });

export const useReplayWebhook = ({ onSuccess }: Done<typeof replayWebhook>) =>
  useChange(replayWebhook, { success: 'Replay started', onSuccess });

export const useRetryDelivery = () =>
  useChange(retryDelivery, { success: 'Event queued again', failed: 'Failed to send the event again' });
