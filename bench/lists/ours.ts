import { openLog } from '../../server/src/core/log.ts';
import { serve } from '../../server/src/serve.ts';
import { testConfig } from '../../server/src/core/testing/config.ts';

/** Serves the product as in production, in its own process. */
async function serveOurs({ url }: { url: string }) {
  const { address } = await serve(testConfig(url), openLog('info'));
  process.send?.(address);
}

process.once('message', (message: { url: string }) => void serveOurs(message));
