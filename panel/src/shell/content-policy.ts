import { setNonce } from 'get-nonce';

type Rule = (text: string) => string | null;
type Policies = { createPolicy(name: 'default', rules: { createHTML: Rule; createScriptURL: Rule }): unknown };
type Surroundings = { trustedTypes?: Policies; __zod_globalConfig?: { jitless: boolean } };

const surroundings = window as Surroundings;

/** Returns whether the URL is a worker of our own build. Every other script URL is refused. */
function isOwnWorker(address: string) {
  const { origin, pathname, search, hash } = new URL(address, window.location.href);
  return (
    origin === window.location.origin && search + hash === '' && /^\/assets\/[a-z]+-worker-[\w-]+\.js$/.test(pathname)
  );
}

/**
 * The served page requires trusted types. No code here writes markup: the default policy only gets the text of a
 * style sheet or the URL of a worker. Scripts have no rule, so they are refused.
 */
surroundings.trustedTypes?.createPolicy('default', {
  createHTML: (text) => (text.includes('<') ? null : text),
  createScriptURL: (address) => (isOwnWorker(address) ? address : null),
});

/** zod tries `new Function` when it creates a schema, which the policy reports. Must be set before the first schema. */
surroundings.__zod_globalConfig = { jitless: true };

/** Unique for every page that the server sends; the styles that components add carry it. */
export const styleNonce = document.querySelector<HTMLMetaElement>('meta[name="style-nonce"]')?.content ?? '';

setNonce(styleNonce);
