import type { ReactNode } from 'react';
import { Button } from '#panel/ui/button.tsx';
import { CopyButton } from '#panel/ui/copy-button.tsx';
import { Notice } from '#panel/ui/notice.tsx';

type Props = { title: string; secret: string; children: ReactNode; onClose: () => void };

/** Shows a secret that is never shown again. */
export function SecretOnce({ title, secret, children, onClose }: Props) {
  return (
    <div className="form">
      <Notice tone="waiting">{title}</Notice>
      <div className="secret-once">
        <code className="secret-code">{secret}</code>
        <CopyButton label="Copy secret" text={() => secret} />
      </div>
      <p className="integration-note">{children}</p>
      <div className="overlay-actions">
        <Button onClick={onClose}>Done</Button>
      </div>
    </div>
  );
}
