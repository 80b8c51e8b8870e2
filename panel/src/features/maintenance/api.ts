import { useMutation, useQueryClient } from '@tanstack/react-query';
import { readMaintenance, setMaintenance } from 'contract/maintenance.ts';
import { queryFor, mutationFor } from '#panel/shell/query.ts';
import { reportFailure } from '#panel/ui/reported-failure.ts';

export const maintenanceQuery = queryFor(readMaintenance, {});

export function useSetMaintenance() {
  const queryClient = useQueryClient();
  const setting = useMutation({
    ...mutationFor(setMaintenance),
    onSuccess: (answer) => queryClient.setQueryData(maintenanceQuery.queryKey, answer),
    onError: (failure, given) =>
      reportFailure('Maintenance mode was not changed', failure, () => setting.mutate(given)),
    onSettled: () => queryClient.invalidateQueries({ queryKey: ['maintenance'] }),
  });
  return setting;
}
