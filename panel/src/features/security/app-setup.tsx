import type { Answer } from 'contract/core/endpoint.ts';
import type { startApp } from 'contract/security-factors.ts';
import { useState } from 'react';
import { CopyButton } from '#panel/ui/copy-button.tsx';
import { CodeForm } from './code-form.tsx';
import { useConfirmApp } from './factors-api.ts';
import { QrCode } from './qr-code.tsx';
import { RecoveryCodes } from './recovery-codes.tsx';

type AppSetupProps = { started: Answer<typeof startApp>; onClose: () => void };

/** Shows the secret as a QR code, asks for the first code of the app, and then shows the recovery codes once. */
export function AppSetup({ started, onClose }: AppSetupProps) {
  const [codes, setCodes] = useState<readonly string[]>();
  const confirm = useConfirmApp(({ recoveryCodes }) => setCodes(recoveryCodes));
  if (codes) return <RecoveryCodes codes={codes} onClose={onClose} />;
  return (
    <CodeForm
      button="Turn on"
      description="The 6-digit code that the app shows."
      waiting={confirm.isPending}
      error={confirm.error}
      onCode={(code) => confirm.mutate({ body: { code } })}
    >
      <Secret {...started} />
    </CodeForm>
  );
}

function Secret({ uri, secret }: Answer<typeof startApp>) {
  return (
    <>
      <p className="security-note">Scan this with your authenticator app, then enter the code that it shows.</p>
      <QrCode text={uri} label="QR code for your authenticator app" />
      <div className="secret-key">
        <span className="security-note">Can't scan it? Enter this key:</span>
        <code className="secret-key-text">{secret.match(/.{1,4}/g)?.join(' ')}</code>
        <CopyButton label="Copy key" text={() => secret} />
      </div>
    </>
  );
}
