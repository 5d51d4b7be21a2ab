import { NestedTooDeep, parseForeignJson as parse } from '@probe-mesh/runtime/foreign-json'
import { limits } from './limits.ts'

export { NestedTooDeep }

/**
 * Parses untrusted JSON of at most `limits.jsonDepthMax` levels.
 * @throws NestedTooDeep, or SyntaxError or TypeError when it is not JSON in UTF-8
 */
export const parseForeignJson = (text: Uint8Array | string): unknown => parse(text, limits.jsonDepthMax)

/**
 * Replaces NUL and lone surrogates by U+FFFD: jsonb and ClickHouse refuse them. A truncated text may end with
 * a lone surrogate.
 * @param json output of `JSON.stringify`, which escapes lone surrogates
 */
export const storableJson = (json: string): string =>
  // nearly every text has no escape of this kind, and a search for it costs a tenth
  !json.includes('\\u')
    ? json
    : json.replace(/\\\\|\\u(?:0000|d[89a-f][0-9a-f]{2})/g, (escape) =>
        escape === '\\\\' ? escape : '\ufffd',
      )
