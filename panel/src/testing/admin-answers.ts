import { listRecoveries } from 'contract/admins-recovery.ts';
import { type Admin as AdminRow, listAdmins, readAdmin } from 'contract/admins.ts';
import { type Admin, answerFrame } from './app.ts';
import { freshId, longAgo } from './list-answers.ts';
import { answer } from './server.ts';

export const adminRow = (given: Partial<AdminRow> = {}): AdminRow => ({
  id: freshId(),
  username: 'kenji.sato',
  role: 'Admin',
  createdAt: longAgo,
  permissionSet: null,
  version: 1,
  ...given,
});

export function answerAdmins(admins: readonly AdminRow[], admin?: Admin) {
  answerFrame(admin);
  answer(listAdmins, () => ({ admins: [...admins] }));
  answer(listRecoveries, { recoveries: [] });
  answer(readAdmin, ({ params }) => ({
    admin: admins.find(({ id }) => id === params.id) ?? adminRow({ id: params.id }),
    waiting: null,
  }));
}
