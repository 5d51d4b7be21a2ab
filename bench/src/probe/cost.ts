import { startChild } from '../harness/child.ts'
import type { Aim } from '../harness/figure.ts'
import { roundsOf, takeTurns } from '../harness/turns.ts'
import type { BenchContext } from '../harness/run-bench.ts'
import { withClosers, type Keep } from '../harness/scope.ts'
import { median, ratios } from '../harness/statistics.ts'
import type { AgentQuestion } from './agent-process.ts'
import { startBlackbox } from './blackbox.ts'
import { startSystemNames } from './system-names.ts'
import { startSite } from './nginx.ts'
import type { RawQuestion } from './raw-process.ts'
import type { Slice, SliceQuestion } from './slice.ts'
import type { Targets, Target } from './targets.ts'
import { execFile } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { cpuMsOfEndedChildren } from '../harness/usage.ts'

/** A prober, with the name that its figures carry. */
type Contender = {
  name: string
  /** Whether V8 runs it, which optimizes code that runs long enough. */
  warms: boolean
  slice(question: SliceQuestion): Promise<Slice>
}

/** By contender, in the order of the rounds. */
type Slices = ReadonlyMap<string, readonly Slice[]>

export const inFlight = 50
/** An agent runs for days, so that V8 gets a long warm-up. */
const warmTimes = 10
const failedShareMax = 0.01

/** The CPU of one contender beside that of another. */
type Ratio = { of: string; to: string; aim?: Aim }

const protocols = [
  {
    name: 'http',
    secure: false,
    count: 3_000,
    ratios: [
      { of: 'agent', to: 'blackbox', aim: { atMost: 0.35 } },
      { of: 'agent', to: 'blackbox_by_name', aim: { atMost: 0.35 } },
      { of: 'agent_by_address', to: 'blackbox' },
      { of: 'agent', to: 'raw' },
    ],
  },
  {
    name: 'https',
    secure: true,
    count: 1_500,
    ratios: [
      { of: 'agent', to: 'blackbox', aim: { atMost: 0.95 } },
      { of: 'agent', to: 'blackbox_by_name', aim: { atMost: 0.95 } },
      { of: 'agent', to: 'raw', aim: { atMost: 1.3 } },
      { of: 'agent', to: 'openssl' },
    ],
  },
] as const satisfies { name: string; secure: boolean; count: number; ratios: Ratio[] }[]

type Protocol = Omit<(typeof protocols)[number], 'count'> & { count: number }

/** CPU of a check of nginx: the whole agent beside a bare socket, blackbox_exporter and OpenSSL itself. */
export const measureCost = (context: BenchContext, folder: string, targets: Targets): Promise<void> =>
  withClosers(async (keep) => {
    const { quick, log } = context
    const peers = { mayFetch: !quick, log }
    const site = keep(await startSite(folder, targets, peers))
    const { httpPort, httpsPort, ca, namesPort } = site
    const target = { httpPort, httpsPort, ca, namesPort }
    const byAddress = startProber('agent_by_address', target, false, keep)
    const all: Contender[] = [startProber('agent', target, true, keep), byAddress, startRaw(target, keep)]
    const blackbox = await startBlackbox(folder, target, { by: 'address', ...peers })
    const names = blackbox === null ? null : await startSystemNames(folder, log)
    if (names !== null) keep(names)
    const byName = names === null ? null : await startBlackbox(folder, target, { by: names, ...peers })
    for (const [name, peer] of [
      ['blackbox', blackbox],
      ['blackbox_by_name', byName],
    ] as const) {
      if (peer !== null) all.push({ name, warms: false, slice: keep(peer).slice })
    }
    const openssl: Contender = {
      name: 'openssl',
      warms: false,
      slice: () => runOpenssl(folder, target, quick ? 1 : 2),
    }
    for (const each of protocols) {
      const contenders = each.secure ? [...all, openssl] : all
      const protocol = quick ? { ...each, count: 100 } : each
      const slices = await playRounds(context, protocol, contenders)
      const version = blackbox?.version ?? null
      reportCost(context, protocol, slices, { version, site: site.server })
    }
  })

/** Starts the agent's runner in a process of its own. */
export const startProber = (name: string, target: Target, byName: boolean, keep: Keep): Contender => {
  const child = keep(startChild(new URL('agent-process.ts', import.meta.url)))
  const slice = (question: SliceQuestion) =>
    child.ask<Slice>({ kind: 'slice', byName, target, ...question } satisfies AgentQuestion)
  return { name, warms: true, slice }
}

/** Starts raw sockets, the floor, in a process of its own. */
export const startRaw = (target: Target, keep: Keep): Contender => {
  const child = keep(startChild(new URL('raw-process.ts', import.meta.url)))
  const slice = (question: SliceQuestion) => child.ask<Slice>({ target, ...question } satisfies RawQuestion)
  return { name: 'raw', warms: true, slice }
}

/** @throws where more than one check in a hundred failed */
export const runSlice = async (contender: Contender, question: SliceQuestion): Promise<Slice> => {
  const slice = await contender.slice(question)
  if (slice.failed > slice.count * failedShareMax) {
    const protocol = question.secure ? 'https' : 'http'
    throw new Error(`${slice.failed} of ${slice.count} ${protocol} checks by ${contender.name} failed`)
  }
  return slice
}

/** Gives every contender its turn, after a warm-up that is ten times as long where V8 runs. */
const playRounds = async (
  { quick, log }: BenchContext,
  { name, secure, count }: Protocol,
  contenders: readonly Contender[],
): Promise<Slices> => {
  const run = (contender: Contender, times: number) =>
    runSlice(contender, { secure, count: times * count, inFlight })
  if (!quick) {
    log(`${name}, warm-up`)
    for (const contender of contenders) await run(contender, contender.warms ? warmTimes : 1)
  }
  const turns = contenders.map((contender) => [contender.name, () => run(contender, 1)] as const)
  const rounds = await takeTurns(roundsOf(quick), Object.fromEntries(turns), (n) =>
    log(`${name}, round ${n}: ${count} checks each`),
  )
  return new Map(
    contenders.map((contender) => [contender.name, rounds.flatMap((round) => round[contender.name] ?? [])]),
  )
}

const costOf = ({ cpuSeconds, count }: Slice): number => (cpuSeconds / count) * 1_000

const reportCost = (
  { report }: BenchContext,
  protocol: Protocol,
  slices: Slices,
  { version, site }: { version: string | null; site: string },
): void => {
  for (const [name, each] of slices) {
    report({
      figure: `${protocol.name}_${name}_cpu_per_1000_checks`,
      runs: each.map(costOf),
      unit: 'CPU s',
      context: {
        checksPerSecond: median(each.map(({ count, wallSeconds }) => count / wallSeconds)),
        site,
        ...(name.startsWith('blackbox') ? { version } : {}),
      },
    })
  }
  const compared: readonly Ratio[] = protocol.ratios
  for (const { of, to, aim } of compared) {
    const [own, other] = [slices.get(of), slices.get(to)]
    if (own === undefined || other === undefined) continue
    report({
      figure: `${protocol.name}_${of}_to_${to}`,
      runs: ratios(own.map(costOf), other.map(costOf)),
      unit: 'ratio',
      aim,
    })
  }
}

const run = promisify(execFile)

/**
 * `openssl s_time -new`: full, verified handshakes one after another, each with one request. It shows the cost
 * of the library itself: it takes no times and does not read the response.
 */
const runOpenssl = async (folder: string, { httpsPort, ca }: Target, seconds: number): Promise<Slice> => {
  const file = join(folder, 'openssl-ca.pem')
  await writeFile(file, ca)
  const how = ['-connect', `127.0.0.1:${httpsPort}`, '-new', '-www', '/', '-time', String(seconds)]
  const before = cpuMsOfEndedChildren()
  const startedAt = performance.now()
  const { stdout } = await run('openssl', ['s_time', ...how, '-CAfile', file, '-verify', '2'])
  const cpuSeconds = (cpuMsOfEndedChildren() - before) / 1_000
  const count = Number(/^(\d+) connections in/m.exec(stdout)?.[1] ?? 0)
  if (count === 0) throw new Error(`openssl s_time made no connection: ${stdout}`)
  return { count, cpuSeconds, wallSeconds: (performance.now() - startedAt) / 1_000, failed: 0 }
}
