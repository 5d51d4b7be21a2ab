const quote = 0x22
const backslash = 0x5c
const openBracket = 0x5b
const closeBracket = 0x5d
const openBrace = 0x7b
const closeBrace = 0x7d

/**
 * Whether JSON text nests deeper than `depthMax`, judged on its bytes before anything parses it. Parsers and
 * whatever walks their result recurse, and a stack that overflows stops the process. Reads each byte once and
 * never recurses. In text that is no JSON it may count brackets that a parser would not reach; such text is refused anyway.
 * @param text UTF-8
 */
export const isNestedDeeper = (text: Uint8Array, depthMax: number): boolean => {
  let depth = 0
  let inString = false
  for (let at = 0; at < text.length; at++) {
    const byte = text[at]
    if (inString) {
      if (byte === backslash) at++
      else if (byte === quote) inString = false
      continue
    }
    if (byte === quote) inString = true
    else if (byte === openBrace || byte === openBracket) {
      depth++
      if (depth > depthMax) return true
    } else if (byte === closeBrace || byte === closeBracket) depth--
  }
  return false
}
