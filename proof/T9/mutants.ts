import type { Change } from '../processes/code.ts';

/** Each lets a secret out in one place. */
export const mutants = {
  /** Logs the password of whoever signs in, in a field that may be logged. */
  logsPasswords: {
    file: 'server/src/core/auth/routes.ts',
    from: '    return sendSession(reply, await signIn(deps, attempt));\n',
    to: "    request.log.info({ route: body.password }, 'signing in');\n    return sendSession(reply, await signIn(deps, attempt));\n",
  },
  /** Stores the whole secret of an API key. */
  storesSecrets: {
    file: 'server/src/core/auth/api-keys.ts',
    from: 'hash: sealSecretDigest({ ...key, prefix }, fingerprint(secret)) };',
    to: 'hash: Buffer.from(secret) };',
  },
  /** Answers an unknown field of a request with its value. */
  repeatsInput: {
    file: 'contract/src/core/field-errors.ts',
    from: '? unknownFields(issue.keys) :',
    to: '? JSON.stringify(issue.input) :',
  },
} satisfies Record<string, Change>;
