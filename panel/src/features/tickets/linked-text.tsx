import Linkify from 'linkify-react';

/** Only web addresses become links, not email addresses or other schemes. */
const isWebAddress = (value: string) => /^(https?:\/\/|www\.)/i.test(value);

const options = {
  defaultProtocol: 'https',
  target: '_blank',
  rel: 'noopener noreferrer nofollow',
  validate: { url: isWebAddress, email: false },
};

/** Renders untrusted text with clickable web links, never as HTML. */
export function LinkedText({ children }: { children: string }) {
  return (
    <p className="ticket-text">
      <Linkify options={options}>{children}</Linkify>
    </p>
  );
}
