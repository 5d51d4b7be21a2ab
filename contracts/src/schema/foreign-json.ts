import { NestedTooDeep, parseForeignJson as parse } from '@probe-mesh/runtime/foreign-json'
import { limits } from './limits.ts'

export { NestedTooDeep }

/**
 * Parses JSON that came from outside, of at most `limits.jsonDepthMax` levels.
 * @throws NestedTooDeep, or SyntaxError or TypeError where it is not JSON in UTF-8
 */
export const parseForeignJson = (text: Uint8Array | string): unknown =>
  parse(text, limits.jsonDepthMax)
