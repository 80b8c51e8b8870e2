import { setNonce } from 'get-nonce';

type Rule = (text: string) => string | null;
type Policies = { createPolicy(name: 'default', rules: { createHTML: Rule; createScriptURL: Rule }): unknown };
type Surroundings = { trustedTypes?: Policies; __zod_globalConfig?: { jitless: boolean } };

const surroundings = window as Surroundings;

/** A worker that our own build has made; the address of anything else that would run is refused. */
function isOwnWorker(address: string) {
  const { origin, pathname, search, hash } = new URL(address, window.location.href);
  return (
    origin === window.location.origin && search + hash === '' && /^\/assets\/[a-z]+-worker-[\w-]+\.js$/.test(pathname)
  );
}

/**
 * The served page demands trusted types. Nothing here writes markup: what reaches the default policy is the text of
 * a style sheet, or the address of a worker. Scripts have no rule, so they are refused.
 */
surroundings.trustedTypes?.createPolicy('default', {
  createHTML: (text) => (text.includes('<') ? null : text),
  createScriptURL: (address) => (isOwnWorker(address) ? address : null),
});

/** zod tries `new Function` when a schema is made, which the policy reports; this is read before the first schema. */
surroundings.__zod_globalConfig = { jitless: true };

/** Fresh for every page the server sends; the styles that components add carry it. */
export const styleNonce = document.querySelector<HTMLMetaElement>('meta[name="style-nonce"]')?.content ?? '';

setNonce(styleNonce);
