import helmet from '@fastify/helmet';
import type { FastifyInstance } from 'fastify';

/** The default policy: no response but the panel's page loads anything. */
const emptyPolicy = "default-src 'none'; frame-ancestors 'none'";

/** Returns the policy of the panel's page. The panel does not start without these sources: see docs/protections.md. */
export const pagePolicy = (nonce: string, apiOrigin: string) =>
  [...sharedPolicy(nonce, apiOrigin), "img-src 'self' data: blob:", "font-src 'self'", 'trusted-types default'].join(
    '; ',
  );

/** Returns the policy of the API reference. The viewer is a Vue app, and numbers lines with style attributes. */
export const referencePolicy = (nonce: string, apiOrigin: string) =>
  [
    ...sharedPolicy(nonce, apiOrigin),
    "img-src 'self' data:",
    "style-src-attr 'unsafe-inline'",
    'trusted-types vue',
  ].join('; ');

const sharedPolicy = (nonce: string, apiOrigin: string) => [
  "default-src 'none'",
  "script-src 'self'",
  `style-src 'self' 'nonce-${nonce}'`,
  `connect-src 'self'${apiOrigin && ` ${apiOrigin}`}`,
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "object-src 'none'",
  "require-trusted-types-for 'script'",
  'report-uri /api/policy-reports',
];

export async function protect(app: FastifyInstance) {
  await app.register(helmet, {
    contentSecurityPolicy: false,
    strictTransportSecurity: { maxAge: 31_536_000, includeSubDomains: true },
    crossOriginOpenerPolicy: { policy: 'same-origin' },
    crossOriginResourcePolicy: { policy: 'same-site' },
    referrerPolicy: { policy: 'no-referrer' },
    xFrameOptions: { action: 'deny' },
  });
  app.addHook('onSend', async (_request, reply) => {
    if (!reply.hasHeader('content-security-policy')) reply.header('content-security-policy', emptyPolicy);
  });
}
