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
import { destination, loginHref, wantedFrom } from './shell/wanted.ts';
import { cssVariablesResolver, theme } from './ui/theme.ts';

function show(root: Root, content: ReactNode) {
  root.render(
    <StrictMode>
      <MantineProvider
        theme={theme}
        cssVariablesResolver={cssVariablesResolver}
        colorSchemeManager={colorSchemeManager}
        getStyleNonce={() => styleNonce}
        // All of them come with the script, so that no sheet of the defaults has to be loaded before it.
        deduplicateCssVariables={false}
      >
        {content}
      </MantineProvider>
    </StrictMode>,
  );
}

async function loadApp() {
  // What the app is built on is evaluated before it, in a task of its own, so that the page answers in between.
  await import('./shell/call.ts');
  return import('./app.tsx');
}

/** Until the guard has its answer, what the page showed before stays: the empty frame, or Login. */
async function showApp(root: Root) {
  const { createApp } = await loadApp();
  const app = await createApp();
  // React renders a transition in slices, so the first render does not block input.
  startTransition(() => show(root, app));
}

/** Without a token there is only Login, which needs neither the router nor the features. */
function showLogin(root: Root) {
  const { pathname, search, hash } = window.location;
  if (pathname.startsWith('/dashboard')) history.replaceState(null, '', loginHref(pathname + search + hash));
  show(
    root,
    <LoginPage
      prepare={() => void loadApp()}
      onSignedIn={() => {
        history.pushState(null, '', destination(wantedFrom(window.location.search)));
        return showApp(root);
      }}
    />,
  );
}

/** Shows the panel at the address of the window. */
export function start(element: HTMLElement): Root {
  const root = createRoot(element);
  const needsLogin = /^\/(?:login|dashboard(?:\/.*)?)?\/?$/.test(window.location.pathname);
  if (readToken() === null && needsLogin) showLogin(root);
  else void showApp(root);
  return root;
}
