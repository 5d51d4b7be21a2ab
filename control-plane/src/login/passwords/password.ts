import { randomBytes, scrypt, timingSafeEqual } from 'node:crypto'
import { hash, parseOptions, verify } from '@node-rs/argon2'

/** OWASP's argon2id: 19 MB of memory, two passes, one lane. */
const cost = { memoryCost: 19_456, timeCost: 2, parallelism: 1, outputLen: 32 }
/** The most memory that a stored scrypt hash may need. */
const scryptBytesMax = 64 * 1024 * 1024

/** @returns an argon2id hash in the PHC string format */
export const hashPassword = (password: string): Promise<string> => hash(password.normalize('NFC'), cost)

/** Whether a password matches a hash; false for an unknown format of the hash. */
export const isPassword = async (password: string, stored: string): Promise<boolean> => {
  if (stored.startsWith('scrypt$')) return isScryptPassword(password, stored)
  return optionsOf(stored) !== null && verify(stored, password.normalize('NFC'))
}

/** Whether a hash has the cost of a new one. */
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

/** A random password of 120 bits. */
export const makePassword = (): string => randomBytes(15).toString('base64url')

const optionsOf = (stored: string): ReturnType<typeof parseOptions> | null => {
  try {
    return parseOptions(stored)
  } catch {
    return null
  }
}

/** `scrypt$N$r$p$salt$hash`, the format of the first accounts. */
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
