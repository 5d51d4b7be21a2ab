const quote = 0x22
const backslash = 0x5c
const openBracket = 0x5b
const closeBracket = 0x5d
const openBrace = 0x7b
const closeBrace = 0x7d

/**
 * Whether JSON text nests deeper than `depthMax`. Call it before parsing: parsers and code that walks their
 * result recurse, and a stack overflow stops the process. Reads each byte once, without recursion. In invalid
 * JSON it may count brackets that a parser would not reach; a parser refuses that text anyway.
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
