import { systemUserToken } from '@probe-mesh/bus/nats/accounts/accounts'
import type { MeshSeeds } from '@probe-mesh/bus/nats/accounts/accounts'
import { credentialsFile } from '@probe-mesh/bus/nats/accounts/credentials-file'
import { createSeed } from '@probe-mesh/bus/nats/accounts/seeds'
import type { Region } from '@probe-mesh/contracts/reading/regions'
import { updateAccounts } from '@probe-mesh/bus/nats/accounts/update-accounts'
import { accountTokens } from './account-tokens.ts'
import { accountsConfiguration } from './configuration.ts'
import { accountsFile } from './generate.ts'
import { keepKeyring, replaceFile } from './keyring.ts'
import { leafAccounts, refreshLeaves } from './leaf.ts'
import { isGood, readRegister, writeRegister } from './register.ts'
import type { Enrolment, Register } from './register.ts'

/**
 * Ends the credentials of an agent, in the files from which servers start. Those that run must be
 * told (`tellServers`).
 * @param nameOrKey a name ends all that it has, a key one
 * @throws RangeError where there are none that are good
 */
export const revoke = async (
  folder: string,
  nameOrKey: string,
  nowMs: number,
): Promise<Enrolment[]> => {
  const register = await readRegister(folder)
  const isMeant = (agent: Enrolment) =>
    (agent.name === nameOrKey || agent.key === nameOrKey) && isGood(agent, nowMs)
  const ended = register.agents.filter(isMeant)
  if (ended.length === 0) throw new RangeError(`nobody is let in as ${nameOrKey}`)
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
 * Tells running servers of every account: of those that were revoked, of regions that were added or
 * closed, and of what a new version allows.
 * @param leaf the region whose leaf node they are; null: they are the mesh's own
 * @throws BusUnavailable where none answers
 */
export const tellServers = async (
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

/** Made for one connection, and kept nowhere. */
export const systemCredentials = async (seeds: Pick<MeshSeeds, 'system'>): Promise<string> => {
  const user = createSeed('user')
  return credentialsFile(await systemUserToken(seeds, user), user)
}
