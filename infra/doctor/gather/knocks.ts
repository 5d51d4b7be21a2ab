import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { readKnocks } from '@probe-mesh/bus/nats/accounts/read-knocks'
import type { Knock } from '@probe-mesh/bus/nats/accounts/read-knocks'
import { keepKeyring, keysFolder } from '../../nats/keyring.ts'
import { readRegister } from '../../nats/register.ts'
import type { Enrolment } from '../../nats/register.ts'
import { systemCredentials } from '../../nats/revoke.ts'

/** Who was not let in lately, with all that were ever enrolled. */
export type KnockFacts = { knocks: Knock[]; agents: readonly Enrolment[] }

/** Only the servers' own account hears of it, and its key is with the operator's. @returns null where it is not here */
export const gatherKnocks = async (
  servers: readonly string[],
  keysDir: string,
): Promise<KnockFacts | null> => {
  if (!existsSync(join(keysFolder(keysDir), 'system.nk'))) return null
  const { regions, agents } = await readRegister(keysDir)
  const { seeds } = await keepKeyring(keysDir, regions)
  return { knocks: await readKnocks(servers, await systemCredentials(seeds)), agents }
}
