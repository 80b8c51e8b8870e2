import { isOver, RunState, type RunTransition, runTransitions } from '../contract/src/run-states.ts';

const eventOf = ({ event, hasPlan }: RunTransition) =>
  hasPlan === undefined ? event : `${event} (${hasPlan ? 'has a plan' : 'has no plan'})`;

/** Returns the transitions of a run as a Markdown table. */
function transitionTable() {
  const rows = runTransitions.map((row) => [row.from ?? '', eventOf(row), row.to, row.who.join(', ')]);
  return [['From', 'Event', 'To', 'Who'], ['---', '---', '---', '---'], ...rows]
    .map((cells) => `| ${cells.join(' | ')} |`)
    .join('\n');
}

/** Returns the same as a diagram: one arrow per pair of states, labeled with its events. */
function stateDiagram() {
  const arrows = Map.groupBy(runTransitions, ({ from, to }) => `${from ?? '[*]'} --> ${to}`);
  return [
    '```mermaid',
    'stateDiagram-v2',
    ...[...arrows].map(([arrow, rows]) => `  ${arrow}: ${rows.map(eventOf).join(', ')}`),
    ...RunState.options.filter(isOver).map((state) => `  ${state} --> [*]`),
    '```',
  ].join('\n');
}

/** Replaces the text between the marks `<!-- name -->` and `<!-- /name -->`. */
function replaceMarked(text: string, name: string, content: string) {
  const marked = new RegExp(`(?<=<!-- ${name} -->\\n\\n)[\\s\\S]*?(?=\\n\\n<!-- /${name} -->)`);
  if (!marked.test(text)) throw new Error(`The document has no marks of ${name}.`);
  return text.replace(marked, () => content);
}

/** Returns the document with the contract's current table and diagram. */
export const documentOfRuns = (text: string) =>
  replaceMarked(replaceMarked(text, 'transitions', transitionTable()), 'diagram', stateDiagram());
