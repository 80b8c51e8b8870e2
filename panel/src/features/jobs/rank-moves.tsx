import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import type { RankMove } from 'contract/ranks.ts';
import { lazy, Suspense, useState } from 'react';
import { useChangeView } from '#panel/domain/change-view.ts';
import { useListing } from '#panel/domain/listing.tsx';
import { Modal } from '#panel/ui/modal.tsx';
import { useLast } from '#panel/ui/opening.ts';
import { SkeletonLines } from '#panel/ui/states.tsx';
import { DataTable } from '#panel/ui/table/data-table.tsx';
import { rankMovesQuery } from './rank-api.ts';
import { MoveFigures, movers } from './move-figures.tsx';
import { moveColumns } from './move-columns.tsx';
import { MoveSelection, type Wanted } from './move-selection.tsx';

// Fetched when it is first wanted: the page is quicker without it.
const PromoteForm = lazy(async () => ({ default: (await import('./promote-form.tsx')).PromoteForm }));

const route = getRouteApi('/dashboard/settings/cronjobs/rank-promo');

/** Who would move by the thresholds in force, what that would cost, and the way to do it. */
export function RankMoves() {
  const { cursor } = route.useSearch();
  const query = useQuery(rankMovesQuery(cursor));
  const change = useChangeView();
  const [ids, choose] = useState<readonly string[]>([]);
  const [wanted, want] = useState<Wanted>();
  const listing = useListing(query, { rows: ({ moves }) => moves, failed: 'Failed to fetch who would move', change });
  return (
    <>
      <MoveFigures />
      {query.data && <MoveSelection {...query.data} ids={ids} choose={choose} want={want} />}
      {listing.total?.count !== 0 && (
        <DataTable
          bare
          label="Who would move"
          noun={movers}
          columns={moveColumns({ ids, choose })}
          listing={listing}
          rowId={moveId}
          signature={moveSignature}
          view={{ cursor }}
          change={change}
          sortedBy="server"
          empty={null}
        />
      )}
      <PromoteModal wanted={wanted} onClose={() => want(undefined)} />
    </>
  );
}

const moveId = ({ id }: RankMove) => id;

const moveSignature = ({ from, to }: RankMove) => `${from} ${to}`;

function PromoteModal({ wanted, onClose }: { wanted: Wanted | undefined; onClose: () => void }) {
  const last = useLast(wanted);
  const [turn, setTurn] = useState(0);
  const [known, setKnown] = useState(wanted);
  // The next question starts anew.
  if (known !== wanted) {
    setKnown(wanted);
    if (wanted) setTurn(turn + 1);
  }
  return (
    <Modal title="Promote by Thresholds" opened={wanted !== undefined} onClose={onClose}>
      <Suspense fallback={<SkeletonLines lines={4} />}>
        {last && <PromoteForm key={turn} {...last} onDone={onClose} />}
      </Suspense>
    </Modal>
  );
}
