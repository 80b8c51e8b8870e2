import { Button } from '#panel/ui/button.tsx';
import { CopyButton } from '#panel/ui/copy-button.tsx';
import { Notice } from '#panel/ui/notice.tsx';

type RecoveryCodesProps = { codes: readonly string[]; onClose: () => void };

/** Shows recovery codes, which are never shown again. */
export function RecoveryCodes({ codes, onClose }: RecoveryCodesProps) {
  return (
    <div className="form">
      <Notice tone="waiting">Save these recovery codes now. They are not shown again.</Notice>
      <ul className="recovery-codes" aria-label="Recovery codes">
        {codes.map((code) => (
          <li key={code}>
            <code>{code}</code>
          </li>
        ))}
      </ul>
      <p className="security-note">
        If you lose your phone, sign in with your password and one of these codes. Each works once. Do not keep them on
        your phone.
      </p>
      <CopyButton label="Copy codes" text={() => codes.join('\n')} />
      <div className="overlay-actions">
        <Button onClick={onClose}>Done</Button>
      </div>
    </div>
  );
}
