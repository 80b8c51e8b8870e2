import { setNonce } from 'get-nonce';

type Policies = { createPolicy(name: 'default', rules: { createHTML(text: string): string | null }): unknown };
type Surroundings = { trustedTypes?: Policies; __zod_globalConfig?: { jitless: boolean } };

const surroundings = window as Surroundings;

/**
 * The served page demands trusted types. Nothing here writes markup: what reaches the default policy is the text of
 * a style sheet. Scripts have no rule, so they are refused.
 */
surroundings.trustedTypes?.createPolicy('default', { createHTML: (text) => (text.includes('<') ? null : text) });

/** zod tries `new Function` when a schema is made, which the policy reports; this is read before the first schema. */
surroundings.__zod_globalConfig = { jitless: true };

/** Fresh for every page the server sends; the styles that components add carry it. */
export const styleNonce = document.querySelector<HTMLMetaElement>('meta[name="style-nonce"]')?.content ?? '';

setNonce(styleNonce);
