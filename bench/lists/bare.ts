import Fastify from 'fastify';
import pg from 'pg';

type StatementList = { url: string; statements: { text: string; values: unknown[] }[] };

/** Serves the baseline: the framework, the driver and the same statements, with nothing around them. */
async function serveBare({ url, statements }: StatementList) {
  const pool = new pg.Pool({ connectionString: url, max: 10 });
  const app = Fastify();
  app.get('/', async () => {
    const answers: unknown[] = [];
    for (const { text, values } of statements) answers.push((await pool.query(text, values)).rows);
    return { answers };
  });
  process.send?.(await app.listen({ port: 0, host: '127.0.0.1' }));
}

process.once('message', (message: StatementList) => void serveBare(message));
