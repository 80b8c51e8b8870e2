import { createApiKey, listApiKeys, readApiKeyUsage, revokeApiKey, rotateApiKey } from 'contract/integrations-keys.ts';
import { queryFor } from '#panel/shell/query.ts';
import { type Done, useChange } from './change.ts';

export const keysQuery = queryFor(listApiKeys, {});

export const keyUsageQuery = (id: string) => queryFor(readApiKeyUsage, { params: { id } });

export const useCreateKey = (done: Done<typeof createApiKey>) => useChange(createApiKey, done);

export const useRotateKey = (done: Done<typeof rotateApiKey>) => useChange(rotateApiKey, done);

export const useRevokeKey = (done: Done<typeof revokeApiKey>) =>
  useChange(revokeApiKey, { success: 'API key revoked', failed: 'Failed to revoke the API key', ...done });
