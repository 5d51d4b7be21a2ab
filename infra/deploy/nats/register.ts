import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Region } from '@probe-mesh/contracts/reading/regions'
import type { Revocations } from '@probe-mesh/bus/nats/accounts/accounts'
import { replaceFile } from './keyring.ts'

/** Credentials of an agent, as in the file. Instants are RFC 3339. */
export type Enrolment = {
  /** The public key of the NATS user. */
  key: string
  /** The operator's name for the agent. */
  name: string
  region: Region
  issuedAt: string
  /** null: they do not expire. */
  expiresAt: string | null
  revokedAt: string | null
}

/** The operator's list of regions and agents. */
export type Register = {
  /** Regions of the mesh; accounts of other regions are closed. */
  regions: readonly Region[]
  /** All enrolled agents, oldest first, with revoked and expired ones. */
  agents: readonly Enrolment[]
}

/** The name of a region's leaf node in the register. */
export const leafName = (region: Region): string => `${region}-leaf`

const registerFile = (folder: string): string => join(folder, 'agents.json')

/** Reads the register; empty without a file. @throws Error for a file of another form */
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
  if (register === null) throw new Error(`${path} is not a register of agents`)
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

/** Revoked credentials of a region. */
export const revocationsOf = (agents: readonly Enrolment[], region: Region): Revocations =>
  new Map(
    agents.flatMap(({ key, revokedAt, region: of }) =>
      of === region && revokedAt !== null ? [[key, Date.parse(revokedAt)] as const] : [],
    ),
  )

/** Whether credentials are neither revoked nor expired. */
export const isValid = ({ expiresAt, revokedAt }: Enrolment, nowMs: number): boolean =>
  revokedAt === null && (expiresAt === null || Date.parse(expiresAt) > nowMs)
