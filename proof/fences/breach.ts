import type { Tree } from './tree.ts';

/** A violation that a step must catch, and how the output of the step names it. */
export type Breach = {
  name: string;
  step: string;
  plant(tree: Tree): void;
  /** Must match the step's output, so that a failure for another reason does not count. */
  seenAs: RegExp;
  /** Planted alone, because it would hide other breaches. */
  apart?: true;
};

/** Plants a new file with this text. */
export function file(name: string, text: string) {
  return (tree: Tree) => tree.write(name, text);
}
