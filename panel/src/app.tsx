import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { useEffect } from 'react';
import { type AppRouter, createAppRouter } from './routes.tsx';
import { queryClient } from './shell/query.ts';
import { type Ending, whenSessionEnds } from './shell/session-store.ts';
import { returnToSearch } from './shell/return-to.ts';

async function leadToLogin(router: AppRouter, ending: Ending) {
  const { href, pathname } = router.state.location;
  if (pathname === '/login' || pathname === '/') return;
  await router.navigate({ to: '/login', search: ending === 'refused' ? returnToSearch(href) : {} });
  // Must follow the navigation: a page that is still mounted would refetch everything.
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

/** Loads the code of the screen in parallel with the guard's request; the router alone would load it afterwards. */
function loadScreens(router: AppRouter) {
  const [routes] = router.getMatchedRoutes(window.location.pathname);
  // An error is ignored here, because the router loads the code again and reports the error.
  for (const route of routes) router.loadRouteChunk(route)?.catch(() => undefined);
}

/** Creates the app at the current URL. Resolves once the first screen can be shown. */
export async function createApp() {
  const router = createAppRouter();
  loadScreens(router);
  await router.load();
  return <App router={router} />;
}
