import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { jetstreamManager } from '@nats-io/jetstream'
import { encodeUser, fmtCreds, fromSeed } from '@nats-io/jwt'
import { credsAuthenticator, type NatsConnection } from '@nats-io/nats-core'
import { connect } from '@nats-io/transport-node'
import type { Region } from '@probe-mesh/contracts/reading/regions'
import { accountsConfiguration, serverConfiguration } from '@probe-mesh/infra/deploy/nats/configuration'
import { startTestNats, type TestNats } from '@probe-mesh/infra/testing/nats'
import type { Bus } from '../port.ts'
import {
  agentToken,
  controlPlaneToken,
  meshAccountToken,
  operatorToken,
  regionAccountToken,
  systemAccountToken,
} from './accounts/accounts.ts'
import { credentialsFile } from './credentials.ts'
import { openNatsBus } from './nats-bus.ts'
import { agentConnection, controlPlaneConnection } from './permissions.ts'
import { createSeed, seedIn } from './seeds.ts'

/**
 * Removes the streams of readings and errors, which no credentials of the mesh may do: like an operator with the
 * secret of the account.
 * @param folder of `nats-config`, with its keys
 */
export const removeStreams = async (folder: string, url: string): Promise<void> => {
  const seed = seedIn(await readFile(join(folder, 'keys', 'mesh.nk'), 'utf8'), 'account')
  if (seed === null) throw new Error('the keys of NATS have no account of the mesh')
  const text = new TextEncoder()
  const user = fromSeed(text.encode(createSeed('user')))
  const token = await encodeUser('operator of a test', user, fromSeed(text.encode(seed)))
  const nc = await connect({ servers: [url], authenticator: credsAuthenticator(fmtCreds(token, user)) })
  try {
    const jsm = await jetstreamManager(nc)
    for (const stream of ['READINGS', 'ERRORS']) await jsm.streams.delete(stream)
  } finally {
    await nc.close()
  }
}

const readingsBytesMax = 64 * 1024 * 1024

export type MeshNats = {
  readonly server: TestNats
  openControlPlane(): Promise<Bus>
  openAgent(region: Region): Promise<Bus>
  /** A raw connection, with the credentials of a region or of the control plane. */
  connectAs(who: Region | 'control-plane'): Promise<NatsConnection>
  /** Closes all connections and the server. */
  close(): Promise<void>
}

/** A server with the configuration of the mesh, and connections with its credentials. */
export const startMeshNats = async (regions: readonly Region[]): Promise<MeshNats> => {
  const seeds = {
    operator: createSeed('operator'),
    system: createSeed('account'),
    mesh: { account: createSeed('account'), users: createSeed('account') },
    regions: new Map(
      regions.map((region) => [region, { account: createSeed('account'), users: createSeed('account') }]),
    ),
  }
  const regionAccounts = await Promise.all(
    regions.map((region) => regionAccountToken(seeds, region, new Map())),
  )
  const plan = {
    listen: '127.0.0.1:4222',
    operatorToken: await operatorToken(seeds),
    tls: null,
    cluster: null,
    leafListen: null,
  }
  const accounts = accountsConfiguration([
    await systemAccountToken(seeds),
    await meshAccountToken(seeds, regions),
    ...regionAccounts,
  ])
  const server = await startTestNats({
    configuration: (storeDir) =>
      serverConfiguration({ ...plan, storeDir, accountsDir: `${storeDir}-accounts` }),
    includes: { 'accounts.conf': accounts },
  })
  const controlPlane = createSeed('user')
  const control = credentialsFile(await controlPlaneToken(seeds, controlPlane), controlPlane)
  const agents = new Map(
    await Promise.all(
      regions.map(async (region) => {
        const user = createSeed('user')
        const agent = { region, name: `agent of ${region}`, user, expiresAtMs: null }
        return [region, credentialsFile(await agentToken(seeds, agent), user)] as const
      }),
    ),
  )
  const opened: { close(): Promise<void> }[] = []
  const keep = <T extends { close(): Promise<void> }>(one: T): T => {
    opened.push(one)
    return one
  }
  const loginOf = (region: Region) => {
    const file = agents.get(region)
    if (file === undefined) throw new Error(`no agents of ${region}`)
    return { ...agentConnection(region), authenticator: credsAuthenticator(Buffer.from(file)) }
  }
  const controlLogin = () => ({
    ...controlPlaneConnection,
    authenticator: credsAuthenticator(Buffer.from(control)),
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
