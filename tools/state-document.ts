type Transition<State extends string> = {
  from: State | null;
  event: string;
  to: State;
  who: readonly string[];
};

type Machine<State extends string> = { transitions: readonly Transition<State>[]; finals: readonly State[] };

/** Returns transitions as a Markdown table. */
function tableOf({ transitions }: Machine<string>) {
  const rows = transitions.map(({ from, event, to, who }) => [from ?? '', event, to, who.join(', ')]);
  return [['From', 'Event', 'To', 'Who'], ['---', '---', '---', '---'], ...rows]
    .map((cells) => `| ${cells.join(' | ')} |`)
    .join('\n');
}

/** Returns the same as a diagram: one arrow per pair of states, labeled with its events. */
function diagramOf({ transitions, finals }: Machine<string>) {
  const arrows = Map.groupBy(transitions, ({ from, to }) => `${from ?? '[*]'} --> ${to}`);
  return [
    '```mermaid',
    'stateDiagram-v2',
    ...[...arrows].map(([arrow, rows]) => `  ${arrow}: ${rows.map(({ event }) => event).join(', ')}`),
    ...finals.map((state) => `  ${state} --> [*]`),
    '```',
  ].join('\n');
}

/** Replaces the text between the marks `<!-- name -->` and `<!-- /name -->`. */
function replaceMarked(text: string, name: string, content: string) {
  const marked = new RegExp(`(?<=<!-- ${name} -->\\n\\n)[\\s\\S]*?(?=\\n\\n<!-- /${name} -->)`);
  if (!marked.test(text)) throw new Error(`The document has no marks of ${name}.`);
  return text.replace(marked, () => content);
}

/** Returns the document with the current table and diagram of its states. */
export const documentOfStates = <State extends string>(text: string, machine: Machine<State>) =>
  replaceMarked(replaceMarked(text, 'transitions', tableOf(machine)), 'diagram', diagramOf(machine));
