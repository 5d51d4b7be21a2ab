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
 * JSON text in which nothing nests deeper than `depthMax`: a mark stands for each list and object below that.
 * Reads each byte once, before anything parses them, and never recurses. Pure.
 * @param text UTF-8; where it is no JSON, neither is what comes out
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
  // what never closes is no JSON, with a mark or without
  return Buffer.concat(depth > depthMax ? parts : [...parts, text.subarray(kept)])
}
