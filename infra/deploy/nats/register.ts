import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Region } from '@probe-mesh/contracts/reading/regions'
import type { Revocations } from '@probe-mesh/bus/nats/accounts/accounts'
import { replaceFile } from './keyring.ts'

/** Credentials that were issued to an agent. Instants are RFC 3339, as they stand in the file. */
export type Enrolment = {
  /** Public, of the user that the credentials are of. */
  key: string
  /** What the operator calls it. */
  name: string
  region: Region
  issuedAt: string
  /** Null: they do not end by themselves. */
  expiresAt: string | null
  revokedAt: string | null
}

/** What the operator knows of who may connect. */
export type Register = {
  /** Those that are part of the mesh; the accounts of others are closed. */
  regions: readonly Region[]
  /** All that were ever let in, oldest first. */
  agents: readonly Enrolment[]
}

/** What the leaf node of a region is called among those that were let in. */
export const leafName = (region: Region): string => `${region}-leaf`

const registerFile = (folder: string): string => join(folder, 'agents.json')

/** What is there, nothing where nothing is yet. @throws Error where it is no register */
export const readRegister = async (folder: string): Promise<Register> => {
  const path = registerFile(folder)
  let text: string
  try {
    text = await readFile(path, 'utf8')
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') {
      return { regions: [], agents: [] }
    }
    throw error
  }
  const register = registerIn(text)
  if (register === null) throw new Error(`${path} is no register of agents`)
  return register
}

const registerIn = (text: string): Register | null => {
  try {
    const { regions, agents } = JSON.parse(text) as Register
    return Array.isArray(regions) && Array.isArray(agents) ? { regions, agents } : null
  } catch {
    return null
  }
}

export const writeRegister = (folder: string, register: Register): Promise<void> =>
  replaceFile(registerFile(folder), `${JSON.stringify(register, null, 2)}\n`)

/** Those of a region whose credentials count no more. */
export const revocationsOf = (agents: readonly Enrolment[], region: Region): Revocations =>
  new Map(
    agents.flatMap(({ key, revokedAt, region: of }) =>
      of === region && revokedAt !== null ? [[key, Date.parse(revokedAt)] as const] : [],
    ),
  )

/** Whether credentials let somebody in. */
export const isGood = ({ expiresAt, revokedAt }: Enrolment, nowMs: number): boolean =>
  revokedAt === null && (expiresAt === null || Date.parse(expiresAt) > nowMs)
