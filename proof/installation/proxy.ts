import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { freePort } from '../../tools/ports.ts';
import { blockOf, replaced } from './documents.ts';
import type { Machine } from './machine.ts';

/** Starts nginx with the documented site, HTTPS and HTTP/2, in front of the API. */
export async function openProxy(machine: Machine, apiPort: number) {
  const folder = machine.own('nginx');
  const port = await freePort();
  const certificate = path.join(folder, 'fullchain.pem');
  const key = path.join(folder, 'privkey.pem');
  const subject = `-subj /CN=bursar.example.com -addext subjectAltName=DNS:bursar.example.com`;
  const made = await machine.type(
    `openssl req -x509 -newkey rsa:2048 -nodes -days 2 ${subject} -keyout ${key} -out ${certificate}`,
    { cwd: folder },
  );
  if (made.code !== 0) throw new Error(made.output);
  const site = replaced(blockOf('docs/operating.md', 'site'), {
    'listen 443 ssl': `listen 127.0.0.1:${port} ssl`,
    '/etc/ssl/bursar/fullchain.pem': certificate,
    '/etc/ssl/bursar/privkey.pem': key,
    '127.0.0.1:3000': `127.0.0.1:${apiPort}`,
  });
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((kind) => `${kind}_temp_path ${folder};`);
  const file = path.join(folder, 'nginx.conf');
  writeFileSync(
    file,
    `daemon off; pid ${folder}/pid; events {} http { access_log off; ${temporary.join(' ')}\n${site}}\n`,
  );
  const nginx = machine.start(`nginx -e stderr -p ${folder} -c ${file}`, { cwd: folder });
  return { address: `https://127.0.0.1:${port}`, nginx };
}
