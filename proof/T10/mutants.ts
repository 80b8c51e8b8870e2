import type { Change } from '../processes/code.ts';

const folder = 'server/src/core/audit';

/** Each removes one check. Some tampering must then go unnoticed. */
export const mutants: Record<string, Change> = {
  'seals are not compared': {
    file: `${folder}/audit.ts`,
    from: 'if (!seal.equals(entry.seal)) return',
    to: 'if (seal.length !== entry.seal.length) return',
  },
  'the seal does not cover the details': {
    file: `${folder}/audit.ts`,
    from: '    details,\n    ...(apiKeyId',
    to: '    ...(apiKeyId',
  },
  'rows of heads may be gone': {
    file: `${folder}/head.ts`,
    from: `if (!found) return { sound: false, badSeq: BigInt(seq), why: 'cut' };`,
    to: 'if (!found) continue;',
  },
  'rows of heads may have another seal': {
    file: `${folder}/head.ts`,
    from: 'if (found !== seal) return',
    to: 'if (found.length !== seal.length) return',
  },
  'the newest head may be old': {
    file: `${folder}/freshness.ts`,
    from: 'if (isStale(publishedAt)) return',
    to: 'if (Number.isNaN(publishedAt.getTime())) return',
  },
  'rows may wait for a head': {
    file: `${folder}/freshness.ts`,
    from: 'beyond && isStale(beyond.at) ? beyond : undefined',
    to: 'beyond && isStale(new Date()) ? beyond : undefined',
  },
};
