import { createCipheriv, createDecipheriv, createHash, hkdfSync, scrypt } from 'node:crypto'
import { promisify } from 'node:util'

const derive = promisify<string, Buffer, number, object, Buffer>(scrypt)

const keyBytes = 32
const nonceBytes = 12
const tagBytes = 16
export const saltBytes = 32
/** 128 MiB and a third of a second per guess (RFC 7914; OWASP's strongest setting). */
const scryptCost = { N: 2 ** 17, r: 8, p: 1 } as const
const scryptBytesMax = 256 * 1024 * 1024

/** Encrypts the frames of one archive. `check` tells a wrong secret from a damaged file. */
export type Seal = {
  /** Derived from secret and salt; reveals neither. */
  readonly check: string
  /** AES-256-GCM with the frame number as nonce: a frame opens only at its place in this archive. */
  seal(frame: number, header: Uint8Array, plain: Uint8Array): Buffer
  /** @returns null for a frame that was not sealed with this number and header */
  open(frame: number, header: Uint8Array, sealed: Uint8Array): Buffer | null
}

/** Derives the keys of one archive. Each archive has its own salt, so no nonce repeats under a key. */
export const createSeal = async (secret: string, salt: Uint8Array): Promise<Seal> => {
  const root = await derive(secret, Buffer.from(salt), keyBytes, {
    ...scryptCost,
    maxmem: scryptBytesMax,
  })
  const part = (name: string): Buffer => Buffer.from(hkdfSync('sha256', root, salt, name, keyBytes))
  const key = part('frames')
  return {
    check: part('check').toString('base64'),
    seal: (frame, header, plain) => {
      const cipher = createCipheriv('aes-256-gcm', key, nonceOf(frame))
      cipher.setAAD(digest(header))
      return Buffer.concat([cipher.update(plain), cipher.final(), cipher.getAuthTag()])
    },
    open: (frame, header, sealed) => {
      if (sealed.length < tagBytes) return null
      const decipher = createDecipheriv('aes-256-gcm', key, nonceOf(frame))
      decipher.setAAD(digest(header))
      decipher.setAuthTag(sealed.subarray(sealed.length - tagBytes))
      const plain = decipher.update(sealed.subarray(0, sealed.length - tagBytes))
      try {
        return Buffer.concat([plain, decipher.final()])
      } catch {
        return null
      }
    },
  }
}

const nonceOf = (frame: number): Buffer => {
  const nonce = Buffer.alloc(nonceBytes)
  nonce.writeBigUInt64BE(BigInt(frame), nonceBytes - 8)
  return nonce
}

const digest = (bytes: Uint8Array): Buffer => createHash('sha256').update(bytes).digest()
