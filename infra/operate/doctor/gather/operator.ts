import { access } from 'node:fs/promises'
import { join } from 'node:path'
import { readConnections, type ConnectionFacts } from '@probe-mesh/bus/nats/connections'
import { readSystemSeed } from '../../../deploy/nats/keyring.ts'
import { readRegister, type Register } from '../../../deploy/nats/register.ts'
import { systemCredentials } from '../../../deploy/nats/revoke.ts'

/** Facts that need the operator's key folder. */
export type OperatorFacts = {
  register: Register
  /** Clients of the servers; null: no NATS, or no key for it. */
  connections: readonly ConnectionFacts[] | null
}

/** Reads the key folder, and lists the servers' clients with its key; null: no key folder on this machine. */
export const gatherOperator = async (
  keysDir: string,
  servers: readonly string[] | null,
): Promise<OperatorFacts | null> => {
  const register = await readRegister(keysDir)
  if (register.regions.length === 0) return null
  const system = await readSystemSeed(keysDir)
  if (servers === null || system === null) return { register, connections: null }
  const credentials = await systemCredentials({ system })
  // another finding reports a NATS that does not answer
  const connections = await readConnections(servers, credentials).catch(() => null)
  return { register, connections }
}

/** The path of the control plane's credentials in the key folder; null: none. */
export const findControlPlaneCredentials = async (keysDir: string): Promise<string | null> => {
  const path = join(keysDir, 'control-plane.creds')
  return access(path).then(
    () => path,
    () => null,
  )
}
