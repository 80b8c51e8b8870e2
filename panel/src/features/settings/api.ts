import { useMutation, useQueryClient } from '@tanstack/react-query';
import { readSettings, saveSettings } from 'contract/settings.ts';
import { queryFor, mutationFor } from '#panel/shell/query.ts';

export const settingsQuery = queryFor(readSettings, {});

/** The form shows refusals, so there is no error toast. */
export function useSaveSettings({ onSaved }: { onSaved: () => void }) {
  const queryClient = useQueryClient();
  return useMutation({
    ...mutationFor(saveSettings),
    onSuccess: (answer) => {
      queryClient.setQueryData(settingsQuery.queryKey, answer);
      onSaved();
    },
    onSettled: () => queryClient.invalidateQueries({ queryKey: ['settings'] }),
  });
}
