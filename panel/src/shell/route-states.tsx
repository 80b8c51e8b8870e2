import { Button } from '@mantine/core';
import { type ErrorComponentProps, Link, useRouter } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { Logo } from '#panel/ui/brand.tsx';
import { Card } from '#panel/ui/card.tsx';
import { PageFrame } from '#panel/ui/page-frame.tsx';
import { EmptyState, ErrorState, Skeleton, SkeletonLines } from '#panel/ui/states.tsx';
import { Failure } from './call.ts';
import './route-states.css';

/** Shown while the code or data of a page is loading. */
export function Waiting() {
  return (
    <div className="page-frame">
      <div>
        <Skeleton width={220} height={28} />
      </div>
      <SkeletonLines lines={6} />
    </div>
  );
}

/** Shown while it is unknown whether anyone is signed in. */
export function EmptyRoute() {
  return null;
}

export function NotFound() {
  return (
    <PageFrame title="Page not found">
      <Card>
        <EmptyState
          title="This page doesn’t exist."
          line="The link may be outdated or incomplete."
          action={
            <Button variant="default" renderRoot={(props) => <Link {...props} to="/dashboard" />}>
              Go to the dashboard
            </Button>
          }
        />
      </Card>
    </PageFrame>
  );
}

const unexpected = 'Something went wrong on this page. Your saved changes are safe. Try again, or reload the page.';

export function RouteError({ error, reset }: ErrorComponentProps) {
  const router = useRouter();
  const failure = error instanceof Failure ? error : undefined;
  const retry = () => {
    reset();
    void router.invalidate();
  };
  return (
    <PageFrame title="Something went wrong">
      <Card>
        <ErrorState
          title="This page could not be loaded."
          message={failure?.message ?? unexpected}
          reference={failure?.reference}
          onRetry={retry}
        />
      </Card>
    </PageFrame>
  );
}

/** Without the layout around it, the page needs its own <main>. */
export const PublicNotFound = () => (
  <Outside>
    <NotFound />
  </Outside>
);

export const PublicRouteError = (props: ErrorComponentProps) => (
  <Outside>
    <RouteError {...props} />
  </Outside>
);

function Outside({ children }: { children: ReactNode }) {
  return (
    <main>
      <div className="outside-logo">
        <Logo />
      </div>
      {children}
    </main>
  );
}
