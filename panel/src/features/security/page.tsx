import { Button } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { holds } from 'contract/core/permissions.ts';
import { useMe } from '#panel/shell/me.ts';
import { returnToSearch } from '#panel/shell/return-to.ts';
import { Card } from '#panel/ui/card.tsx';
import { PageFrame } from '#panel/ui/page-frame.tsx';
import { Factors } from './factors.tsx';
import { PolicyReports } from './policy-reports.tsx';
import { Sessions } from './sessions.tsx';
import { SignIns } from './sign-ins.tsx';
import './security.css';

export function SecurityPage() {
  const me = useMe();
  return (
    <PageFrame title="Security" now="Manage how you sign in and where you’re signed in.">
      <div className="security">
        <Card title="Password">
          <div className="security-line">
            <p className="security-note">All your other sessions end when you change it.</p>
            <Button
              variant="default"
              renderRoot={(props) => (
                <Link {...props} to="/new-password" search={returnToSearch('/dashboard/security')} />
              )}
            >
              Change password
            </Button>
          </div>
        </Card>
        <Factors />
        <Sessions />
        <SignIns />
        {holds(me, 'audit.read') && <PolicyReports />}
      </div>
    </PageFrame>
  );
}
