import { Button } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { holds } from 'contract/core/permissions.ts';
import { useMe } from '#panel/shell/me.ts';
import { wanting } from '#panel/shell/wanted.ts';
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
    <PageFrame title="Security" now="Who can use your account, and from where.">
      <div className="security">
        <Card title="Password">
          <div className="security-line">
            <p className="security-note">All your other sessions end when you change it.</p>
            <Button
              variant="default"
              renderRoot={(props) => <Link {...props} to="/new-password" search={wanting('/dashboard/security')} />}
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
