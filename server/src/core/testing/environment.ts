import { afterAll } from 'vitest';
import { testDatabase } from './database.ts';
import { testServer } from './server.ts';

/** A database and one server on it, until the test file ends. */
export async function testEnvironment(changes: Record<string, string> = {}) {
  const db = await testDatabase();
  const server = await testServer(db.url, changes);
  afterAll(async () => {
    await server[Symbol.asyncDispose]();
    await db[Symbol.asyncDispose]();
  });
  return { db, server };
}
