import type { Kind, ModelRank, Settings } from './model.ts';

/** What happens next in a sequence. */
export type Step =
  | { name: 'plan'; kind: Kind }
  | { name: 'replan'; run: string }
  | { name: 'pay again'; run: string; user: string }
  | { name: 'reverse'; run: string; user: string | null }
  | { name: 'start'; run: string }
  | { name: 'decide'; run: string; isMaker: boolean; approves: boolean }
  | { name: 'steer'; run: string; step: 'pause' | 'resume' | 'cancel' }
  | { name: 'make plan'; run: string; dies: boolean }
  | { name: 'pay'; dies: boolean }
  | { name: 'block'; user: string; isBlocked: boolean }
  | { name: 'delete'; user: string }
  | { name: 'promote'; user: string; rank: ModelRank }
  | { name: 'spend'; user: string; units: bigint }
  | { name: 'save'; settings: Settings; from: string }
  | { name: 'next day' };
