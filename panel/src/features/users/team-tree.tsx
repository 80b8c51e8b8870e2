import { useInfiniteQuery } from '@tanstack/react-query';
import { rowsByDefault } from 'contract/core/paging.ts';
import type { Member } from 'contract/users.ts';
import { type KeyboardEvent, type MouseEvent, useRef, useState } from 'react';
import { Skeleton } from '#panel/ui/states.tsx';
import { MemberLine } from './member-line.tsx';
import { useMorePages } from './more-pages.ts';
import { TabStops, type Stops, useTabStop } from './tab-stop.ts';
import { teamQuery } from './team-api.ts';
import { focusFirstChild, focusParent, moveThroughTree } from './tree-keys.ts';

/** The direct referrals of a user, each expandable to their own. */
export function TeamTree({ id, label }: { id: string; label: string }) {
  const [active, setActive] = useState<string>();
  const stops: Stops = { active, setActive };
  return (
    <TabStops value={stops}>
      <ul
        role="tree"
        aria-label={label}
        className="tree"
        onKeyDown={moveThroughTree}
        onFocus={({ target }) => setActive(target.closest<HTMLElement>('[role="treeitem"]')?.dataset['path'])}
      >
        <Level id={id} path={id} level={1} />
      </ul>
    </TabStops>
  );
}

/** The indent stops growing at this level, so that deep levels still fit on the screen. */
const deepestIndent = 12;

const indented = (level: number) => ({
  paddingInlineStart: `calc(var(--tree-indent) * ${Math.min(level, deepestIndent) - 1})`,
});

type LevelProps = { id: string; path: string; level: number };

/** Renders all levels as one flat list. `aria-level` gives the depth of an item. */
function Level({ id, path, level }: LevelProps) {
  const query = useInfiniteQuery(teamQuery(id));
  const showMore = useMorePages(query);
  const { data, error, hasNextPage } = query;
  const members = data?.pages.flatMap(({ team }) => team) ?? [];
  const total = Math.max(data?.pages[0]?.total.count ?? 0, members.length);
  const left = Math.max(1, total - members.length);
  const more = `Show ${Math.min(left, rowsByDefault)} more`;
  return (
    <>
      {members.map((member, index) => (
        <MemberItem
          key={member.id}
          member={member}
          path={`${path}/${member.id}`}
          place={{ level, position: index + 1, of: total }}
        />
      ))}
      {query.isLoading && (
        <li role="none" className="tree-line" style={indented(level)}>
          <span />
          <Skeleton width="70%" />
        </li>
      )}
      {(error || hasNextPage) && (
        <ActItem
          path={`${path}/more`}
          level={level}
          text={error ? `${error.message} Press to retry.` : more}
          busy={query.isFetching}
          onAct={() => (data ? showMore() : void query.refetch())}
        />
      )}
    </>
  );
}

type Place = { level: number; position: number; of: number };
type MemberProps = { member: Member; path: string; place: Place };

function MemberItem({ member, path, place: { level, position, of } }: MemberProps) {
  const [open, setOpen] = useState(false);
  const opens = member.referralCount > 0;
  const press = (event: KeyboardEvent<HTMLElement>) => {
    const { key, currentTarget } = event;
    if (key === 'ArrowRight' && open) focusFirstChild(currentTarget);
    else if (key === 'ArrowLeft' && !open) focusParent(currentTarget);
    else if (key === 'ArrowRight' || key === 'ArrowLeft' || key === ' ') setOpen(opens && !open);
    else if (key === 'Enter') currentTarget.querySelector('a')?.click();
    else return;
    event.preventDefault();
  };
  // The name links to the profile. A click anywhere else expands the item.
  const click = ({ target }: MouseEvent) => {
    if (!(target instanceof Element && target.closest('a'))) setOpen(opens && !open);
  };
  return (
    <>
      <li
        role="treeitem"
        className="tree-line"
        style={indented(level)}
        data-path={path}
        data-opens={opens || undefined}
        tabIndex={useTabStop(path, level === 1 && position === 1)}
        aria-level={level}
        aria-posinset={position}
        aria-setsize={of}
        aria-expanded={opens ? open : undefined}
        onKeyDown={press}
        onClick={click}
      >
        <MemberLine member={member} />
      </li>
      {opens && open && <Level id={member.id} path={path} level={level + 1} />}
    </>
  );
}

type ActProps = { path: string; level: number; text: string; busy: boolean; onAct: () => void };

/** A button as a tree item, because a tree may contain only items. */
function ActItem({ path, level, text, busy, onAct }: ActProps) {
  const item = useRef<HTMLLIElement>(null);
  const act = () => {
    // The item is unmounted with the last page, so the focus moves to the item before the new ones.
    const before = item.current?.previousElementSibling;
    onAct();
    if (before instanceof HTMLElement) before.focus();
  };
  const press = (event: KeyboardEvent<HTMLElement>) => {
    if (event.key === 'ArrowLeft') focusParent(event.currentTarget);
    else if (event.key === 'Enter' || event.key === ' ') act();
    else return;
    event.preventDefault();
  };
  return (
    <li
      ref={item}
      role="treeitem"
      className="tree-line"
      style={indented(level)}
      data-path={path}
      data-opens
      tabIndex={useTabStop(path, false)}
      aria-level={level}
      aria-busy={busy}
      onClick={act}
      onKeyDown={press}
    >
      <span />
      <span className="tree-act">{text}</span>
    </li>
  );
}
