// Runs before the viewer (scalar.js), as a file because the content policy allows no inline script.
{
  // zod, which the viewer contains, would try `new Function`, and the policy would report it.
  Object.assign(globalThis, { __zod_globalConfig: { jitless: true } });

  // The viewer gives the nonce to one of the style sheets that it adds. The policy wants it on all of them.
  const { content: nonce } = /** @type {HTMLMetaElement} */ (document.querySelector('meta[property="csp-nonce"]'));
  /** @typedef {(name: string, options?: ElementCreationOptions) => HTMLElement} CreateElement */
  const createElement = Reflect.get(document, 'createElement');
  Object.assign(document, {
    /** @type {CreateElement} */
    createElement: (name, options) => {
      const element = createElement.call(document, name, options);
      if (element instanceof HTMLStyleElement) element.nonce = nonce;
      return element;
    },
  });

  document.addEventListener('DOMContentLoaded', () => {
    const { content } = /** @type {HTMLMetaElement} */ (document.querySelector('meta[name="api-origin"]'));
    const api = content || location.origin;
    const { createApiReference } = /** @type {{ createApiReference: (place: string, settings: object) => void }} */ (
      Reflect.get(globalThis, 'Scalar')
    );
    createApiReference('#reference', {
      url: `${api}/api/platform/openapi.json`,
      baseServerURL: api,
      darkMode: localStorage.getItem('theme') === 'dark',
      hideDarkModeToggle: true,
      defaultOpenAllTags: true,
      expandAllSchemaProperties: true,
      // A key belongs on the platform's server, not in a browser.
      hideTestRequestButton: true,
      // All of these would ask other hosts.
      withDefaultFonts: false,
      telemetry: false,
      hideClientButton: true,
      showDeveloperTools: 'never',
      mcp: { disabled: true },
      agent: { disabled: true },
    });
  });
}
