import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readNatsCredentials } from '@probe-mesh/bus/nats/credentials'
import { openNatsBus } from '@probe-mesh/bus/nats/nats-bus'
import { agentConnection, controlPlaneConnection } from '@probe-mesh/bus/nats/permissions'
import type { Bus } from '@probe-mesh/bus/port'
import { expect, vi } from 'vitest'
import { startTestNats, type TestNats } from '../../../testing/nats.ts'
import { freePorts } from '../../../testing/processes/free-ports.ts'
import { startProxy, type Proxy } from '../../../testing/proxy.ts'
import { runAgentAct } from '../run-agent-act.ts'
import { runNatsConfig } from '../run.ts'

export const patience = { timeout: 30_000, interval: 50 }

/** A mesh of the regions fra and iad, the leaf node of fra, and a proxy between them. */
export type LeafMesh = {
  readonly folder: string
  readonly hub: TestNats
  readonly leaf: TestNats
  readonly between: Proxy
  readonly control: Bus
  /** Runs the operator command `admin agent ...`, with NATS_URL if given. */
  admin(args: string[], servers?: string): Promise<{ code: number; error: string }>
  /** Enrols an agent. @returns the file with its credentials */
  enroll(region: string, name: string): Promise<string>
  /** Opens the bus of an agent, on the leaf node or another server. */
  connect(region: string, credentials: string, server?: TestNats): Promise<Bus>
  /** Closes what `connect` opened. */
  disconnect(): Promise<void>
  close(): Promise<void>
}

const quiet = { out: () => {}, error: () => {} }

/**
 * Starts the mesh, configured by the operator commands. Resolves when an agent is present through the leaf
 * node.
 */
export const startLeafMesh = async (): Promise<LeafMesh> => {
  const folder = await mkdtemp(join(tmpdir(), 'probe-mesh-leaf-'))
  const configure = async (...args: string[]) =>
    expect(await runNatsConfig([...args, '--out', folder], quiet)).toBe(0)
  const [leafPort = 0] = await freePorts(1)
  await configure('--regions', 'fra,iad', '--leaf-listen', `127.0.0.1:${leafPort}`)
  const hub = await startTestNats({ configurationFile: join(folder, 'nats-server.conf') })
  const between = await startProxy(leafPort)
  await configure('--leaf', 'fra', '--hub', `127.0.0.1:${between.port}`)
  const leaf = await startTestNats({
    configurationFile: join(folder, 'leaf-fra', 'nats-server.conf'),
    flags: ['--name', 'fra-leaf'],
  })
  const { authenticator } = await readNatsCredentials(join(folder, 'control-plane.creds'))
  const control = await openNatsBus({
    servers: [hub.url],
    name: 'control',
    ...controlPlaneConnection,
    authenticator,
    topology: { regions: ['fra', 'iad'] },
  })
  const opened: Bus[] = []
  const admin: LeafMesh['admin'] = async (args, servers) => {
    const captured = { error: '' }
    const error = (text: string) => void (captured.error += text)
    const environment = servers === undefined ? {} : { NATS_URL: servers }
    const output = { out: () => {}, error }
    return { code: await runAgentAct([...args, '--keys', folder], environment, output), ...captured }
  }
  const enroll: LeafMesh['enroll'] = async (region, name) => {
    const out = join(folder, `${name}.creds`)
    const flags = ['--region', region, '--name', name, '--out', out]
    expect(await admin(['enroll', ...flags])).toMatchObject({ code: 0 })
    return out
  }
  const connect: LeafMesh['connect'] = async (region, file, server = leaf) => {
    const login = await readNatsCredentials(file)
    const bus = await openNatsBus({
      servers: [server.url],
      name: file,
      ...agentConnection(region),
      authenticator: login.authenticator,
    })
    opened.push(bus)
    return bus
  }
  const disconnect = async () => {
    for (const bus of opened.splice(0)) await bus.close()
  }
  const first = await connect('fra', await enroll('fra', 'fra-1'))
  await vi.waitFor(
    () => first.presence.announce({ agent: 'first', region: 'fra', version: '1', startedAt: 1 }),
    patience,
  )
  await disconnect()
  return {
    folder,
    hub,
    leaf,
    between,
    control,
    admin,
    enroll,
    connect,
    disconnect,
    close: async () => {
      await disconnect()
      await control.close()
      await leaf.close()
      await between.close()
      await hub.close()
      await rm(folder, { recursive: true, force: true })
    },
  }
}
