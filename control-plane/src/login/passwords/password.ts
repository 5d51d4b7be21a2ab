import { randomBytes, scrypt, timingSafeEqual } from 'node:crypto'
import { hash, parseOptions, verify } from '@node-rs/argon2'

/** OWASP's argon2id: 19 MB of memory, two passes, one lane. */
const cost = { memoryCost: 19_456, timeCost: 2, parallelism: 1, outputLen: 32 }
/** Largest memory that a stored scrypt hash may ask for. */
const scryptBytesMax = 64 * 1024 * 1024

/** @returns an argon2id hash in the PHC string format, all a later login needs to know */
export const hashPassword = (password: string): Promise<string> =>
  hash(password.normalize('NFC'), cost)

/** Whether a password is the one that was hashed; false for text that is no hash of ours. */
export const isPassword = async (password: string, stored: string): Promise<boolean> => {
  if (stored.startsWith('scrypt$')) return isScryptPassword(password, stored)
  return optionsOf(stored) !== null && verify(stored, password.normalize('NFC'))
}

/** Whether a hash is as costly to guess as a new one would be. */
export const isCurrentHash = (stored: string): boolean => {
  const options = optionsOf(stored)
  return (
    options !== null &&
    stored.startsWith('$argon2id$') &&
    options.memoryCost === cost.memoryCost &&
    options.timeCost === cost.timeCost &&
    options.parallelism === cost.parallelism
  )
}

/** A password nobody has to think of: 120 random bits. */
export const makePassword = (): string => randomBytes(15).toString('base64url')

const optionsOf = (stored: string): ReturnType<typeof parseOptions> | null => {
  try {
    return parseOptions(stored)
  } catch {
    return null
  }
}

/** `scrypt$N$r$p$salt$hash`, as the first accounts were stored. */
const isScryptPassword = async (password: string, stored: string): Promise<boolean> => {
  const [, n, r, p, salt, hashed] = stored.split('$')
  if (salt === undefined || hashed === undefined) return false
  const expected = Buffer.from(hashed, 'base64')
  const options = { N: Number(n), r: Number(r), p: Number(p), maxmem: scryptBytesMax }
  const actual = await new Promise<Buffer>((resolve, reject) => {
    const saltBytes = Buffer.from(salt, 'base64')
    scrypt(password.normalize('NFC'), saltBytes, expected.length, options, (error, derived) =>
      error === null ? resolve(derived) : reject(error),
    )
  })
  return timingSafeEqual(actual, expected)
}
