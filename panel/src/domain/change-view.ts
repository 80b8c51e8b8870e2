import { useNavigate } from '@tanstack/react-router';
import type { ChangeView } from '#panel/ui/table/view.ts';

/** Changes the view that stands in the address of the page. */
export function useChangeView(): ChangeView {
  const navigate = useNavigate();
  return (change, { replace } = { replace: false }) =>
    void navigate({
      to: '.',
      // Every page reads its address by its own schema, so that nothing else can get into its view.
      search: ((before: object) => ({ ...before, ...change })) as never,
      replace,
      // A replaced entry still lies where it lay.
      ...(replace && { state: true }),
      resetScroll: false,
    });
}
