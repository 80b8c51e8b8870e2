import Linkify from 'linkify-react';

/** Anything but a web address stays text: no mail links, no other schemes. */
const isWebAddress = (value: string) => /^(https?:\/\/|www\.)/i.test(value);

const options = {
  defaultProtocol: 'https',
  target: '_blank',
  rel: 'noopener noreferrer nofollow',
  validate: { url: isWebAddress, email: false },
};

/** Text that a stranger wrote, with its web links made clickable; never read as HTML. */
export function LinkedText({ children }: { children: string }) {
  return (
    <p className="ticket-text">
      <Linkify options={options}>{children}</Linkify>
    </p>
  );
}
