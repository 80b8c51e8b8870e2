import { decideApproval } from 'contract/approvals.ts';
import type { Given } from 'contract/core/endpoint.ts';
import { call, Failure } from '#panel/shell/call.ts';

/** Decides a request. An administrator with a passkey is asked to sign the approval with it. */
export async function decide(given: Given<typeof decideApproval>) {
  try {
    return await call(decideApproval, given);
  } catch (cause) {
    const failure = cause as Failure<typeof decideApproval>;
    if (!(cause instanceof Failure) || failure.code !== 'SignatureRequired') throw cause;
    const { params, body } = given;
    const { signApproval } = await import('#panel/shell/passkey.ts');
    const assertion = await signApproval({ id: params.id, digest: body.digest });
    if (!assertion) throw cause;
    return call(decideApproval, { params, body: { ...body, assertion } });
  }
}
