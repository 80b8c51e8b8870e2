import { reportPolicyViolation } from 'contract/security.ts';
import type { FastifyInstance } from 'fastify';
import { Refusal } from '#server/core/refusal.ts';
import { exceedsJsonLimits, jsonLimits } from './json.ts';

/** Accepts JSON, reports of policy violations and uploads, and no other body. */
export function acceptBodies(calls: FastifyInstance) {
  calls.removeContentTypeParser('text/plain');
  acceptJson(calls);
  acceptPolicyReports(calls);
  acceptUploads(calls);
}

function acceptJson(calls: FastifyInstance) {
  const parse = calls.getDefaultJsonParser('error', 'error');
  calls.addContentTypeParser<string>('application/json', { parseAs: 'string' }, (request, body, done) => {
    const nodes = request.routeOptions.config.endpoint?.bodyLimits?.nodes ?? jsonLimits.nodes;
    if (!exceedsJsonLimits(body, { ...jsonLimits, nodes })) return parse(request, body, done);
    done(new Refusal('InvalidRequest'));
  });
}

/** Browsers report violations of the content security policy with their own media type. */
function acceptPolicyReports(calls: FastifyInstance) {
  calls.addContentTypeParser<string>(
    'application/csp-report',
    { parseAs: 'string', bodyLimit: 8 * 1024 },
    (request, body, done) => {
      if (request.routeOptions.config.endpoint?.url !== reportPolicyViolation.url) {
        done(new Refusal('UnsupportedMediaType'));
        return;
      }
      const report = parseReport(body);
      if (report === undefined) done(new Refusal('InvalidRequest'));
      else done(null, report);
    },
  );
}

/** Returns undefined if the text is not JSON or exceeds the limits. */
function parseReport(body: string): unknown {
  try {
    return exceedsJsonLimits(body, jsonLimits) ? undefined : JSON.parse(body);
  } catch {
    return undefined;
  }
}

/** Accepts a file as bytes, and only for an endpoint with an upload of that media type. */
function acceptUploads(calls: FastifyInstance) {
  calls.addContentTypeParser(/^image\//, { parseAs: 'buffer' }, (request, body, done) => {
    const type = (request.headers['content-type'] ?? '').split(';')[0]?.trim() as `${string}/${string}`;
    const wanted = request.routeOptions.config.endpoint?.upload?.types.includes(type);
    if (wanted) done(null, body);
    else done(new Refusal('UnsupportedMediaType'));
  });
}
