import { platformCalls, readReference } from 'contract/integrations-reference.ts';
import type { Api } from '#server/core/http/api.ts';
import { describeCalls } from './document.ts';

/** Serves the document that `/reference` shows. It is the same for everyone, so it is written once. */
export function referenceRoutes(api: Api) {
  const body = Buffer.from(JSON.stringify(describeCalls(platformCalls)));
  api.send(readReference, async () => ({ type: 'application/json', body }));
}
