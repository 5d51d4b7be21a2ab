/**
 * A source's name as a person knows it: without the bundler's scheme and name, and without the way up
 * from wherever the bundle lay. Pure.
 */
export const originalFile = (source: string): string =>
  source
    .replace(/^(?:webpack|turbopack|rspack|rollup|vite|ng|app|file):\/\/[^/]{0,100}\/+/, '')
    .replaceAll('\\', '/')
    .replace(/^(?:\.{1,2}\/)+/, '')
    .replace(/\?[^/]*$/, '')
