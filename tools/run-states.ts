import { isOver, RunState, type RunTransition, runTransitions } from '../contract/src/run-states.ts';

const eventOf = ({ event, hasPlan }: RunTransition) =>
  hasPlan === undefined ? event : `${event} (${hasPlan ? 'has a plan' : 'has no plan'})`;

/** The transitions of a run as a table in Markdown. */
function transitionTable() {
  const rows = runTransitions.map((row) => [row.from ?? '', eventOf(row), row.to, row.who.join(', ')]);
  return [['From', 'Event', 'To', 'Who'], ['---', '---', '---', '---'], ...rows]
    .map((cells) => `| ${cells.join(' | ')} |`)
    .join('\n');
}

/** The same as a diagram: one arrow for each pair of states, with all events that lead along it. */
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

/** Replaces what a document says between the marks `<!-- name -->` and `<!-- /name -->`. */
function replaceMarked(text: string, name: string, content: string) {
  const marked = new RegExp(`(?<=<!-- ${name} -->\\n\\n)[\\s\\S]*?(?=\\n\\n<!-- /${name} -->)`);
  if (!marked.test(text)) throw new Error(`The document has no marks of ${name}.`);
  return text.replace(marked, () => content);
}

/** The document with the table and the diagram as the contract has them now. */
export const documentOfRuns = (text: string) =>
  replaceMarked(replaceMarked(text, 'transitions', transitionTable()), 'diagram', stateDiagram());
