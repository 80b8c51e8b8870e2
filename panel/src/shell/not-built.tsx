import { Button } from '@mantine/core';
import { IconBarrierBlock } from '@tabler/icons-react';
import { Link, useMatches } from '@tanstack/react-router';
import { Card } from '#panel/ui/card.tsx';
import { PageFrame } from '#panel/ui/page-frame.tsx';
import { EmptyState } from '#panel/ui/states.tsx';

export function NotBuiltPage() {
  const title = useMatches({ select: (matches) => matches.at(-1)?.staticData.title }) ?? 'Not built yet';
  return (
    <PageFrame title={title} now="Not built yet">
      <Card>
        <EmptyState
          icon={<IconBarrierBlock size={22} stroke={1.5} />}
          title="This screen is not built yet."
          line="Its address and its place in the menu are final. Everything above the line in the menu is ready to work with."
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
