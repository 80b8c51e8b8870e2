import { useInfiniteQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { type Correction, type Finding, FindingKind, type TreeUser, type TreeReport } from 'contract/referrals.ts';
import { Fragment, type ReactNode, useState } from 'react';
import { Amount } from '#panel/ui/amount.tsx';
import { Button } from '#panel/ui/button.tsx';
import { ShortId } from '#panel/ui/short-id.tsx';
import { LoadError, SkeletonLines } from '#panel/ui/states.tsx';
import { formatCount } from '#panel/ui/table/view.ts';
import { correctionsQuery, findingsQuery } from './tree-api.ts';
import { TreeRepair } from './tree-repair.tsx';

const names: Record<FindingKind, { name: string; line: string }> = {
  'self-referral': { name: 'Self-referrals', line: 'Users who are their own sponsor.' },
  circle: { name: 'Loops', line: 'Each of these users is referred by the next, and the last by the first.' },
  'missing-sponsor': { name: 'Missing sponsors', line: 'The sponsor of these users was deleted.' },
  'blacklisted-sponsor': { name: 'Blacklisted sponsors', line: 'The sponsor of these users is blacklisted.' },
  'shared-wallet': { name: 'Shared wallets', line: 'One wallet is used by several users.' },
};

type Props = { report: TreeReport; newest: TreeReport };

export function TreeFindings({ report, newest }: Props) {
  const { id, found, wrong } = report;
  return (
    <div>
      <Kind
        name="Counters"
        line="Referral count, network or team volumes that differ from the tree."
        count={wrong.users}
      >
        <Corrections id={id} count={wrong.users} />
      </Kind>
      {wrong.users > 0 && <TreeRepair report={report} newest={newest} />}
      {FindingKind.options.map((kind) => (
        <Kind key={kind} {...names[kind]} count={found[kind]}>
          <Findings id={id} kind={kind} count={found[kind]} />
        </Kind>
      ))}
      <p className="jobs-hint">Only counters can be repaired. Review loops, sponsors and wallets on the profiles.</p>
    </div>
  );
}

type KindProps = { name: string; line: string; count: number; children: ReactNode };

/** A collapsed section of findings. A kind without findings cannot be expanded. */
function Kind({ name, line, count, children }: KindProps) {
  const [open, setOpen] = useState(false);
  if (count === 0) {
    return (
      <div className="tree-kind tree-kind-head">
        <span className="tree-kind-name">{name}</span>
        <span className="tree-quiet">None</span>
      </div>
    );
  }
  return (
    <details className="tree-kind" onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary className="tree-kind-head">
        <span className="tree-kind-name">{name}</span>
        <span className="tree-kind-line">{line}</span>
        <span className="tree-kind-count">{formatCount(count)}</span>
      </summary>
      {open && children}
    </details>
  );
}

type Paged = {
  error: { message: string; reference: string | undefined } | null;
  isFetching: boolean;
  refetch: () => unknown;
  hasNextPage: boolean;
  isFetchingNextPage: boolean;
  fetchNextPage: () => unknown;
};
type ListProps = { name: string; query: Paged; rows: ReactNode[] | undefined; count: number };

function List({ name, query, rows, count }: ListProps) {
  if (!rows) {
    if (query.error) return <LoadError title="The findings could not be loaded." query={query} />;
    return <SkeletonLines lines={3} label="Loading the findings" />;
  }
  return (
    <>
      <ul className="tree-list" aria-label={name}>
        {rows}
      </ul>
      {query.hasNextPage ? (
        <Button
          variant="default"
          size="xs"
          loading={query.isFetchingNextPage}
          onClick={() => void query.fetchNextPage()}
        >
          Show more
        </Button>
      ) : (
        rows.length < count && (
          <p className="tree-quiet">
            The first {formatCount(rows.length)} of {formatCount(count)} are listed.
          </p>
        )
      )}
    </>
  );
}

type Counted = { id: string; count: number };

function Findings({ id, kind, count }: Counted & { kind: FindingKind }) {
  const query = useInfiniteQuery(findingsQuery(id, kind));
  const findings = query.data?.pages.flatMap((page) => page.findings);
  const rows = findings?.map((finding) => (
    <li key={finding.no} className="tree-finding">
      <FindingLine kind={kind} finding={finding} />
    </li>
  ));
  return <List name={names[kind].name} query={query} rows={rows} count={count} />;
}

function FindingLine({ kind, finding: { users, size, wallet } }: { kind: FindingKind; finding: Finding }) {
  const [first, sponsor] = users;
  if (kind === 'missing-sponsor' || kind === 'blacklisted-sponsor') {
    return (
      <>
        {first && <UserLink user={first} />}
        <span className="tree-quiet">referred by {sponsor ? <UserLink user={sponsor} /> : 'an unknown user'}</span>
      </>
    );
  }
  return (
    <>
      {wallet !== null && <ShortId id={wallet} />}
      {users.map((user) => (
        <Fragment key={user.id}>
          <UserLink user={user} />
          {kind === 'circle' && <span className="tree-quiet">→</span>}
        </Fragment>
      ))}
      {size > users.length && <span className="tree-quiet">and {formatCount(size - users.length)} more</span>}
    </>
  );
}

function UserLink({ user: { id, username, userId, isDeleted } }: { user: TreeUser }) {
  return (
    <span className="tree-user">
      {isDeleted ? (
        <span>{username}</span>
      ) : (
        <Link to="/dashboard/user-profile/$id" params={{ id }} className="jobs-user">
          {username}
        </Link>
      )}
      <span className="jobs-user-id">{userId}</span>
      {isDeleted && <span className="tree-quiet">deleted</span>}
    </span>
  );
}

function Corrections({ id, count }: Counted) {
  const query = useInfiniteQuery(correctionsQuery(id));
  const corrections = query.data?.pages.flatMap((page) => page.corrections);
  const rows = corrections?.map((correction) => (
    <li key={correction.user.id} className="tree-finding">
      <UserLink user={correction.user} />
      <Differences {...correction} />
    </li>
  ));
  return <List name="Counters" query={query} rows={rows} count={count} />;
}

/** Shows only the counters that differ. */
function Differences({ stored, tree }: Correction) {
  const count = (units: number) => <span className="amount">{formatCount(units)}</span>;
  const figures = [
    { name: 'Referral count', stored: stored.referralCount, tree: tree.referralCount, format: count },
    { name: 'Total network', stored: stored.totalNetwork, tree: tree.totalNetwork, format: count },
  ].map(({ format, ...figure }) => ({ ...figure, from: format(figure.stored), to: format(figure.tree) }));
  const volumes = (['SOL', 'USD'] as const).map((asset) => {
    const [was, is] = [stored[`totalTeamVolume${asset}`], tree[`totalTeamVolume${asset}`]];
    return {
      name: `Team volume ${asset}`,
      stored: was,
      tree: is,
      from: <Amount units={was} asset={asset} />,
      to: <Amount units={is} asset={asset} />,
    };
  });
  return (
    <dl className="tree-differences">
      {[...figures, ...volumes]
        .filter((figure) => figure.stored !== figure.tree)
        .map(({ name, from, to }) => (
          <div key={name} className="tree-difference">
            <dt>{name}</dt>
            <dd>
              stored {from}, tree says <strong>{to}</strong>
            </dd>
          </div>
        ))}
    </dl>
  );
}
