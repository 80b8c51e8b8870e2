import path from 'node:path';
import { pathToFileURL } from 'node:url';
import type * as audit from '../../server/src/core/audit/audit.ts';
import type * as head from '../../server/src/core/audit/head.ts';
import type * as headFile from '../../server/src/core/audit/head-file.ts';
import type * as key from '../../server/src/core/audit/key.ts';
import type * as verification from '../../server/src/core/audit/verification.ts';
import { testConfig } from '../../server/src/core/testing/config.ts';

export type Audit = Awaited<ReturnType<typeof loadAudit>>;

/** Loads the audit log from a folder, which may hold a changed copy, as modules separate from ours. */
export async function loadAudit(folder: string) {
  const load = (file: string): Promise<unknown> =>
    import(pathToFileURL(path.join(folder, 'server/src/core/audit', file)).href) as Promise<unknown>;
  const { sealOf, genesisSeal } = (await load('audit.ts')) as typeof audit;
  const { publishHead } = (await load('head.ts')) as typeof head;
  const { appendLine, signLine } = (await load('head-file.ts')) as typeof headFile;
  const { sealAuditWith } = (await load('key.ts')) as typeof key;
  const { verifyEverything } = (await load('verification.ts')) as typeof verification;
  sealAuditWith(testConfig('postgres://unused').audit.key);
  return { sealOf, genesisSeal, publishHead, appendLine, signLine, verifyEverything };
}
