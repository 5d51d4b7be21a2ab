/** The text of keys and tokens, without the schemas of the API, which take long to load. */

type Scope = 'read' | 'read_write'

const digits = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const secretLength = 43
const checksumLength = 6

/**
 * An API key: `sv_r_` or `sv_rw_`, 32 random bytes in base62 (43 characters), and their CRC-32 in base62
 * (6 characters). The checksum detects typos offline and lets secret scanners verify a match (S-2104).
 * @param secret 32 random bytes
 */
export const formatApiKey = (scope: Scope, secret: Uint8Array): string => {
  const body = `${scope === 'read' ? 'sv_r_' : 'sv_rw_'}${base62(secret, secretLength)}`
  return body + checksum(body)
}

/** The scope of a well-formed key; null when the text is not a key. */
export const apiKeyScope = (text: string): Scope | null => {
  const match = /^sv_(r|rw)_[0-9A-Za-z]{49}$/.exec(text)
  if (match === null) return null
  const body = text.slice(0, -checksumLength)
  if (checksum(body) !== text.slice(-checksumLength)) return null
  return match[1] === 'r' ? 'read' : 'read_write'
}

/**
 * The token of a private agent: `sv_a_`, the agent's id without hyphens, 32 random bytes and the checksum as
 * above. The agent reads its own id and region from it, without a server.
 * @param secret 32 random bytes
 */
export const formatAgentToken = (agentId: string, secret: Uint8Array): string => {
  const body = `sv_a_${agentId.replaceAll('-', '')}_${base62(secret, secretLength)}`
  return body + checksum(body)
}

/** The agent id in a well-formed token; null when the text is not a token. */
export const agentIdOfToken = (text: string): string | null => {
  const id = /^sv_a_([0-9a-f]{32})_[0-9A-Za-z]{49}$/.exec(text)?.[1]
  if (id === undefined) return null
  if (checksum(text.slice(0, -checksumLength)) !== text.slice(-checksumLength)) return null
  return id.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
}

const base62 = (bytes: Uint8Array, length: number): string => {
  let value = bytes.reduce((sum, byte) => (sum << 8n) | BigInt(byte), 0n)
  let text = ''
  while (text.length < length) {
    text = digits[Number(value % 62n)] + text
    value /= 62n
  }
  return text
}

const checksum = (text: string): string => {
  const crc = crc32(text)
  return base62(Uint8Array.of(crc >>> 24, (crc >>> 16) & 255, (crc >>> 8) & 255, crc & 255), checksumLength)
}

/** CRC-32 (IEEE 802.3) of ASCII text. The oldest Node 22 of the CLI lacks `zlib.crc32`. */
const crc32 = (text: string): number => {
  let crc = 0xffffffff
  for (let i = 0; i < text.length; i++) {
    crc ^= text.charCodeAt(i) & 255
    for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ 0xedb88320 : crc >>> 1
  }
  return (crc ^ 0xffffffff) >>> 0
}
