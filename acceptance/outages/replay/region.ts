// One region, in its own network namespace: an agent with the settings of production behind a resolver
// (unbound), on an internet in a second namespace. Forwards states of the network; ends with its input.
import { execFileSync, spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { openSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { promises as dns } from 'node:dns'
import { connect, createServer, type Socket } from 'node:net'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as elapse } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { createEntryPart } from '@probe-mesh/infra/testing/processes/entry-part'
import type { NetworkState } from '../condition-at.ts'
import { canary, internetNetwork, rootHints, unboundConfig } from './internet-plan.ts'
import { startNameFront } from './name-fronts.ts'
import { startPeer, type PeerSettings } from './peer.ts'

export type RegionSettings = {
  region: string
  folder: string
  planFile: string
  unbound: string
  knot: string
  /** The broker as a Unix socket, because the region's network reaches nothing else. */
  broker: string
  /** Zones that are expected to be signed while their service's names are bogus, by slug. */
  signed: Readonly<Record<string, string>>
  blackbox: string
  peer: PeerSettings
}
/** A line of a region's output after the first: one per probe of its peer. */
export type RegionProbed = { slug: string; success: boolean }

const settings = JSON.parse(process.argv[2] ?? '') as RegionSettings
const { region, folder, unbound, knot, planFile, broker, signed } = settings
const brokerPort = 4_222
const agentPort = 8_080
const startMsMax = 60_000
const resolvers = { agent: '127.0.0.1', plain: '127.0.0.2', holding: '127.0.0.3' } as const

const ip = (...args: string[]): void => void execFileSync('ip', args, { stdio: 'inherit' })

const startInternet = async (): Promise<ChildProcess> => {
  const script = fileURLToPath(new URL('internet.ts', import.meta.url))
  const args = ['--net', process.execPath, script, knot, join(folder, 'internet'), planFile]
  const child = spawn('unshare', args, { stdio: ['pipe', 'pipe', 'inherit'] })
  // it runs once its namespace differs from ours
  const space = (pid: number | string): string => execFileSync('readlink', [`/proc/${pid}/ns/net`]).toString()
  while (space(child.pid ?? '') === space('self')) await elapse(10)
  const pid = String(child.pid)
  ip('link', 'add', 'out', 'type', 'veth', 'peer', 'name', 'in', 'netns', pid)
  const there = (...args: string[]): void =>
    void execFileSync('nsenter', ['--target', pid, '--net', 'ip', ...args], { stdio: 'inherit' })
  ip('addr', 'add', `${internetNetwork.region}/24`, 'dev', 'out')
  ip('link', 'set', 'out', 'up')
  for (const address of [internetNetwork.gateway, internetNetwork.parents]) {
    there('addr', 'add', `${address}/24`, 'dev', 'in')
  }
  there('link', 'set', 'in', 'up')
  there('link', 'set', 'lo', 'up')
  ip('route', 'add', 'default', 'via', internetNetwork.gateway)
  child.once('exit', () => process.exit(1))
  child.stdin.write('linked\n')
  await once(child.stdout, 'data')
  return child
}

const startUnbound = async (address: string, holds: readonly string[]): Promise<ChildProcess> => {
  const at = join(folder, `unbound-${address}`)
  await mkdir(at, { recursive: true })
  await writeFile(join(at, 'root.hints'), rootHints)
  await writeFile(join(at, 'unbound.conf'), unboundConfig(at, address, holds))
  const log = openSync(join(at, 'log'), 'a')
  const child = spawn(unbound, ['-d', '-c', join(at, 'unbound.conf')], {
    stdio: ['ignore', log, log],
  })
  const resolver = new dns.Resolver({ timeout: 500, tries: 1 })
  resolver.setServers([address])
  const end = performance.now() + startMsMax
  for (;;) {
    const known = await resolver.resolve4(canary.host).catch(() => [])
    if (known.length > 0) return child
    if (child.exitCode !== null || performance.now() > end) throw new Error('unbound does not respond')
    await elapse(50)
  }
}

const startBrokerLink = async (): Promise<void> => {
  const server = createServer((socket: Socket) => {
    const way = connect(broker)
    socket.pipe(way).pipe(socket)
    for (const end of [socket, way]) end.on('error', () => [socket, way].forEach((one) => one.destroy()))
  })
  server.listen(brokerPort, '127.0.0.1')
  await once(server, 'listening')
}

ip('link', 'set', 'lo', 'up')
await mkdir(join(folder, 'logs'), { recursive: true })
const internet = await startInternet()
const plain = await startUnbound(resolvers.plain, [])
const holding = await startUnbound(resolvers.holding, Object.values(signed))
let states: Readonly<Record<string, NetworkState>> = {}
await startNameFront(resolvers.agent, (name) => {
  const isHeld = Object.entries(signed).some(
    ([slug, zone]) =>
      states[slug]?.names?.fails === 'names_bogus' && (name === zone || name.endsWith(`.${zone}`)),
  )
  return { passTo: { address: isHeld ? resolvers.holding : resolvers.plain, port: 53 } }
})
const resolvConf = join(folder, 'resolv.conf')
await writeFile(resolvConf, `nameserver ${resolvers.agent}\n`)
execFileSync('mount', ['--bind', resolvConf, '/etc/resolv.conf'])
await startBrokerLink()
const agent = createEntryPart({
  name: `${region}-1`,
  entry: 'agent',
  port: agentPort,
  folder,
  environment: {
    REGION: region,
    AGENT: `${region}-1`,
    NATS_URL: `nats://127.0.0.1:${brokerPort}`,
    // as in production: only public addresses are allowed
    TARGET_ALLOW: '',
    CANARIES: `${canary.host}:${internetNetwork.targetPort}`,
    CHROMIUM: 'off',
  },
})
await agent.start()
const peer = await startPeer(settings.blackbox, folder, settings.peer)
process.stdout.write('ready\n')
peer.onProbed((probed: RegionProbed) => process.stdout.write(`${JSON.stringify(probed)}\n`))
const lines = createInterface({ input: process.stdin })
lines.on('line', (line) => {
  states = JSON.parse(line) as typeof states
  internet.stdin?.write(`${line}\n`)
})
lines.on('close', () => {
  const end = (): void => {
    for (const child of [plain, holding, peer.child]) child.kill('SIGKILL')
    internet.stdin?.end()
    process.exit(0)
  }
  agent.close().then(end, end)
})
