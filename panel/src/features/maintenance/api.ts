import { useMutation, useQueryClient } from '@tanstack/react-query';
import { readMaintenance, setMaintenance } from 'contract/maintenance.ts';
import { asking, doing } from '#panel/shell/query.ts';
import { tellFailure } from '#panel/ui/told-failure.ts';

export const maintenanceQuery = asking(readMaintenance, {});

export function useSetMaintenance() {
  const queryClient = useQueryClient();
  const setting = useMutation({
    ...doing(setMaintenance),
    onSuccess: (answer) => queryClient.setQueryData(maintenanceQuery.queryKey, answer),
    onError: (failure, given) => tellFailure('Maintenance mode was not changed', failure, () => setting.mutate(given)),
    onSettled: () => queryClient.invalidateQueries({ queryKey: ['maintenance'] }),
  });
  return setting;
}
