// One agent with the settings of production in a network namespace: a fake name server at the address of its
// own, a server on every internal address, and targets on public addresses in a second namespace. Prints the
// results of each name.
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { setTimeout as elapse } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { startDnsServer } from '@probe-mesh/check-types/dns/probe/testing/dns-server'
import { startAgentStage } from './agent-stage.ts'
import { canaryHost, createNames, inside, nameCases, outside, targetPort } from './names.ts'

const intervalSeconds = 2
/** Readings of each name, enough for every result of a changing name. */
const readingsMin = 10
const waitMsMax = 60_000

/** Causes of an overloaded machine, which do not concern a name. */
const ofThisMachine: ReadonlySet<string> = new Set(['probe_overloaded', 'probe_lagging'])

/** The results of each name, and the connections to addresses that no probe may reach. */
export type NamesReport = {
  names: { host: string; seen: string[]; readings: number }[]
  trapped: string[]
  refused: string[]
}

const ip = (...args: string[]): void => void execFileSync('ip', args, { stdio: 'inherit' })

const trapped: string[] = []
const setTraps = async (): Promise<void> => {
  for (const address of inside) {
    if (address !== '127.0.0.1' && address !== '::1') ip('addr', 'add', `${address}/32`, 'dev', 'lo')
    const trap = createServer((socket) => {
      trapped.push(address)
      socket.destroy()
    })
    trap.listen(targetPort, address)
    await once(trap, 'listening')
  }
}

const startOutside = async (): Promise<() => void> => {
  const script = fileURLToPath(new URL('names-outside.ts', import.meta.url))
  const child = spawn('unshare', ['--net', process.execPath, script], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  await once(child.stdout, 'data')
  const pid = String(child.pid)
  ip('link', 'add', 'out', 'type', 'veth', 'peer', 'name', 'in', 'netns', pid)
  const there = (...args: string[]): void =>
    void execFileSync('nsenter', ['--target', pid, '--net', 'ip', ...args], { stdio: 'inherit' })
  ip('addr', 'add', `${outside.own.ipv4}/24`, 'dev', 'out')
  ip('addr', 'add', `${outside.own.ipv6}/64`, 'dev', 'out', 'nodad')
  ip('link', 'set', 'out', 'up')
  there('addr', 'add', `${outside.ipv4}/24`, 'dev', 'in')
  there('addr', 'add', `${outside.ipv6}/64`, 'dev', 'in', 'nodad')
  there('link', 'set', 'in', 'up')
  return () => void child.stdin.end()
}

const measure = async (): Promise<NamesReport> => {
  const stage = await startAgentStage()
  try {
    const agent = await stage.agent('fra-1', {
      // As in production: only public addresses are allowed.
      environment: { TARGET_ALLOW: '', CANARIES: `${canaryHost}:${targetPort}` },
    })
    await agent.start()
    const ids = new Map<string, string>()
    for (const { host, path = '/' } of nameCases) {
      const url = `http://${host}:${targetPort}${path}`
      const { checkId } = await stage.assign({ url, intervalSeconds })
      ids.set(checkId, host)
    }
    const byHost = () =>
      Map.groupBy(
        stage.kept.readings.values().filter(({ cause }) => !ofThisMachine.has(cause)),
        ({ checkId }) => ids.get(checkId) ?? '',
      )
    const endMs = performance.now() + waitMsMax
    const isEnough = () => {
      const all = byHost()
      return nameCases.every(({ host }) => (all.get(host)?.length ?? 0) >= readingsMin)
    }
    while (!isEnough() && performance.now() < endMs) await elapse(100)
    return {
      trapped,
      refused: [...stage.kept.refused],
      names: [...byHost()].map(([host, readings]) => ({
        host,
        readings: readings.length,
        seen: [...new Set(readings.map(({ verdict, cause }) => `${verdict} ${cause}`))].toSorted(),
      })),
    }
  } finally {
    await stage.close()
  }
}

ip('link', 'set', 'lo', 'up')
const names = await startDnsServer(createNames(), 53)
await setTraps()
const closeOutside = await startOutside()
const report = await measure()
closeOutside()
await names.close()
process.stdout.write(`${JSON.stringify(report)}\n`)
process.exit(0)
