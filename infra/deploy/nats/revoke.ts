import { systemUserToken, type MeshSeeds } from '@probe-mesh/bus/nats/accounts/accounts'
import { credentialsFile } from '@probe-mesh/bus/nats/credentials'
import { createSeed } from '@probe-mesh/bus/nats/seeds'
import type { Region } from '@probe-mesh/contracts/reading/regions'
import { updateAccounts } from '@probe-mesh/bus/nats/accounts/update-accounts'
import { accountTokens } from './account-tokens.ts'
import { accountsConfiguration } from './configuration.ts'
import { accountsFile } from './generate.ts'
import { keepKeyring, replaceFile } from './keyring.ts'
import { leafAccounts, refreshLeaves } from './leaf.ts'
import { isValid, readRegister, writeRegister, type Enrolment, type Register } from './register.ts'

/**
 * Revokes credentials of an agent in the files that servers start from. `updateServers` updates running
 * servers.
 * @param nameOrKey a name revokes all its credentials, a key revokes one
 * @throws RangeError without valid credentials
 */
export const revoke = async (folder: string, nameOrKey: string, nowMs: number): Promise<Enrolment[]> => {
  const register = await readRegister(folder)
  const isMeant = (agent: Enrolment) =>
    (agent.name === nameOrKey || agent.key === nameOrKey) && isValid(agent, nowMs)
  const ended = register.agents.filter(isMeant)
  if (ended.length === 0)
    throw new RangeError(`no valid credentials for ${nameOrKey}; "agent list" shows them`)
  const revokedAt = new Date(nowMs).toISOString()
  const agents = register.agents.map((agent) => (isMeant(agent) ? { ...agent, revokedAt } : agent))
  const next: Register = { ...register, agents }
  await writeRegister(folder, next)
  const { seeds } = await keepKeyring(folder, next.regions)
  await replaceFile(accountsFile(folder), accountsConfiguration(await accountTokens(seeds, next)))
  await refreshLeaves(folder, seeds, next)
  return ended
}

/**
 * Sends every account to running servers: revocations, added and closed regions, and new permissions.
 * @param leaf the region of the leaf node; null: servers of the mesh
 * @throws BusUnavailable if no server answers
 */
export const updateServers = async (
  folder: string,
  servers: readonly string[],
  leaf: Region | null,
): Promise<void> => {
  const register = await readRegister(folder)
  const { seeds } = await keepKeyring(folder, register.regions)
  const accounts =
    leaf === null ? await accountTokens(seeds, register) : await leafAccounts(seeds, register, leaf)
  await updateAccounts(servers, await systemCredentials(seeds), accounts)
}

/** Credentials for one connection, stored nowhere. */
export const systemCredentials = async (seeds: Pick<MeshSeeds, 'system'>): Promise<string> => {
  const user = createSeed('user')
  return credentialsFile(await systemUserToken(seeds, user), user)
}
