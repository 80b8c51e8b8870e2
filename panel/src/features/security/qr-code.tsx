import { renderSVG } from 'uqr';

/** Draws a QR code, black on white in both themes: some cameras cannot read an inverted one. */
export function QrCode({ text, label }: { text: string; label: string }) {
  return (
    <img
      className="qr-code"
      alt={label}
      width={200}
      height={200}
      src={`data:image/svg+xml,${encodeURIComponent(renderSVG(text, { border: 2 }))}`}
    />
  );
}
