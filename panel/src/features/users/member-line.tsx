import { VisuallyHidden } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { IconChevronRight } from '@tabler/icons-react';
import type { Member } from 'contract/users.ts';
import type { ReactNode } from 'react';
import { Amount } from '#panel/ui/amount.tsx';
import { formatCount } from '#panel/ui/table/view.ts';

/** One member of a team, with the figures of their own team. */
export function MemberLine({ member }: { member: Member }) {
  return (
    <>
      <span className="tree-toggle" aria-hidden>
        {member.referralCount > 0 && <IconChevronRight size={16} stroke={1.75} />}
      </span>
      <span className="tree-who">
        <Name member={member} /> <span className="tree-id">{member.userId}</span>
        {member.isBlacklisted && <span className="tree-mark">Blacklisted</span>}
      </span>
      <span className="tree-figures">
        <span data-none={member.rank === 'none' || undefined}>{member.rank === 'none' ? 'No rank' : member.rank}</span>
        <Figure name="direct" zero={member.referralCount === 0}>
          {formatCount(member.referralCount)}
        </Figure>
        <Figure name="network" zero={member.totalNetwork === 0}>
          {formatCount(member.totalNetwork)}
        </Figure>
        <Figure name="volume" zero={member.totalTeamVolumeSOL === 0n}>
          <Amount units={member.totalTeamVolumeSOL} asset="SOL" />
        </Figure>
        <Figure name="volume" zero={member.totalTeamVolumeUSD === 0n}>
          <Amount units={member.totalTeamVolumeUSD} asset="USD" />
        </Figure>
      </span>
    </>
  );
}

function Name({ member: { id, username, isDeleted } }: { member: Member }) {
  if (isDeleted) return <span className="tree-deleted">{username}, deleted</span>;
  return (
    <Link to="/dashboard/user-profile/$id" params={{ id }} className="tree-link" tabIndex={-1}>
      {username}
    </Link>
  );
}

type FigureProps = { name: 'direct' | 'network' | 'volume'; zero: boolean; children: ReactNode };

function Figure({ name, zero, children }: FigureProps) {
  return (
    <span className="tree-figure" data-figure={name} data-none={zero || undefined}>
      {children}
      {name === 'volume' ? <VisuallyHidden> of team volume</VisuallyHidden> : <span className="tree-unit">{name}</span>}
    </span>
  );
}
