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
import { MoveSelection, type PromotionRequest } from './move-selection.tsx';

// Loaded on first use, so that the page loads faster.
const PromoteForm = lazy(async () => ({ default: (await import('./promote-form.tsx')).PromoteForm }));

const route = getRouteApi('/dashboard/settings/cronjobs/rank-promo');

/** Lists who would move up by the current thresholds, at what cost, and promotes the selected users. */
export function RankMoves() {
  const { cursor } = route.useSearch();
  const query = useQuery(rankMovesQuery(cursor));
  const change = useChangeView();
  const [ids, choose] = useState<readonly string[]>([]);
  const [request, requestPromotion] = useState<PromotionRequest>();
  const listing = useListing(query, {
    rows: ({ moves }) => moves,
    failed: 'Failed to fetch the eligible users',
    change,
  });
  return (
    <>
      <MoveFigures />
      {query.data && <MoveSelection {...query.data} ids={ids} choose={choose} requestPromotion={requestPromotion} />}
      {listing.total?.count !== 0 && (
        <DataTable
          bare
          label="Eligible for promotion"
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
      <PromoteModal request={request} onClose={() => requestPromotion(undefined)} />
    </>
  );
}

const moveId = ({ id }: RankMove) => id;

const moveSignature = ({ from, to }: RankMove) => `${from} ${to}`;

function PromoteModal({ request, onClose }: { request: PromotionRequest | undefined; onClose: () => void }) {
  const last = useLast(request);
  const [formKey, setFormKey] = useState(0);
  const [previous, setPrevious] = useState(request);
  // A new key resets the form for each request.
  if (previous !== request) {
    setPrevious(request);
    if (request) setFormKey(formKey + 1);
  }
  return (
    <Modal title="Promote by Thresholds" opened={request !== undefined} onClose={onClose}>
      <Suspense fallback={<SkeletonLines lines={4} />}>
        {last && <PromoteForm key={formKey} {...last} onDone={onClose} />}
      </Suspense>
    </Modal>
  );
}
