import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto'

/** Encrypts credentials with SECRETS_KEY. */
export type Vault = {
  /** @param owner the owner of the credential: it opens for no other */
  seal(text: string, owner: readonly string[]): Uint8Array
  /** @throws SecretUnreadable when a byte, the owner or SECRETS_KEY differs */
  open(sealed: Uint8Array, owner: readonly string[]): string
}

/** A credential that does not open: SECRETS_KEY was changed, or the row was tampered with. */
export class SecretUnreadable extends Error {
  override readonly name = 'SecretUnreadable'
}

/** The first byte of sealed data: the algorithm and key derivation. */
const version = 1
const algorithm = 'aes-256-gcm'
const nonceBytes = 12
const tagBytes = 16
const purpose = 'probe-mesh credentials 1'

/**
 * AES-256-GCM with a key derived from SECRETS_KEY by HKDF-SHA-256. Sealed data is a version byte, a random
 * nonce, the cipher text and the tag, which also authenticates version and owner.
 */
export const createVault = (secretsKey: string): Vault => {
  const key = new Uint8Array(hkdfSync('sha256', secretsKey, '', purpose, 32))
  return {
    seal: (text, owner) => {
      const nonce = randomBytes(nonceBytes)
      const cipher = createCipheriv(algorithm, key, nonce, { authTagLength: tagBytes })
      cipher.setAAD(ownedBy(owner))
      const sealed = [cipher.update(text, 'utf8'), cipher.final()]
      return Buffer.concat([Buffer.of(version), nonce, ...sealed, cipher.getAuthTag()])
    },
    open: (sealed, owner) => {
      if (sealed[0] !== version || sealed.length < 1 + nonceBytes + tagBytes) {
        throw new SecretUnreadable('a credential is sealed in an unknown format')
      }
      const nonce = sealed.subarray(1, 1 + nonceBytes)
      const decipher = createDecipheriv(algorithm, key, nonce, { authTagLength: tagBytes })
      decipher.setAAD(ownedBy(owner))
      decipher.setAuthTag(sealed.subarray(-tagBytes))
      try {
        const text = decipher.update(sealed.subarray(1 + nonceBytes, -tagBytes))
        return Buffer.concat([text, decipher.final()]).toString('utf8')
      } catch (error) {
        throw new SecretUnreadable('a credential does not open with this SECRETS_KEY', {
          cause: error,
        })
      }
    },
  }
}

/** JSON separates the parts, so no two owners have the same bytes. */
const ownedBy = (owner: readonly string[]): Buffer => Buffer.from(JSON.stringify([version, ...owner]))
