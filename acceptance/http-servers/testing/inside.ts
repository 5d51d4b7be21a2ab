// An agent with the settings of production, a Chromium and curl in a network namespace, on a small internet
// of real servers in a second one. Prints the results of every case.
import { execFileSync, spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as elapse } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import type { Answer } from 'dns-packet'
import { startAgentStage } from '../../faults/testing/agent-stage.ts'
import { answering, serving, startDnsServer } from '@probe-mesh/check-types/dns/probe/testing/dns-server'
import { createCurl, startChromium } from '../../http-corpus/testing/oracles.ts'
import {
  at,
  canaryHost,
  presentAt,
  serverCases,
  zone,
  type ServersReport,
  type ServersStage,
} from '../cases.ts'

const [stageFile = ''] = process.argv.slice(2)
const { home, programs, folder }: ServersStage = JSON.parse(await readFile(stageFile, 'utf8'))
const caFile = join(folder, 'ca.pem')
const { own, lost, nginx } = at
const intervalSeconds = 10
/** Readings of each case. */
const readingsMin = 2
const waitMsMax = 90_000
const pagesAtOnce = 4
const nxdomain = 3

const ip = (...args: string[]): void => void execFileSync('ip', args, { stdio: 'inherit' })

const startOutside = async (): Promise<ChildProcess> => {
  const script = fileURLToPath(new URL('outside.ts', import.meta.url))
  const child = spawn('unshare', ['--net', process.execPath, script, stageFile], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  // it runs once its namespace differs from ours
  const space = (pid: number | string): string => execFileSync('readlink', [`/proc/${pid}/ns/net`]).toString()
  while (space(child.pid ?? '') === space('self')) await elapse(10)
  const pid = String(child.pid)
  ip('link', 'add', 'out', 'type', 'veth', 'peer', 'name', 'in', 'netns', pid)
  const there = (...args: string[]): void =>
    void execFileSync('nsenter', ['--target', pid, '--net', 'ip', ...args], { stdio: 'inherit' })
  ip('addr', 'add', `${own.v4}/24`, 'dev', 'out')
  ip('addr', 'add', `${own.v6}/64`, 'dev', 'out', 'nodad')
  ip('link', 'set', 'out', 'up')
  for (const { v4, v6 } of presentAt) {
    there('addr', 'add', `${v4}/24`, 'dev', 'in')
    there('addr', 'add', `${v6}/64`, 'dev', 'in', 'nodad')
  }
  there('link', 'set', 'in', 'up')
  there('link', 'set', 'lo', 'up')
  // the other namespace forwards nothing: packets to further networks are lost silently
  ip('route', 'add', 'default', 'via', nginx.v4)
  ip('-6', 'route', 'add', 'default', 'via', nginx.v6)
  ip('route', 'add', 'unreachable', lost.v4)
  ip('-6', 'route', 'add', 'unreachable', lost.v6)
  child.stdin.write('linked\n')
  await once(child.stdout, 'data')
  return child
}

const addressesOf = (name: string): readonly string[] | null => {
  if (name === canaryHost) return [nginx.v4, nginx.v6]
  return serverCases.find((each) => `${each.name}.${zone}` === name)?.addresses ?? null
}

const startNames = () =>
  startDnsServer((query) => {
    const { name, type } = query.question
    const addresses = addressesOf(name.toLowerCase())
    if (addresses === null) return query.send(answering(query, [], nxdomain))
    const wanted = addresses.filter((address) => type === (address.includes(':') ? 'AAAA' : 'A'))
    const records = wanted.map((data): Answer => ({
      name,
      type: type === 'AAAA' ? 'AAAA' : 'A',
      data,
      ttl: 0,
    }))
    serving(records)(query)
  }, 53)

const isNotHeldUp = ({ cause }: { cause: string }): boolean => cause !== 'probe_lagging'

const measure = async (): Promise<Map<string, ServersReport['cases'][string]['readings']>> => {
  const stage = await startAgentStage()
  try {
    const agent = await stage.agent('fra-1', {
      environment: {
        // as in production: only public addresses are allowed
        TARGET_ALLOW: '',
        CANARIES: `${canaryHost}:80`,
        NODE_EXTRA_CA_CERTS: caFile,
      },
    })
    await agent.start()
    const ids = new Map<string, string>()
    for (const { name, url } of serverCases) {
      ids.set((await stage.assign({ url, intervalSeconds })).checkId, name)
    }
    // readings of an agent delayed by this machine are no evidence about the target
    const byName = () => {
      const measured = [...stage.kept.readings.values()].filter(isNotHeldUp)
      return Map.groupBy(measured, ({ checkId }) => ids.get(checkId) ?? '')
    }
    const endMs = performance.now() + waitMsMax
    const isEnough = () => {
      const all = byName()
      return serverCases.every(({ name }) => (all.get(name)?.length ?? 0) >= readingsMin)
    }
    while (!isEnough() && performance.now() < endMs) await elapse(100)
    return new Map(
      [...byName()].map(([name, readings]) => [
        name,
        readings.map(({ verdict, cause, reason, httpStatus, details, certificateExpiresAt }) => ({
          verdict,
          cause,
          reason,
          status: httpStatus,
          notes: details?.type === 'http' ? [...(details.notes ?? [])] : [],
          certificate: certificateExpiresAt !== null,
        })),
      ]),
    )
  } finally {
    await stage.close()
  }
}

type Others = Pick<ServersReport['cases'][string], 'chromium' | 'curl'>

const loadWithOthers = async (): Promise<{ others: Map<string, Others>; versions: string }> => {
  const chromium = await startChromium({ home })
  const curl = createCurl(['--cacert', caFile])
  const others = new Map<string, Others>()
  const left = [...serverCases]
  const one = async (): Promise<void> => {
    for (let each = left.shift(); each !== undefined; each = left.shift()) {
      const [a, b] = await Promise.all([chromium.load(each.url), curl.load(each.url)])
      others.set(each.name, { chromium: a, curl: b })
    }
  }
  try {
    await Promise.all(Array.from({ length: pagesAtOnce }, one))
    return { others, versions: chromium.version }
  } finally {
    await chromium.close()
  }
}

ip('link', 'set', 'lo', 'up')
const names = await startNames()
const servers = await startOutside()
const readings = await measure()
const { others, versions } = await loadWithOthers()
const noAnswer = { status: null, message: '' }
const report: ServersReport = {
  versions: [versions, ...versionsOf()].join(', '),
  cases: Object.fromEntries(
    serverCases.map(({ name }) => [
      name,
      { chromium: noAnswer, curl: noAnswer, ...others.get(name), readings: readings.get(name) ?? [] },
    ]),
  ),
}
servers.stdin?.end()
await names.close()
process.stdout.write(`${JSON.stringify(report)}\n`)
process.exit(0)

function versionsOf(): string[] {
  const first = (program: string, ...args: string[]): string =>
    execFileSync('sh', ['-c', '"$0" "$@" 2>&1', program, ...args], { encoding: 'utf8' })
      .split('\n')
      .find((line) => /\d+\.\d+/.test(line)) ?? ''
  return [
    first(programs.nginx, '-v').replace('nginx version: ', ''),
    `caddy ${first(programs.caddy, 'version')}`,
    first(programs.haproxy, '-v').split('-')[0] ?? '',
  ]
}
