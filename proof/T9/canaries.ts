/** Texts to look in, by where they were found. */
export type Haystacks = Map<string, string[]>;
export type Canaries = ReturnType<typeof openCanaries>;

const base64Groups = 3;

/** Collects secrets, and looks for them in what the product has shown. */
export function openCanaries() {
  const secrets = new Map<string, string>();
  return {
    /** Remembers a secret under its name. */
    plant(name: string, secret: string) {
      secrets.set(secret, name);
      return secret;
    },
    count: () => secrets.size,
    names: () => [...new Set(secrets.values())],
    /** Returns the name of each secret that is in a text, and where. */
    find(haystacks: Haystacks) {
      const forms = [...secrets].map(([secret, name]) => ({ name, forms: formsOf(secret) }));
      return [...haystacks].flatMap(([place, texts]) =>
        texts.flatMap((text) =>
          forms
            .filter((canary) => canary.forms.some((form) => text.includes(form)))
            .map(({ name }) => `${name} in ${place}: ${text.slice(0, 200)}`),
        ),
      );
    },
  };
}

/** How a text can be written: as it is, in hexadecimal, percent-encoded, or in base64 at any place of a longer text. */
function formsOf(secret: string) {
  const bytes = Buffer.from(secret);
  const inBase64 = Array.from({ length: base64Groups }, (_none, shift) => {
    // Only whole groups do not depend on what follows.
    const inner = bytes.subarray(shift, shift + Math.floor((bytes.length - shift) / base64Groups) * base64Groups);
    return [inner.toString('base64'), inner.toString('base64url')];
  });
  const hex = bytes.toString('hex');
  return [
    secret,
    encodeURIComponent(secret),
    JSON.stringify(secret).slice(1, -1),
    hex,
    hex.toUpperCase(),
    ...inBase64.flat(),
  ];
}
