import type { Cells } from './cells.ts';

/** Takes rows as they come and makes a file of them. */
export type FileBuilder = {
  add: (rows: Cells[]) => void;
  finish: () => Promise<Blob>;
  stop: () => void;
};
