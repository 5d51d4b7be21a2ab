import { createAccount, createOperator, createUser, fromSeed, type KeyPair } from '@nats-io/jwt'

/** The holder of a NATS key. */
export type Holder = 'operator' | 'account' | 'user'

const create: Readonly<Record<Holder, () => KeyPair>> = {
  operator: createOperator,
  account: createAccount,
  user: createUser,
}
/** `S`, the holder, and 56 characters of base 32. */
const seedForm = /^S[OAU][A-Z2-7]{56}$/
/** The first letter of public keys. */
const letters: Readonly<Record<Holder, string>> = { operator: 'O', account: 'A', user: 'U' }

/** A new secret. */
export const createSeed = (holder: Holder): string => {
  const pair = create[holder]()
  try {
    return new TextDecoder().decode(pair.getSeed())
  } finally {
    pair.clear()
  }
}

/** The public key of a seed. @throws Error, which does not quote it, when it is not a seed */
export const publicKeyOfSeed = (seed: string): string => {
  const key = publicKeyOrNull(seed)
  if (key === null) throw new Error('not the seed of a NATS key')
  return key
}

/** A credentials file without its comments, lines that begin with `#`. */
export const withoutComments = (text: string): string =>
  text
    .split(/\r?\n/)
    .filter((line) => !line.trimStart().startsWith('#'))
    .join('\n')

/** The seed of this kind in a file's text, apart from comments; null when there is none. */
export const seedIn = (text: string, holder: Holder): string | null => {
  const seed = withoutComments(text).trim()
  return seedForm.test(seed) && publicKeyOrNull(seed)?.[0] === letters[holder] ? seed : null
}

const publicKeyOrNull = (seed: string): string | null => {
  try {
    return fromSeed(new TextEncoder().encode(seed)).getPublicKey()
  } catch {
    // the library's error may quote its input
    return null
  }
}
