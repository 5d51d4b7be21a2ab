import { randomBytes } from 'node:crypto'
import { hash, parseOptions, verify } from '@node-rs/argon2'

/** OWASP's argon2id: 19 MB of memory, two passes, one lane. */
const cost = { memoryCost: 19_456, timeCost: 2, parallelism: 1, outputLen: 32 }

/** @returns an argon2id hash in the PHC string format */
export const hashPassword = (password: string): Promise<string> => hash(password.normalize('NFC'), cost)

/** Whether a password matches a hash; false for an unknown format of the hash. */
export const isPassword = async (password: string, stored: string): Promise<boolean> =>
  optionsOf(stored) !== null && verify(stored, password.normalize('NFC'))

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
