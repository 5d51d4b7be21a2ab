import { isNestedDeeper } from '@probe-mesh/runtime/json-nesting'
import { cutDeeper } from '../raw/cut-text.ts'

const quote = 0x22
const backslash = 0x5c
const openBracket = 0x5b
const closeBracket = 0x5d
const openBrace = 0x7b
const closeBrace = 0x7d

const mark = new TextEncoder().encode(JSON.stringify(cutDeeper))

/**
 * Replaces lists and objects deeper than `depthMax` with a mark, in JSON text before it is parsed. Linear and
 * without recursion.
 * @param text UTF-8. Invalid JSON stays invalid.
 */
export const cutNesting = (text: Uint8Array, depthMax: number): Uint8Array => {
  if (!isNestedDeeper(text, depthMax)) return text
  const parts: Uint8Array[] = []
  let kept = 0
  let depth = 0
  let inString = false
  for (let at = 0; at < text.length; at++) {
    const byte = text[at]
    if (inString) {
      if (byte === backslash) at++
      else if (byte === quote) inString = false
    } else if (byte === quote) inString = true
    else if (byte === openBrace || byte === openBracket) {
      if (depth === depthMax) parts.push(text.subarray(kept, at), mark)
      depth++
    } else if (byte === closeBrace || byte === closeBracket) {
      depth--
      if (depth === depthMax) kept = at + 1
    }
  }
  // unclosed brackets leave invalid JSON
  return Buffer.concat(depth > depthMax ? parts : [...parts, text.subarray(kept)])
}
