import { createServer, type Server } from 'node:http'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { createApiClient } from '@probe-mesh/contracts/api/client'
import { createTestAccount } from '../../../testing/processes/account.ts'
import type { Fault } from './fault.ts'
import type { FaultyMesh } from './faulty-mesh.ts'

/** A target or receiver of this machine. */
let server: Server | null = null
let status = 200
const listen = async (): Promise<string> => {
  status = 200
  server = createServer((request, response) => {
    const wanted = request.url === '/down' ? 503 : status
    request.resume().on('end', () => response.writeHead(wanted).end())
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return `127.0.0.1:${(server.address() as AddressInfo).port}`
}
const hangUp = async (): Promise<void> => {
  server?.closeAllConnections()
  server?.close()
  server = null
}

type Client = ReturnType<typeof createApiClient>
let own: { client: Client; checkIds: string[]; channelId: string | null } | null = null

const openAccount = async (mesh: FaultyMesh): Promise<Client> => {
  const apiKey = await createTestAccount(mesh.postgres.url)
  const client = createApiClient({ apiUrl: `${mesh.sound['PUBLIC_URL']}/v1`, apiKey })
  own = { client, checkIds: [], channelId: null }
  return client
}
const use = <T>(answer: { ok: true; value: T } | { ok: false; problem: { message: string } }): T => {
  if (!answer.ok) throw new Error(answer.problem.message)
  return answer.value
}
const createCheck = async (client: Client, name: string, url: string, regions: string[]) => {
  const body = { name, url, intervalSeconds: 10, regions }
  own?.checkIds.push(use(await client.call('createCheck', { body })).id)
}
/** Deletes what the fault created, so that the next one starts from a mesh without checks. */
const closeAccount = async (): Promise<void> => {
  if (own !== null) {
    const { client, checkIds, channelId } = own
    for (const id of checkIds) use(await client.call('deleteCheck', { params: { id } }))
    if (channelId !== null) use(await client.call('deleteChannel', { params: { id: channelId } }))
  }
  own = null
  await hangUp()
}

const agent = (mesh: FaultyMesh, name: string, environment: Record<string, string> = {}): Promise<void> =>
  mesh.agent(name, mesh.credentialsOf(name), name.startsWith('nrt') ? 'nrt' : 'fra', environment)

/** A canary that never answers. */
const deafCanary = 'localhost:1'

/** Agents, channels and control planes that run, and do less than they should. */
export const faultsOfProbes: readonly Fault[] = [
  {
    planted: 'two hosts run an agent of one name',
    plant: async (mesh) => {
      // it waits, so it is never ready
      await mesh.agent('second', mesh.credentialsOf('fra-2'), 'fra', { AGENT: 'fra-2' })
    },
    found: {
      level: 'warning',
      topic: 'agents',
      message: /^Two agents have the name fra-2: one runs on \S+, another/,
    },
    remedy:
      /"npm run -s admin -- (?<command>agent enroll --region fra --name (?<name>fra-2-2) --out (?<file>\S+))"/,
    apply: async (mesh, { command = '', name = '', file = '' }) => {
      await mesh.admin(command.replace(file, `${mesh.folder}/${file}`).split(' '))
      await mesh.agent('second', `${mesh.folder}/${file}`, 'fra', { AGENT: name })
    },
    restore: async (mesh) => {
      await mesh.agents.get('second')?.close()
      await mesh.admin(['agent', 'revoke', 'fra-2-2'])
    },
  },
  {
    planted: 'an agent reaches none of its canaries',
    plant: (mesh) => agent(mesh, 'fra-2', { CANARIES: deafCanary }),
    found: { level: 'warning', topic: 'agents', message: /^fra-2 reaches none of its canaries/ },
    remedy: /set CANARIES to hosts that it may reach, as host:port/,
    apply: async (mesh) => {
      const heard = await listen()
      await agent(mesh, 'fra-2', { CANARIES: heard.replace('127.0.0.1', 'localhost') })
    },
    restore: async (mesh) => {
      await hangUp()
      await agent(mesh, 'fra-2')
    },
  },
  {
    planted: 'no agent reaches the internet',
    plant: async (mesh) => {
      for (const name of ['fra-1', 'fra-2', 'nrt-1']) await agent(mesh, name, { CANARIES: deafCanary })
    },
    found: { level: 'broken', topic: 'agents', message: /^No region can measure: no agent resolves names/ },
    remedy: /set CANARIES to some of those, as host:port, and restart the agents/,
    apply: async (mesh) => {
      const CANARIES = (await listen()).replace('127.0.0.1', 'localhost')
      for (const name of ['fra-1', 'fra-2', 'nrt-1']) await agent(mesh, name, { CANARIES })
    },
    restore: async (mesh) => {
      await hangUp()
      for (const name of ['fra-1', 'fra-2', 'nrt-1']) await agent(mesh, name)
    },
  },
  {
    planted: 'an agent has another REGION_KEY',
    plant: (mesh) => agent(mesh, 'fra-2', { REGION_KEY: 'f'.repeat(64) }),
    found: {
      level: 'warning',
      topic: 'agents',
      message: /^fra-2 has a REGION_KEY that is not the key of fra/,
    },
    remedy: /"npm run -s admin -- (?<command>region-key fra)"/,
    apply: async (mesh, { command = '' }) =>
      agent(mesh, 'fra-2', { REGION_KEY: (await mesh.admin(command.split(' '))).trim() }),
    restore: (mesh) => agent(mesh, 'fra-2'),
  },
  {
    planted: 'an agent lacks the TARGET_ALLOW of the control planes',
    plant: async (mesh) => {
      await agent(mesh, 'fra-2', { TARGET_ALLOW: '' })
      const [client, host] = [await openAccount(mesh), await listen()]
      // the two agents of the region share them
      for (let n = 0; n < 8; n++) await createCheck(client, `site ${n}`, `http://${host}/${n}`, ['fra'])
    },
    found: {
      level: 'warning',
      topic: 'agents',
      message: /^fra-2 did not measure \d+ times in 10 min: "the target address is not allowed"/,
    },
    remedy: /^Set TARGET_ALLOW=(?<networks>\S+) on its machine, and restart it/,
    apply: (mesh, { networks = '' }) => agent(mesh, 'fra-2', { TARGET_ALLOW: networks }),
    restore: async (mesh) => {
      await closeAccount()
      await agent(mesh, 'fra-2')
    },
  },
  {
    planted: 'a channel fails every message',
    plant: async (mesh) => {
      const [client, host] = [await openAccount(mesh), await listen()]
      const config = { url: `http://${host}/hook` }
      const channel = use(
        await client.call('createChannel', { body: { type: 'json', name: 'hook', config } }),
      )
      if (own !== null) own.channelId = channel.id
      use(await client.call('testChannel', { params: { id: channel.id } }))
      status = 500
      await createCheck(client, 'down', `http://${host}/down`, ['fra', 'nrt'])
    },
    found: {
      level: 'warning',
      topic: 'channels',
      message: /^The channel hook \(json\) of Test fails every message for .*Last: .*500/,
    },
    remedy: /^Repair its receiver.*Waiting messages follow by themselves\.$/,
    apply: async () => {
      status = 200
    },
    restore: closeAccount,
  },
  {
    planted: 'a control plane is frozen',
    plant: async (mesh) => mesh.controlPlane(1).pause(),
    found: { level: 'broken', topic: 'control planes', message: /is frozen for .*is stopped by a signal/ },
    remedy: /"kill -CONT (?<pid>\d+)"/,
    apply: async (_, { pid }) => void process.kill(Number(pid), 'SIGCONT'),
  },
  {
    planted: 'a control plane was killed and not started again',
    plant: async (mesh) => void (await mesh.controlPlane(1).kill()),
    found: { level: 'broken', topic: 'control planes', message: /has not renewed .*it ended without a stop/ },
    remedy: /^Start it again: "systemctl restart probe-mesh-control-plane"/,
    apply: (mesh) => mesh.restart(1),
  },
  {
    planted: 'control planes have different REGIONS',
    plant: async (mesh) => {
      mesh.environment['REGIONS'] = 'fra'
      await mesh.restart(0)
    },
    found: {
      level: 'warning',
      topic: 'control planes',
      message: /^The control planes have different REGIONS: /,
    },
    remedy: /^Set REGIONS=(?<regions>[a-z,]+) on every control plane/,
    apply: async (mesh, { regions = '' }) => {
      mesh.environment['REGIONS'] = regions
      await mesh.restart(0)
    },
    restore: async (mesh) => {
      mesh.environment['REGIONS'] = mesh.sound['REGIONS'] ?? ''
      await mesh.restart(0)
    },
  },
  {
    planted: 'TRUST_PROXY is off behind a proxy',
    plant: async (mesh) => {
      mesh.environment['TRUST_PROXY'] = 'off'
      await Promise.all([mesh.restart(0), mesh.restart(1)])
    },
    found: { level: 'warning', topic: 'proxy', message: /forwards requests, and TRUST_PROXY lacks it/ },
    remedy: /^Set TRUST_PROXY=(?<address>\S+) on every control plane/,
    apply: async (mesh, { address = '' }) => {
      mesh.environment['TRUST_PROXY'] = address
      await Promise.all([mesh.restart(0), mesh.restart(1)])
    },
    restore: async (mesh) => {
      mesh.environment['TRUST_PROXY'] = mesh.sound['TRUST_PROXY'] ?? ''
      await Promise.all([mesh.restart(0), mesh.restart(1)])
    },
  },
]
