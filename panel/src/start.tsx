import { styleNonce } from './shell/content-policy.ts';
import './ui/mantine-base.ts';
import '@fontsource-variable/inter/wght.css';
import './ui/tokens.css';
import './ui/base.css';
import './ui/frame.css';
import { MantineProvider } from '@mantine/core';
import { type ReactNode, StrictMode, startTransition } from 'react';
import { createRoot, type Root } from 'react-dom/client';
import { colorSchemeManager } from './shell/color-scheme.ts';
import { LoginPage } from './shell/login.tsx';
import { readToken } from './shell/session-store.ts';
import { pathAfterSignIn, loginHref, readReturnTo } from './shell/return-to.ts';
import { cssVariablesResolver, theme } from './ui/theme.ts';

function show(root: Root, content: ReactNode) {
  root.render(
    <StrictMode>
      <MantineProvider
        theme={theme}
        cssVariablesResolver={cssVariablesResolver}
        colorSchemeManager={colorSchemeManager}
        getStyleNonce={() => styleNonce}
        // The script contains all variables, so that no style sheet with defaults has to be loaded before it.
        deduplicateCssVariables={false}
      >
        {content}
      </MantineProvider>
    </StrictMode>,
  );
}

async function loadApp() {
  // Evaluates the dependencies of the app in a separate task, so that the page can handle input in between.
  await import('./shell/call.ts');
  return import('./app.tsx');
}

/** Shows the app. Until the guard has its response, the page keeps showing the empty frame or Login. */
async function showApp(root: Root) {
  const { createApp } = await loadApp();
  const app = await createApp();
  // React renders a transition in slices, so the first render does not block input.
  startTransition(() => show(root, app));
}

/** Shows Login without the router and the features, which are not needed without a token. */
function showLogin(root: Root) {
  const { pathname, search, hash } = window.location;
  if (pathname.startsWith('/dashboard')) history.replaceState(null, '', loginHref(pathname + search + hash));
  show(
    root,
    <LoginPage
      prepare={() => void loadApp()}
      onSignedIn={() => {
        history.pushState(null, '', pathAfterSignIn(readReturnTo(window.location.search)));
        return showApp(root);
      }}
    />,
  );
}

/** Shows the panel at the current URL. */
export function start(element: HTMLElement): Root {
  const root = createRoot(element);
  const needsLogin = /^\/(?:login|dashboard(?:\/.*)?)?\/?$/.test(window.location.pathname);
  if (readToken() === null && needsLogin) showLogin(root);
  else void showApp(root);
  return root;
}
