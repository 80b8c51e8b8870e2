/** Shared by the page, which draws pictures of texts, and the worker, which lays them out. Lengths are in points. */
export const fontSize = 9;
export const cellPadding = 4;
export const userWidth = 150;

export const ink: [number, number, number] = [29, 32, 28];
