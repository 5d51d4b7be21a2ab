const octetsMax = 255
/** Pointers go backward, so every name ends; this limits the cost of reading it. */
export const jumpsMax = 32

const plainLabel = /^[a-z0-9_-]+$/

/**
 * Reads a name, following compression pointers (RFC 1035 4.1.4): lower case, no trailing dot, `.`
 * for the root, special octets as `\.`, `\\` or `\009`.
 * @returns the name, and its end in the message; null when malformed
 */
export const readName = (bytes: Buffer, from: number): { name: string; end: number } | null => {
  const labels: string[] = []
  let at = from
  let runFrom = from
  let end: number | null = null
  let octets = 1
  let jumps = 0
  for (;;) {
    const length = bytes[at]
    if (length === undefined) return null
    if (length === 0) {
      return { name: labels.length === 0 ? '.' : labels.join('.'), end: end ?? at + 1 }
    }
    if (length < 64) {
      octets += length + 1
      if (octets > octetsMax || at + 1 + length > bytes.length) return null
      labels.push(labelText(bytes, at + 1, at + 1 + length))
      at += length + 1
    } else {
      const low = bytes[at + 1]
      if (length < 192 || low === undefined) return null
      const to = (length & 0x3f) * 256 + low
      jumps += 1
      if (to >= runFrom || jumps > jumpsMax) return null
      end ??= at + 2
      at = to
      runFrom = to
    }
  }
}

const labelText = (bytes: Buffer, from: number, to: number): string => {
  const text = bytes.toString('latin1', from, to)
  const plain = text.toLowerCase()
  if (plainLabel.test(plain)) return plain
  return [...text].map(octetText).join('')
}

const octetText = (octet: string): string => {
  if (octet === '.' || octet === '\\') return `\\${octet}`
  return octet > ' ' && octet <= '~'
    ? octet.toLowerCase()
    : `\\${String(octet.charCodeAt(0)).padStart(3, '0')}`
}
