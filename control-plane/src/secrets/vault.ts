import { hkdfSync, randomBytes } from 'node:crypto'
import { openBytes, sealBytes, SealBroken, sealNonceBytes, UnknownSeal } from '@probe-mesh/runtime/sealer'

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

const purpose = 'probe-mesh credentials 1'

/** Seals with a key derived from SECRETS_KEY by HKDF-SHA-256, and a random nonce: equal credentials look different. */
export const createVault = (secretsKey: string): Vault => {
  const key = new Uint8Array(hkdfSync('sha256', secretsKey, '', purpose, 32))
  return {
    seal: (text, owner) => sealBytes(key, randomBytes(sealNonceBytes), text, owner),
    open: (sealed, owner) => {
      try {
        return openBytes(key, sealed, owner).text
      } catch (error) {
        if (!(error instanceof SealBroken)) throw error
        throw error instanceof UnknownSeal
          ? new SecretUnreadable('a credential is sealed in an unknown format')
          : new SecretUnreadable('a credential does not open with this SECRETS_KEY', { cause: error.cause })
      }
    },
  }
}
