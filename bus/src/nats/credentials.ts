import { readFileSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { fmtCreds, fromSeed } from '@nats-io/jwt'
import { credsAuthenticator, nkeyAuthenticator } from '@nats-io/nats-core'
import type { Authenticator } from '@nats-io/nats-core'
import { seedIn, withoutComments } from './seeds.ts'

/** What the token of an agent says of its region: a tag, which gives no right. */
export const regionTag = 'region:'

/** A JWT and a seed are far below. */
const fileBytesMax = 64 * 1024
const otherUsersMask = 0o077

/** Whose credentials are, as the file says it; nothing of it is secret. */
export type Holder = {
  /** Under which they were enrolled. */
  name: string
  /** The region that they are of; null where they are older than this member, or of no region. */
  region: string | null
}

type NatsCredentials = {
  authenticator: Authenticator
  /** null: a seed, which says nothing of its holder. */
  holder: Holder | null
  /** What the operator should be told: others on this machine may read the secret. */
  warning: string | null
}

/**
 * Reads a file that holds the seed of an nkey (`SU...`, with comments behind `#`), or NATS
 * credentials (a JWT and a seed). It is read again at each connecting, so that credentials are
 * changed under a process that runs. No error or warning repeats what the file holds.
 * @throws Error that says what is wrong with the file
 */
export const readNatsCredentials = async (path: string): Promise<NatsCredentials> => {
  const { text, mode } = await readSmallFile(path)
  const authenticator = authenticatorOf(text)
  if (authenticator === null) {
    throw new Error(
      `${path} holds no NATS credentials: it must be the seed of a user (SU...) or a creds file`,
    )
  }
  const isOpen = process.platform !== 'win32' && (mode & otherUsersMask) !== 0
  const warning = isOpen ? `${path} can be read by other users of this machine: chmod 600` : null
  return { authenticator: readAgain(path, authenticator), holder: holderIn(text), warning }
}

/** What the file holds at each connecting; what it held before where it cannot be read or holds none. */
const readAgain = (path: string, first: Authenticator): Authenticator => {
  let last = first
  return (nonce) => {
    try {
      last = authenticatorOf(readFileSync(path, 'utf8')) ?? last
    } catch {
      // it is being written, or gone: what was good may still be
    }
    return last(nonce)
  }
}

const holderIn = (text: string): Holder | null => {
  const claims = credsToken.exec(withoutComments(text))?.groups?.['token']?.split('.')[1]
  if (claims === undefined) return null
  try {
    const json: unknown = JSON.parse(Buffer.from(claims, 'base64url').toString('utf8'))
    const { name, nats } = Object(json) as { name?: unknown; nats?: { tags?: unknown } }
    const tags = Array.isArray(nats?.tags) ? nats.tags.map(String) : []
    const tag = tags.find((one) => one.startsWith(regionTag))
    const region = tag?.slice(regionTag.length) ?? null
    return typeof name === 'string' ? { name, region } : null
  } catch {
    return null
  }
}

const readSmallFile = async (path: string): Promise<{ text: string; mode: number }> => {
  try {
    const file = await open(path, 'r')
    try {
      const status = await file.stat()
      if (!status.isFile()) throw new Error('it is not a file')
      if (status.size > fileBytesMax) throw new Error('it is too large')
      return { text: await file.readFile('utf8'), mode: status.mode }
    } finally {
      await file.close()
    }
  } catch (error) {
    throw new Error(`NATS credentials cannot be read from ${path}: ${reasonOf(error)}`, {
      cause: error,
    })
  }
}

const reasons: Record<string, string> = {
  ENOENT: 'there is no such file',
  ENOTDIR: 'there is no such file',
  EACCES: 'this user may not read it',
  EPERM: 'this user may not read it',
  EISDIR: 'it is not a file',
}

const reasonOf = (error: unknown): string => {
  if (!(error instanceof Error)) return String(error)
  const code = 'code' in error && typeof error.code === 'string' ? error.code : ''
  return reasons[code] ?? error.message
}

const credsSeed = /-+BEGIN USER NKEY SEED-+\n(?<seed>[^-]+)\n-+END USER NKEY SEED-+/
const credsToken =
  /-+BEGIN NATS USER JWT-+\n(?<token>[\w-]+\.[\w-]+\.[\w-]+)\n-+END NATS USER JWT-+/

const authenticatorOf = (text: string): Authenticator | null => {
  const seed = seedIn(text, 'user')
  if (seed !== null) return nkeyAuthenticator(Buffer.from(seed))
  const creds = withoutComments(text)
  const held = seedIn(credsSeed.exec(creds)?.groups?.['seed'] ?? '', 'user')
  if (held === null || !credsToken.test(creds)) return null
  return credsAuthenticator(Buffer.from(`${creds}\n`))
}

/** The text of a credentials file, which clients of NATS read: who one is, and the secret that shows it. */
export const credentialsFile = (token: string, user: string): string => {
  const pair = fromSeed(new TextEncoder().encode(user))
  try {
    return new TextDecoder().decode(fmtCreds(token, pair))
  } finally {
    pair.clear()
  }
}
