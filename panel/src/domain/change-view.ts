import { useNavigate } from '@tanstack/react-router';
import type { ChangeView } from '#panel/ui/table/view.ts';

/** Returns a function that changes the view in the URL of the page. */
export function useChangeView(): ChangeView {
  const navigate = useNavigate();
  return (change, { replace } = { replace: false }) =>
    void navigate({
      to: '.',
      // Every page validates its URL with its own schema, so that nothing else can get into its view.
      search: ((before: object) => ({ ...before, ...change })) as never,
      replace,
      // A replaced entry keeps its history state.
      ...(replace && { state: true }),
      resetScroll: false,
    });
}
