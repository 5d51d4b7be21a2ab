import { connect } from '@nats-io/transport-node'
import { nkeyAuthenticator } from '@nats-io/nats-core'
import type { NatsConnection } from '@nats-io/nats-core'
import type { Region } from '@probe-mesh/contracts/regions'
import { serverConfiguration } from '../../../infra/nats/configuration.ts'
import { startTestNats, type TestNats } from '../../../infra/testing/nats.ts'
import type { Bus } from '../port.ts'
import { openNatsBus } from './nats-bus.ts'
import { createUserSeed, publicKeyOf } from './nkey.ts'
import { agentConnection, controlPlaneConnection } from './permissions.ts'

const readingsBytesMax = 64 * 1024 * 1024

export type MeshNats = {
  readonly server: TestNats
  openControlPlane(): Promise<Bus>
  openAgent(region: Region): Promise<Bus>
  /** A connection below the bus, with the credentials of a region or of the control plane. */
  connectAs(who: Region | 'control-plane'): Promise<NatsConnection>
  /** Closes all that was opened, and the server. */
  close(): Promise<void>
}

/** A server with the configuration of the mesh, and those who have credentials for it. */
export const startMeshNats = async (regions: readonly Region[]): Promise<MeshNats> => {
  const controlPlane = createUserSeed()
  const agents = regions.map((region) => ({ region, seed: createUserSeed() }))
  const server = await startTestNats({
    configuration: (storeDir) =>
      serverConfiguration({
        listen: '127.0.0.1:4222',
        storeDir,
        controlPlaneKey: publicKeyOf(controlPlane),
        agents: agents.map(({ region, seed }) => ({ region, key: publicKeyOf(seed) })),
      }),
  })
  const opened: { close(): Promise<void> }[] = []
  const keep = <T extends { close(): Promise<void> }>(one: T): T => {
    opened.push(one)
    return one
  }
  const loginOf = (region: Region) => {
    const seed = agents.find((agent) => agent.region === region)?.seed
    if (seed === undefined) throw new Error(`no agents of ${region}`)
    return { ...agentConnection(region), authenticator: nkeyAuthenticator(Buffer.from(seed)) }
  }
  const controlLogin = () => ({
    ...controlPlaneConnection,
    authenticator: nkeyAuthenticator(Buffer.from(controlPlane)),
  })
  const servers = [server.url]
  return {
    server,
    openControlPlane: async () => {
      const topology = { regions, readingsBytesMax }
      return keep(await openNatsBus({ servers, name: 'control', ...controlLogin(), topology }))
    },
    openAgent: async (region) =>
      keep(await openNatsBus({ servers, name: `agent ${region}`, ...loginOf(region) })),
    connectAs: async (who) => {
      const login = who === 'control-plane' ? controlLogin() : loginOf(who)
      const { authenticator, inboxPrefix } = login
      const connection = await connect({ servers, authenticator, inboxPrefix })
      keep({ close: () => connection.close() })
      return connection
    },
    close: async () => {
      for (const one of opened) await one.close()
      await server.close()
    },
  }
}
