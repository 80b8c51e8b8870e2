import type { Change } from '../processes/code.ts';

/** Writes the text of a ticket as HTML. */
export const writesHtml: Change = {
  file: 'panel/src/features/tickets/linked-text.tsx',
  from: `    <p className="ticket-text">
      <Linkify options={options}>{children}</Linkify>
    </p>`,
  to: `    <>
      <Linkify options={options} />
      <p className="ticket-text" dangerouslySetInnerHTML={{ __html: children }} />
    </>`,
};

/** The screen that shows it. */
export const screensOfMutant = ['ticket'];
