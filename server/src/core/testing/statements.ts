import pg from 'pg';
import { vi } from 'vitest';

/** Returns the text of every statement that this process sends to a database while `work` runs. */
export async function statementsDuring(work: () => Promise<unknown>) {
  const query = vi.spyOn(pg.Client.prototype, 'query');
  try {
    await work();
    return query.mock.calls.map(([statement]: unknown[]) =>
      typeof statement === 'string' ? statement : String((statement as { text?: unknown } | undefined)?.text),
    );
  } finally {
    query.mockRestore();
  }
}
