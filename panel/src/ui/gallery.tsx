import '@mantine/core/styles/Combobox.layer.css';
import './mantine-dashboard.ts';
import '@fontsource-variable/jetbrains-mono/wght.css';
import { PasswordInput, Select, Switch, Textarea, TextInput } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { Logo } from './brand.tsx';
import { Button } from './button.tsx';
import { Card, Figures } from './card.tsx';
import { Drawer } from './drawer.tsx';
import './gallery.css';
import { Modal, ModalActions } from './modal.tsx';
import { Timestamp } from './timestamp.tsx';
import { PageFrame } from './page-frame.tsx';
import { ShortId } from './short-id.tsx';
import { EmptyState, ErrorState, SkeletonLines } from './states.tsx';
import { Status } from './status.tsx';
import { useThemeToggle } from './theme-toggle.ts';
import { toastFailure, toastSuccess } from './toast.ts';
import { Toasts } from './toasts.tsx';

const sampleId = '0198f2c4-7a1e-7c3b-9f0d-2b6a51c8e93f';
const minutesAgo = (minutes: number) => new Date(Date.now() - minutes * 60_000);

/** Every component side by side, for checking both themes. */
export function Gallery() {
  const { label, toggle } = useThemeToggle();
  return (
    <main>
      <PageFrame
        title="Components"
        now="Every piece of the panel, side by side"
        back={<Logo />}
        action={
          <Button variant="default" onClick={toggle}>
            {label}
          </Button>
        }
      >
        <Figures
          figures={[
            { label: 'Total', value: '1,204', note: '38 more than last week' },
            { label: 'Pending', value: '48,210.00', unit: 'USD', note: '12 withdrawals' },
            { label: 'Staked', value: '9,318.4402', unit: 'SOL' },
            { label: 'Engagement', value: '76', unit: '%' },
          ]}
        />
        <div className="gallery-columns">
          <Buttons />
          <Fields />
          <Words />
          <Overlays />
          <Card title="Empty">
            <EmptyState
              title="No withdrawal records found."
              line="Withdrawals appear here when users request them."
              action={<Button variant="default">Clear filters</Button>}
            />
          </Card>
          <Card title="Error">
            <ErrorState
              title="The tickets could not be loaded."
              message="The server is busy. Please try again shortly."
              reference={sampleId}
              onRetry={() => toastSuccess('Tried again')}
            />
          </Card>
          <Card title="Loading">
            <SkeletonLines />
          </Card>
        </div>
      </PageFrame>
      <Toasts />
    </main>
  );
}

function Row({ children }: { children: ReactNode }) {
  return <div className="gallery-row">{children}</div>;
}

function Buttons() {
  return (
    <Card title="Buttons">
      <Row>
        <Button>Primary</Button>
        <Button variant="default">Secondary</Button>
        <Button variant="subtle">Quiet</Button>
        <Button color="red">Delete</Button>
      </Row>
      <Row>
        <Button disabledReason="Your role does not allow this.">Approve</Button>
        <Button variant="default" disabledReason="Withdrawals are switched off.">
          Retry
        </Button>
        <Button loading>Saving</Button>
        <Button size="xs" variant="default">
          Small
        </Button>
      </Row>
    </Card>
  );
}

function Fields() {
  return (
    <Card title="Fields">
      <div className="gallery-fields">
        <TextInput label="Username" description="Letters, digits and . _ -" defaultValue="ada" />
        <PasswordInput label="Password" error="Use 12 to 128 characters." defaultValue="short" />
        <Select label="Role" data={['Admin', 'Super Admin']} defaultValue="Admin" />
        <Textarea label="Message" placeholder="Write a reply" rows={3} />
        <TextInput label="Username" defaultValue="locked" disabled />
        <Switch label="Withdrawals enabled" defaultChecked />
      </div>
    </Card>
  );
}

function Words() {
  return (
    <Card title="Status, time, ids">
      <Row>
        <Status tone="good">Completed</Status>
        <Status tone="waiting">Pending</Status>
        <Status tone="moving">in_progress</Status>
        <Status tone="bad">Failed</Status>
        <Status tone="quiet">closed</Status>
        <Status tone="partly-reversed">Partly reversed</Status>
        <Status tone="reversed">Reversed</Status>
      </Row>
      <Row>
        {[0, 4, 190, 1_800, 5_000, 30_000, 900_000].map((minutes) => (
          <Timestamp key={minutes} at={minutesAgo(minutes)} />
        ))}
      </Row>
      <Row>
        <ShortId id={sampleId} />
        <ShortId id="7xKXtg2CW87d97TXJSDpbD5jBkheTqA83TZRuJosgAsU" />
      </Row>
    </Card>
  );
}

function Overlays() {
  const [shown, setShown] = useState<'modal' | 'drawer'>();
  const close = () => setShown(undefined);
  const retry = () => toastSuccess('Tried again');
  return (
    <Card title="Modal, drawer, toasts">
      <Row>
        <Button variant="default" onClick={() => setShown('modal')}>
          Open modal
        </Button>
        <Button variant="default" onClick={() => setShown('drawer')}>
          Open drawer
        </Button>
        <Button variant="default" onClick={() => toastSuccess('Admin added successfully')}>
          Success toast
        </Button>
        <Button
          variant="default"
          onClick={() =>
            toastFailure('Failed to fetch tickets', { detail: 'The server is busy.', reference: sampleId, retry })
          }
        >
          Failure toast
        </Button>
      </Row>
      <Modal title="Confirm Deletion" opened={shown === 'modal'} onClose={close}>
        Are you sure you want to delete ada?
        <ModalActions waiting={false}>
          <Button color="red" onClick={close}>
            Delete
          </Button>
        </ModalActions>
      </Modal>
      <Drawer title="Withdrawal" opened={shown === 'drawer'} onClose={close}>
        <SkeletonLines lines={8} />
      </Drawer>
    </Card>
  );
}
