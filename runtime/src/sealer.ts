import { createCipheriv, createDecipheriv, createHmac, hkdfSync, timingSafeEqual } from 'node:crypto'

/** Encrypts texts that another program, with the same key, opens for the same owner alone. */
export type Sealer = {
  /**
   * The same text and owner give the same bytes, so that what did not change is not sent again.
   * @param owner what the text belongs to: it opens for nothing else
   */
  seal(text: string, owner: readonly string[]): string
  /** @throws SealBroken when a byte, the owner or the key differs */
  open(sealed: string, owner: readonly string[]): string
}

/** A sealed text that does not open: another key sealed it, or it was tampered with. */
export class SealBroken extends Error {
  override readonly name = 'SealBroken'
}

/** The first byte of sealed data: the algorithm and key derivation. */
const version = 1
const algorithm = 'aes-256-gcm'
const nonceBytes = 12
const tagBytes = 16

/**
 * AES-256-GCM with keys derived by HKDF-SHA-256. The nonce is a MAC of owner and text, so it never repeats for two
 * texts. Sealed data is a version byte, the nonce, the cipher text and the tag, in base64.
 * @param secret at least 16 random bytes, or a text of that strength
 * @param purpose separates the keys of one secret
 */
export const createSealer = (secret: string, purpose: string): Sealer => {
  const derived = new Uint8Array(hkdfSync('sha256', secret, '', purpose, 64))
  const [key, nonceKey] = [derived.subarray(0, 32), derived.subarray(32)]
  const nonceOf = (text: string, owned: Buffer): Buffer =>
    createHmac('sha256', nonceKey).update(owned).update('\0').update(text).digest().subarray(0, nonceBytes)
  return {
    seal: (text, owner) => {
      const owned = ownedBy(owner)
      const nonce = nonceOf(text, owned)
      const cipher = createCipheriv(algorithm, key, nonce, { authTagLength: tagBytes })
      cipher.setAAD(owned)
      const sealed = [cipher.update(text, 'utf8'), cipher.final()]
      return Buffer.concat([Buffer.of(version), nonce, ...sealed, cipher.getAuthTag()]).toString('base64')
    },
    open: (sealed, owner) => {
      const bytes = Buffer.from(sealed, 'base64')
      if (bytes[0] !== version || bytes.length < 1 + nonceBytes + tagBytes) {
        throw new SealBroken('a text is sealed in an unknown format')
      }
      const owned = ownedBy(owner)
      const nonce = bytes.subarray(1, 1 + nonceBytes)
      const decipher = createDecipheriv(algorithm, key, nonce, { authTagLength: tagBytes })
      decipher.setAAD(owned)
      decipher.setAuthTag(bytes.subarray(-tagBytes))
      try {
        const text = decipher.update(bytes.subarray(1 + nonceBytes, -tagBytes))
        const opened = Buffer.concat([text, decipher.final()]).toString('utf8')
        if (timingSafeEqual(nonceOf(opened, owned), nonce)) return opened
      } catch (error) {
        throw new SealBroken('a sealed text does not open with this key', { cause: error })
      }
      throw new SealBroken('a sealed text does not open with this key')
    },
  }
}

/** JSON separates the parts, so no two owners have the same bytes. */
const ownedBy = (owner: readonly string[]): Buffer => Buffer.from(JSON.stringify([version, ...owner]))
