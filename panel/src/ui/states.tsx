import { Button, VisuallyHidden } from '@mantine/core';
import { IconAlertTriangle, IconInbox } from '@tabler/icons-react';
import type { CSSProperties, ReactNode } from 'react';
import { ShortId } from './short-id.tsx';
import './states.css';

type EmptyStateProps = {
  /** The specified text of the empty screen. */
  title: string;
  /** One line of help. */
  line?: ReactNode;
  /** One suggested action. */
  action?: ReactNode;
  icon?: ReactNode;
};

export function EmptyState({ title, line, action, icon }: EmptyStateProps) {
  return (
    <div className="state">
      <div className="state-mark" aria-hidden>
        {icon ?? <IconInbox size={22} stroke={1.5} />}
      </div>
      <p className="state-title">{title}</p>
      {line && <p className="state-line">{line}</p>}
      {action && <div className="state-action">{action}</div>}
    </div>
  );
}

type ErrorStateProps = {
  /** What happened. */
  title: string;
  /** What was not changed and what to do, usually a Failure's `message`. */
  message: string;
  onRetry?: (() => void) | undefined;
  retrying?: boolean | undefined;
  reference?: string | undefined;
};

export function ErrorState({ title, message, onRetry, retrying = false, reference }: ErrorStateProps) {
  return (
    <div className="state" role="alert">
      <div className="state-mark" data-tone="bad" aria-hidden>
        <IconAlertTriangle size={22} stroke={1.5} />
      </div>
      <p className="state-title">{title}</p>
      <p className="state-line">{message}</p>
      {onRetry && (
        <div className="state-action">
          <Button variant="default" onClick={onRetry} loading={retrying}>
            Retry
          </Button>
        </div>
      )}
      {reference && (
        <div className="state-reference">
          Reference <ShortId id={reference} />
        </div>
      )}
    </div>
  );
}

type QueryState = {
  error: { message: string; reference: string | undefined } | null;
  isFetching: boolean;
  refetch: () => unknown;
};

/** Replaces content that could not be loaded. */
export function LoadError({ title, query: { error, isFetching, refetch } }: { title: string; query: QueryState }) {
  return (
    error && (
      <ErrorState
        title={title}
        message={error.message}
        reference={error.reference}
        retrying={isFetching}
        onRetry={() => void refetch()}
      />
    )
  );
}

type SkeletonProps = { width?: CSSProperties['width']; height?: CSSProperties['height'] };

/** A placeholder bar in the position and size of the content. */
export function Skeleton({ width = '100%', height = 14 }: SkeletonProps) {
  return <span className="skeleton" aria-hidden style={{ width, height }} />;
}

const lineWidths = ['92%', '78%', '85%', '64%'];

export function SkeletonLines({ lines = 4, label = 'Loading' }: { lines?: number; label?: string }) {
  return (
    <output className="skeleton-lines">
      <VisuallyHidden>{label}</VisuallyHidden>
      {Array.from({ length: lines }, (_, line) => (
        <Skeleton key={line} width={lineWidths[line % lineWidths.length]} />
      ))}
    </output>
  );
}
