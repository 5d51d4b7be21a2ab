import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto'

/** Keeps credentials so that only who has SECRETS_KEY reads them. */
export type Vault = {
  /** @param owner what the credential belongs to: it opens for nothing else */
  seal(text: string, owner: readonly string[]): Uint8Array
  /** @throws SecretUnreadable when a byte, the owner or SECRETS_KEY is another */
  open(sealed: Uint8Array, owner: readonly string[]): string
}

/** A credential that does not open: SECRETS_KEY was changed, or the row was tampered with. */
export class SecretUnreadable extends Error {
  override readonly name = 'SecretUnreadable'
}

/** The first byte of what is sealed: which algorithm and derivation it was sealed by. */
const version = 1
const algorithm = 'aes-256-gcm'
const nonceBytes = 12
const tagBytes = 16
const purpose = 'probe-mesh credentials 1'

/**
 * AES-256-GCM under a key derived from SECRETS_KEY by HKDF-SHA-256. What is sealed is a version byte, a
 * random nonce, the cipher text and the tag; version and owner are authenticated with it.
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
        throw new SecretUnreadable('a credential is sealed in a way that is not known here')
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

/** JSON keeps the parts apart: no two owners read the same. */
const ownedBy = (owner: readonly string[]): Buffer =>
  Buffer.from(JSON.stringify([version, ...owner]))
