import { access } from 'node:fs/promises'
import { join } from 'node:path'
import { readConnections } from '@probe-mesh/bus/nats/connections'
import type { ConnectionFacts } from '@probe-mesh/bus/nats/connections'
import { readSystemSeed } from '../../../deploy/nats/keyring.ts'
import { readRegister } from '../../../deploy/nats/register.ts'
import type { Register } from '../../../deploy/nats/register.ts'
import { systemCredentials } from '../../../deploy/nats/revoke.ts'

/** What only the operator's folder of keys can tell. */
export type OperatorFacts = {
  register: Register
  /** What the servers see of their clients; null: there is no NATS, or no key to ask it with. */
  connections: readonly ConnectionFacts[] | null
}

/** What the folder of keys says, and what the servers say to whoever has it; null: it is not on this machine. */
export const gatherOperator = async (
  keysDir: string,
  servers: readonly string[] | null,
): Promise<OperatorFacts | null> => {
  const register = await readRegister(keysDir)
  if (register.regions.length === 0) return null
  const system = await readSystemSeed(keysDir)
  if (servers === null || system === null) return { register, connections: null }
  const credentials = await systemCredentials({ system })
  // where NATS is away, that is told elsewhere
  const connections = await readConnections(servers, credentials).catch(() => null)
  return { register, connections }
}

/** The control plane's own credentials in the folder of keys; null: it has none. */
export const findControlPlaneCredentials = async (keysDir: string): Promise<string | null> => {
  const path = join(keysDir, 'control-plane.creds')
  return access(path).then(
    () => path,
    () => null,
  )
}
