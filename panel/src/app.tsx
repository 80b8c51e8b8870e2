import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { useEffect } from 'react';
import { type AppRouter, createAppRouter } from './routes.tsx';
import { queryClient } from './shell/query.ts';
import { type Ending, whenSessionEnds } from './shell/session-store.ts';
import { wanting } from './shell/wanted.ts';

async function leadToLogin(router: AppRouter, ending: Ending) {
  const { href, pathname } = router.state.location;
  if (pathname === '/login' || pathname === '/') return;
  await router.navigate({ to: '/login', search: ending === 'refused' ? wanting(href) : {} });
  // Only now: a page that still shows would ask for everything again.
  queryClient.clear();
}

function App({ router }: { router: AppRouter }) {
  useEffect(() => {
    const stop = whenSessionEnds((ending) => leadToLogin(router, ending));
    return () => void stop();
  }, [router]);
  return (
    <QueryClientProvider client={queryClient}>
      <RouterProvider router={router} />
    </QueryClientProvider>
  );
}

/** Loads the code of the screen beside the guard's question; the router alone would start after the answer. */
function loadScreens(router: AppRouter) {
  const [routes] = router.getMatchedRoutes(window.location.pathname);
  // What fails here is asked for again, and told, when the router loads the screen itself.
  for (const route of routes) router.loadRouteChunk(route)?.catch(() => undefined);
}

/** Everything but a first visit to Login, at the address of the window, once its first screen can be shown. */
export async function createApp() {
  const router = createAppRouter();
  loadScreens(router);
  await router.load();
  return <App router={router} />;
}
