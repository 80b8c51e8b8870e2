import type { Cells } from './cells.ts';

/** Builds a file from rows that are added page by page. */
export type FileBuilder = {
  add: (rows: Cells[]) => void;
  finish: () => Promise<Blob>;
  stop: () => void;
};
