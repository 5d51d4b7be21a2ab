// Agents of two regions with the settings of production in a network namespace, each with its own recursive
// resolver (unbound), on a small internet with real name servers in a second namespace. Prints their
// readings.
import { execFileSync, spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { promises as dns } from 'node:dns'
import { join } from 'node:path'
import { setTimeout as elapse } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import type { Reading } from '@probe-mesh/contracts/reading/reading'
import { startAgentStage } from './agent-stage.ts'
import {
  brokenZones,
  canaryHost,
  hostOf,
  resolvingIntervalSeconds,
  resolvingNetwork,
  resolvingRegions,
  workingZones,
  type ResolvingReport,
} from './resolving.ts'

const [unbound = '', knot = '', folder = ''] = process.argv.slice(2)
const { own, targetPort, parents } = resolvingNetwork
const everyOwn = [resolvingNetwork.target, parents, resolvingNetwork.zones, resolvingNetwork.silent]
/** Readings of each check and region, in each part. */
const readingsMin = 2
const waitMsMax = 200_000

const ip = (...args: string[]): void => void execFileSync('ip', args, { stdio: 'inherit' })

const startOutside = async (): Promise<ChildProcess> => {
  const script = fileURLToPath(new URL('resolving-outside.ts', import.meta.url))
  const args = ['--net', process.execPath, script, knot, join(folder, 'knot')]
  const child = spawn('unshare', args, { stdio: ['pipe', 'pipe', 'inherit'] })
  // it runs once its namespace differs from ours
  const space = (pid: number | string): string => execFileSync('readlink', [`/proc/${pid}/ns/net`]).toString()
  while (space(child.pid ?? '') === space('self')) await elapse(10)
  const pid = String(child.pid)
  ip('link', 'add', 'out', 'type', 'veth', 'peer', 'name', 'in', 'netns', pid)
  const there = (...args: string[]): void =>
    void execFileSync('nsenter', ['--target', pid, '--net', 'ip', ...args], { stdio: 'inherit' })
  ip('addr', 'add', `${own}/24`, 'dev', 'out')
  ip('link', 'set', 'out', 'up')
  for (const address of everyOwn) there('addr', 'add', `${address}/24`, 'dev', 'in')
  there('link', 'set', 'in', 'up')
  there('link', 'set', 'lo', 'up')
  child.stdin.write('linked\n')
  await once(child.stdout, 'data')
  return child
}

/** A validating resolver, with a key digest for each zone that it expects to be signed. */
const startUnbound = async (address: string): Promise<ChildProcess> => {
  const at = join(folder, `unbound-${address}`)
  await mkdir(at, { recursive: true })
  await writeFile(join(at, 'root.hints'), `. 3600 NS ns.\nns. 3600 A ${parents}\n`)
  const anchors = brokenZones
    .filter(({ as }) => as === 'unsigned')
    .map(({ zone }) => `  trust-anchor: "${zone}. DS 12345 13 2 ${'ab'.repeat(32)}"\n`)
  const config = `server:
  interface: ${address}
  do-ip6: no
  do-daemonize: no
  username: ""
  chroot: ""
  directory: "${at}"
  pidfile: ""
  use-syslog: no
  verbosity: 0
  num-threads: 1
  root-hints: "${join(at, 'root.hints')}"
  module-config: "validator iterator"
${anchors.join('')}remote-control:
  control-enable: no
`
  await writeFile(join(at, 'unbound.conf'), config)
  const child = spawn(unbound, ['-d', '-c', join(at, 'unbound.conf')], { stdio: ['ignore', 2, 2] })
  const resolver = new dns.Resolver({ timeout: 500, tries: 1 })
  resolver.setServers([address])
  for (;;) {
    const known = await resolver.resolve4(canaryHost).catch(() => [])
    if (known.length > 0) return child
    if (child.exitCode !== null) throw new Error('unbound ended')
    await elapse(50)
  }
}

const measure = async (resolvers: Readonly<Record<string, ChildProcess>>): Promise<ResolvingReport> => {
  const stage = await startAgentStage(resolvingRegions)
  try {
    const ids = new Map<string, string>()
    for (const zone of [...workingZones, ...brokenZones.map((broken) => broken.zone)]) {
      const url = `http://${hostOf(zone)}:${targetPort}/`
      for (const region of resolvingRegions) {
        const how = { url, region, intervalSeconds: resolvingIntervalSeconds }
        ids.set((await stage.assign(how)).checkId, hostOf(zone))
      }
    }
    for (const [index, region] of resolvingRegions.entries()) {
      const resolvConf = join(folder, `resolv-${region}.conf`)
      await writeFile(resolvConf, `nameserver 127.0.0.${index + 1}\n`)
      const mounted = 'mount --bind "$0" /etc/resolv.conf && exec "$@"'
      const agent = await stage.agent(`${region}-1`, {
        through: ['unshare', '--mount', 'sh', '-c', mounted, resolvConf],
        environment: {
          REGION: region,
          // as in production: only public addresses are allowed
          TARGET_ALLOW: '',
          CANARIES: `${canaryHost}:${targetPort}`,
        },
      })
      await agent.start()
    }
    const collected = (from: number) =>
      [...stage.kept.readings.values()].slice(from).map((reading) => ({
        host: ids.get(reading.checkId) ?? '',
        reading,
      }))
    const until = async (
      from: number,
      regions: readonly string[],
      counts: (reading: Reading) => boolean,
    ): Promise<void> => {
      const endMs = performance.now() + waitMsMax
      const isEnough = (): boolean => {
        const seen = collected(from).filter(({ reading }) => counts(reading))
        const byCheck = Map.groupBy(seen, ({ reading }) => reading.checkId)
        const wanted = ids.size * (regions.length / resolvingRegions.length)
        return [...byCheck.values()].filter((all) => all.length >= readingsMin).length >= wanted
      }
      while (!isEnough() && performance.now() < endMs) await elapse(100)
    }
    // readings of an overloaded machine are ignored
    await until(0, resolvingRegions, ({ verdict }) => verdict !== 'unmeasured')
    const size = stage.kept.readings.size
    const before = collected(0)
    const [, lost] = resolvingRegions
    const victim = resolvers[lost]
    const ended = victim === undefined ? null : once(victim, 'exit')
    victim?.kill('SIGKILL')
    await ended
    const resolverEndedAt = Date.now()
    await until(size, [lost], (reading) => reading.region === lost && reading.measuredAt > resolverEndedAt)
    const lines = (await readFile(join(stage.folder, 'logs', `${lost}-1`), 'utf8')).split('\n')
    const logged = lines
      .filter((line) => line.startsWith('{'))
      .map((line) => JSON.parse(line) as ResolvingReport['logged'][number])
    const announced = await stage.bus.presence.list(lost)
    return { before, after: collected(size), resolverEndedAt, logged, announced }
  } finally {
    await stage.close()
  }
}

ip('link', 'set', 'lo', 'up')
const outside = await startOutside()
const [first, second] = [await startUnbound('127.0.0.1'), await startUnbound('127.0.0.2')]
const report = await measure({ fra: first, nrt: second })
first.kill('SIGKILL')
outside.stdin?.end()
process.stdout.write(`${JSON.stringify(report)}\n`, () => process.exit(0))
