import { useMutation, useQueryClient } from '@tanstack/react-query';
import { readSettings, saveSettings } from 'contract/settings.ts';
import { asking, doing } from '#panel/shell/query.ts';

export const settingsQuery = asking(readSettings, {});

/** Its refusals are told in the form. */
export function useSaveSettings({ onSaved }: { onSaved: () => void }) {
  const queryClient = useQueryClient();
  return useMutation({
    ...doing(saveSettings),
    onSuccess: (answer) => {
      queryClient.setQueryData(settingsQuery.queryKey, answer);
      onSaved();
    },
    onSettled: () => queryClient.invalidateQueries({ queryKey: ['settings'] }),
  });
}
