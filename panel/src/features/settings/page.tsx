import { useQuery } from '@tanstack/react-query';
import type { Settings } from 'contract/settings.ts';
import { Card } from '#panel/ui/card.tsx';
import { Timestamp } from '#panel/ui/timestamp.tsx';
import { PageFrame } from '#panel/ui/page-frame.tsx';
import { LoadError, SkeletonLines } from '#panel/ui/states.tsx';
import { useReportedFailure } from '#panel/ui/reported-failure.ts';
import { settingsQuery } from './api.ts';
import { SettingsForm } from './settings-form.tsx';
import './settings.css';

const failed = 'Your settings could not be loaded.';

export function SettingsPage() {
  const query = useQuery(settingsQuery);
  useReportedFailure(failed, query, { shownInline: query.isLoadingError });
  const { data, error } = query;
  return (
    <PageFrame title="Settings" now={data ? <LastSaved settings={data.settings} /> : ''}>
      <div className="settings">
        <Card>
          {data ? (
            <SettingsForm settings={data.settings} />
          ) : error ? (
            <LoadError title={failed} query={query} />
          ) : (
            <SkeletonLines lines={6} label="Loading your settings" />
          )}
        </Card>
      </div>
    </PageFrame>
  );
}

function LastSaved({ settings: { updatedAt } }: { settings: Settings }) {
  if (!updatedAt) return 'Yours; not saved yet';
  return (
    <>
      Your own; saved <Timestamp at={updatedAt} />
    </>
  );
}
