import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { router } from './routes.tsx';
import { queryClient } from './shell/query.ts';
import { whenSessionEnds } from './shell/session-store.ts';
import { wanting } from './shell/wanted.ts';

whenSessionEnds(async (ending) => {
  const { href, pathname } = router.state.location;
  if (pathname === '/login' || pathname === '/') return;
  await router.navigate({ to: '/login', search: ending === 'refused' ? wanting(href) : {} });
  // Only now: a page that still shows would ask for everything again.
  queryClient.clear();
});

/** Everything but a first visit to Login. */
export function App() {
  return (
    <QueryClientProvider client={queryClient}>
      <RouterProvider router={router} />
    </QueryClientProvider>
  );
}
