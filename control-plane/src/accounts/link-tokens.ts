import { createHmac, hash, hkdfSync, randomBytes, timingSafeEqual } from 'node:crypto'

/** Tokens of unsubscribe links. They are computed, not stored, and constant for each subscriber. */
export type UnsubscribeTokens = {
  of(subscriberId: string): string
  /** @returns the subscriber's id; null: the token was not made with this key */
  read(token: string): string | null
}

const idBytes = 16
const macBytes = 32
const tokenShape = /^[\w-]{64}$/

/**
 * Unsubscribe tokens: the subscriber's id and its HMAC-SHA-256, in base64url.
 * @param secretsKey `SECRETS_KEY`; a new key makes all earlier links invalid
 */
export const createUnsubscribeTokens = (secretsKey: string): UnsubscribeTokens => {
  const key = new Uint8Array(hkdfSync('sha256', secretsKey, '', 'probe-mesh unsubscribe', macBytes))
  const macOf = (id: Uint8Array): Buffer => createHmac('sha256', key).update(id).digest()
  return {
    of: (subscriberId) => {
      const id = Buffer.from(subscriberId.replaceAll('-', ''), 'hex')
      return Buffer.concat([id, macOf(id)]).toString('base64url')
    },
    read: (token) => {
      if (!tokenShape.test(token)) return null
      const bytes = Buffer.from(token, 'base64url')
      const id = bytes.subarray(0, idBytes)
      if (!timingSafeEqual(bytes.subarray(idBytes), macOf(id))) return null
      const hex = id.toString('hex')
      return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
    },
  }
}

/** A confirmation token of 256 bits, and the hash that is stored. */
export const newConfirmationToken = (): { token: string; hash: Buffer } => {
  const token = randomBytes(32).toString('base64url')
  return { token, hash: confirmationHash(token) }
}

export const confirmationHash = (token: string): Buffer => hash('sha256', token, 'buffer')
