import { isNestedDeeper } from './json-nesting.ts'

/** JSON text that nests deeper than its reader takes. It was not parsed. */
export class NestedTooDeep extends Error {
  override readonly name = 'NestedTooDeep'
}

const decoder = new TextDecoder('utf-8', { fatal: true })

/**
 * Parses JSON that came from outside. Its depth is judged first: a value that is nested too deep makes
 * whatever walks it overflow the stack, long after `JSON.parse` took it.
 * @throws NestedTooDeep, or SyntaxError or TypeError where it is not JSON in UTF-8
 */
export const parseForeignJson = (text: Uint8Array | string, depthMax: number): unknown => {
  const bytes = typeof text === 'string' ? Buffer.from(text) : text
  if (isNestedDeeper(bytes, depthMax)) {
    throw new NestedTooDeep(`nested deeper than ${depthMax} levels`)
  }
  return JSON.parse(typeof text === 'string' ? text : decoder.decode(text))
}
