import { NestedTooDeep, parseForeignJson as parse } from '@probe-mesh/runtime/foreign-json'
import { limits } from './limits.ts'

export { NestedTooDeep }

/**
 * Parses JSON that came from outside, of at most `limits.jsonDepthMax` levels.
 * @throws NestedTooDeep, or SyntaxError or TypeError where it is not JSON in UTF-8
 */
export const parseForeignJson = (text: Uint8Array | string): unknown =>
  parse(text, limits.jsonDepthMax)

/**
 * JSON without what stores refuse: neither jsonb nor ClickHouse keeps NUL or half of a surrogate pair,
 * which a text that was cut somewhere may end with. Each becomes U+FFFD.
 * @param json as `JSON.stringify` writes it, which escapes what is half only
 */
export const storableJson = (json: string): string =>
  json.replace(/\\\\|\\u(?:0000|d[89a-f][0-9a-f]{2})/g, (escape) =>
    escape === '\\\\' ? escape : '\ufffd',
  )
