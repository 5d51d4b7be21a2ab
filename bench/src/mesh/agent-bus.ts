import { readNatsCredentials } from '@probe-mesh/bus/nats/credentials'
import { openNatsBus } from '@probe-mesh/bus/nats/nats-bus'
import { agentConnection } from '@probe-mesh/bus/nats/permissions'
import type { Bus } from '@probe-mesh/bus/port'
import type { Region } from '@probe-mesh/contracts/reading/regions'

/** Opens the bus with the permissions of an agent of this region. */
export const openAgentBus = async (options: {
  region: Region
  agent: string
  natsUrl: string
  credentialsFile: string
}): Promise<Bus> => {
  const { region, agent, natsUrl, credentialsFile } = options
  const { authenticator } = await readNatsCredentials(credentialsFile)
  const login = { ...agentConnection(region), authenticator }
  return openNatsBus({ servers: [natsUrl], name: agent, ...login })
}
