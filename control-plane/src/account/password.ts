import { randomBytes, scrypt, timingSafeEqual } from 'node:crypto'

/** OWASP's scrypt of 32 MB: N = 2^15, r = 8, p = 3. */
const cost = { N: 32_768, r: 8, p: 3, maxmem: 64 * 1024 * 1024 }
const saltBytes = 16
const hashBytes = 32

/** @returns `scrypt$N$r$p$salt$hash`, all a later login needs to know */
export const hashPassword = async (password: string): Promise<string> => {
  const salt = randomBytes(saltBytes)
  const hash = await derive(password, salt, hashBytes, cost)
  const texts = ['scrypt', cost.N, cost.r, cost.p, salt.toString('base64'), hash.toString('base64')]
  return texts.join('$')
}

/** Whether a password is the one that was hashed; false for text that is no hash of ours. */
export const isPassword = async (password: string, stored: string): Promise<boolean> => {
  const [scheme, n, r, p, salt, hash] = stored.split('$')
  if (scheme !== 'scrypt' || salt === undefined || hash === undefined) return false
  const expected = Buffer.from(hash, 'base64')
  const options = { N: Number(n), r: Number(r), p: Number(p), maxmem: cost.maxmem }
  const actual = await derive(password, Buffer.from(salt, 'base64'), expected.length, options)
  return timingSafeEqual(actual, expected)
}

/** A password nobody has to think of: 120 random bits. */
export const makePassword = (): string => randomBytes(15).toString('base64url')

const derive = (
  password: string,
  salt: Uint8Array,
  length: number,
  options: typeof cost,
): Promise<Buffer> =>
  new Promise((resolve, reject) => {
    scrypt(password.normalize('NFC'), salt, length, options, (error, hash) =>
      error === null ? resolve(hash) : reject(error),
    )
  })
