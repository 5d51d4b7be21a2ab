import { nkeys } from '@nats-io/nats-core'

/** `SU`, then 56 characters of base 32: the seed of a user. The seeds of accounts begin otherwise. */
const seedForm = /^SU[A-Z2-7]{56}$/

/** A new secret, and what the server is told of it. */
export const createUserSeed = (): string => {
  const pair = nkeys.createUser()
  try {
    return Buffer.from(pair.getSeed()).toString()
  } finally {
    pair.clear()
  }
}

/** What a credentials file says beside its comments: lines that begin with `#`. */
export const withoutComments = (text: string): string =>
  text
    .split(/\r?\n/)
    .filter((line) => !line.trimStart().startsWith('#'))
    .join('\n')

/** The seed that a file's text holds, or null where it is not one seed with a good checksum. */
export const userSeedIn = (text: string): string | null => {
  const seed = withoutComments(text).trim()
  return seedForm.test(seed) && publicKeyOrNull(seed) !== null ? seed : null
}

/** What the server knows a seed's holder by: `U` and 55 characters. @throws Error on no seed */
export const publicKeyOf = (seed: string): string => {
  const key = publicKeyOrNull(seed)
  if (key === null) throw new Error('not the seed of a NATS user')
  return key
}

const publicKeyOrNull = (seed: string): string | null => {
  try {
    return nkeys.fromSeed(Buffer.from(seed)).getPublicKey()
  } catch {
    // The library's error may hold what it was given.
    return null
  }
}
