import type { Tree } from './tree.ts';

/** One thing that must not get through, and how the step that stops it names it. */
export type Breach = {
  name: string;
  step: string;
  plant(tree: Tree): void;
  /** Found in the step's output, so that a failure for another reason does not count. */
  seenAs: RegExp;
  /** Breaches that would hide one another are planted apart. */
  apart?: true;
};

/** A new file with this text. */
export function file(name: string, text: string) {
  return (tree: Tree) => tree.write(name, text);
}
