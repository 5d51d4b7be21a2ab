import { isNestedDeeper } from './json-nesting.ts'

/** The JSON nests deeper than the limit. It was not parsed. */
export class NestedTooDeep extends Error {
  override readonly name = 'NestedTooDeep'
}

const decoder = new TextDecoder('utf-8', { fatal: true })

/**
 * Parses untrusted JSON. Checks the depth first: code that walks a deeply nested value overflows the stack,
 * even where `JSON.parse` accepted it.
 * @throws NestedTooDeep, or SyntaxError or TypeError when it is not JSON in UTF-8
 */
export const parseForeignJson = (text: Uint8Array | string, depthMax: number): unknown => {
  const bytes = typeof text === 'string' ? Buffer.from(text) : text
  if (isNestedDeeper(bytes, depthMax)) {
    throw new NestedTooDeep(`nested deeper than ${depthMax} levels`)
  }
  return JSON.parse(typeof text === 'string' ? text : decoder.decode(text))
}
