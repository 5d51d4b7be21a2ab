import { codeOf, messageOf } from '@probe-mesh/runtime/errors'
import { readFileSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { fmtCreds, fromSeed } from '@nats-io/jwt'
import { credsAuthenticator, nkeyAuthenticator, type Authenticator } from '@nats-io/nats-core'
import { seedIn, withoutComments } from './seeds.ts'

/** The tag in an agent's token that names its region; it grants nothing. */
export const regionTag = 'region:'

/** A JWT and a seed are much smaller. */
const fileBytesMax = 64 * 1024
const otherUsersMask = 0o077

/** The holder of credentials, from the public part of the file. */
export type Holder = {
  /** The name of the enrolment. */
  name: string
  /** The region; null: older credentials, or not of a region. */
  region: string | null
}

type NatsCredentials = {
  authenticator: Authenticator
  /** null: a seed, which does not name its holder. */
  holder: Holder | null
  /** For the operator: other users of this machine can read the secret. */
  warning: string | null
}

/**
 * Reads a file with the seed of an nkey (`SU...`, comments after `#`), or NATS credentials (a JWT and a
 * seed). The file is read again at each connection, so that credentials can be replaced while the process
 * runs. No error or warning quotes the file.
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

/** Reads the file at each connection; keeps the last valid credentials when that fails. */
const readAgain = (path: string, first: Authenticator): Authenticator => {
  let last = first
  return (nonce) => {
    try {
      last = authenticatorOf(readFileSync(path, 'utf8')) ?? last
    } catch {
      // the file is being written, or gone: the last credentials may still be valid
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

const reasonOf = (error: unknown): string => reasons[codeOf(error)] ?? messageOf(error)

const credsSeed = /BEGIN USER NKEY SEED-+\n(?<seed>[^-]+)\n-+END USER NKEY SEED-+/
const credsToken = /BEGIN NATS USER JWT-+\n(?<token>[\w-]+\.[\w-]+\.[\w-]+)\n-+END NATS USER JWT-+/

const authenticatorOf = (text: string): Authenticator | null => {
  const seed = seedIn(text, 'user')
  if (seed !== null) return nkeyAuthenticator(Buffer.from(seed))
  const creds = withoutComments(text)
  const held = seedIn(credsSeed.exec(creds)?.groups?.['seed'] ?? '', 'user')
  if (held === null || !credsToken.test(creds)) return null
  return credsAuthenticator(Buffer.from(`${creds}\n`))
}

/** The text of a credentials file for NATS clients: the token and the secret. */
export const credentialsFile = (token: string, user: string): string => {
  const pair = fromSeed(new TextEncoder().encode(user))
  try {
    return new TextDecoder().decode(fmtCreds(token, pair))
  } finally {
    pair.clear()
  }
}
