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

/** Sealed bytes that this version cannot read at all. */
export class UnknownSeal extends SealBroken {}

/** The first byte of sealed data: the algorithm and the form of its parts. */
const version = 1
const algorithm = 'aes-256-gcm'
export const sealNonceBytes = 12
const tagBytes = 16

/**
 * AES-256-GCM: a version byte, the nonce, the cipher text and the tag, which also authenticates version and owner.
 * @param key 32 bytes
 * @param nonce never the same for two texts under one key
 */
export const sealBytes = (
  key: Uint8Array,
  nonce: Uint8Array,
  text: string,
  owner: readonly string[],
): Buffer => {
  const cipher = createCipheriv(algorithm, key, nonce, { authTagLength: tagBytes })
  cipher.setAAD(ownedBy(owner))
  const sealed = [cipher.update(text, 'utf8'), cipher.final()]
  return Buffer.concat([Buffer.of(version), nonce, ...sealed, cipher.getAuthTag()])
}

/** @throws SealBroken when a byte, the owner or the key differs; UnknownSeal for another version or too few bytes */
export const openBytes = (
  key: Uint8Array,
  sealed: Uint8Array,
  owner: readonly string[],
): { text: string; nonce: Uint8Array } => {
  if (sealed[0] !== version || sealed.length < 1 + sealNonceBytes + tagBytes) {
    throw new UnknownSeal('a text is sealed in an unknown format')
  }
  const nonce = sealed.subarray(1, 1 + sealNonceBytes)
  const decipher = createDecipheriv(algorithm, key, nonce, { authTagLength: tagBytes })
  decipher.setAAD(ownedBy(owner))
  decipher.setAuthTag(sealed.subarray(-tagBytes))
  try {
    const text = decipher.update(sealed.subarray(1 + sealNonceBytes, -tagBytes))
    return { text: Buffer.concat([text, decipher.final()]).toString('utf8'), nonce }
  } catch (error) {
    throw new SealBroken('a sealed text does not open with this key', { cause: error })
  }
}

/** JSON separates the parts, so no two owners have the same bytes. */
const ownedBy = (owner: readonly string[]): Buffer => Buffer.from(JSON.stringify([version, ...owner]))

/**
 * Seals with keys derived by HKDF-SHA-256, in base64. The nonce is a MAC of owner and text, so it never repeats for two
 * texts.
 * @param secret at least 16 random bytes, or a text of that strength
 * @param purpose separates the keys of one secret
 */
export const createSealer = (secret: string, purpose: string): Sealer => {
  const derived = new Uint8Array(hkdfSync('sha256', secret, '', purpose, 64))
  const [key, nonceKey] = [derived.subarray(0, 32), derived.subarray(32)]
  const nonceOf = (text: string, owner: readonly string[]): Buffer => {
    const mac = createHmac('sha256', nonceKey).update(ownedBy(owner)).update('\0').update(text)
    return mac.digest().subarray(0, sealNonceBytes)
  }
  return {
    seal: (text, owner) => sealBytes(key, nonceOf(text, owner), text, owner).toString('base64'),
    open: (sealed, owner) => {
      const { text, nonce } = openBytes(key, Buffer.from(sealed, 'base64'), owner)
      if (timingSafeEqual(nonceOf(text, owner), nonce)) return text
      throw new SealBroken('a sealed text does not open with this key')
    },
  }
}
