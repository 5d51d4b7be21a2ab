import { join } from 'node:path'
import { startChild } from '../child.ts'
import type { Child } from '../child.ts'
import type { Aim } from '../figure.ts'
import { repeatsOf } from '../repeats.ts'
import type { BenchContext } from '../run-bench.ts'
import { median } from '../statistics.ts'
import type { AgentQuestion } from './agent-process.ts'
import { measureCostGrowth } from './cost-growth.ts'
import { startBlackbox } from './blackbox.ts'
import { layOutCommit } from './other-commit.ts'
import { startSystemNames } from './system-names.ts'
import { findCurl } from './curl.ts'
import { startSite } from './nginx.ts'
import { runOpenssl } from './openssl.ts'
import type { RawQuestion } from './raw-process.ts'
import type { Slice, SliceQuestion } from './slice.ts'
import type { Targets } from './targets.ts'

/** Somebody who checks, with a name that figures carry. */
type Contender = {
  name: string
  /** Whether V8 runs it, which optimizes what runs long enough. */
  warms: boolean
  slice(question: SliceQuestion): Promise<Slice>
}

/** By contender, in the order of the rounds. */
type Slices = ReadonlyMap<string, readonly Slice[]>

const inFlight = 50
/** In the first round V8 has so many times as many: an agent runs for days. */
const warmTimes = 10
const failedShareMax = 0.01

/** How much of one contender's CPU another may take. */
type Ratio = { of: string; to: string; aim?: Aim }

/** A check that uses nothing new costs no more than before. */
const ofBefore: Ratio[] = [
  { of: 'agent', to: 'agent_before', aim: { atMost: 1.03 } },
  { of: 'agent_by_address', to: 'agent_before_by_address', aim: { atMost: 1.03 } },
]

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
      { of: 'agent', to: 'curl' },
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
      { of: 'agent', to: 'curl' },
    ],
  },
] as const satisfies { name: string; secure: boolean; count: number; ratios: Ratio[] }[]

type Protocol = Omit<(typeof protocols)[number], 'count'> & { count: number }

const agentProcess = new URL('agent-process.ts', import.meta.url)

/** CPU of a check of nginx: the whole agent beside a bare socket, blackbox_exporter, curl and OpenSSL itself. */
export const measureCost = async (
  context: BenchContext,
  folder: string,
  targets: Targets,
): Promise<void> => {
  const { quick, say, before } = context
  const earlier = before === null ? null : await layOutCommit(before, join(folder, 'before'))
  const agent = startChild(agentProcess)
  const agentByAddress = startChild(agentProcess)
  const agentsBefore =
    earlier === null
      ? null
      : ([true, false] as const).map((byName) => ({
          byName,
          child: startChild(new URL('bench/src/probe/agent-process.ts', earlier)),
        }))
  const raw = startChild(new URL('raw-process.ts', import.meta.url))
  const peers = { mayFetch: !quick, say }
  const site = await startSite(folder, targets, peers)
  const { httpPort, httpsPort, ca, namesPort } = site
  const target = { httpPort, httpsPort, ca, namesPort }
  const blackbox = await startBlackbox(folder, target, { by: 'address', ...peers })
  const names = blackbox === null ? null : await startSystemNames(folder, say)
  const blackboxByName =
    names === null ? null : await startBlackbox(folder, target, { by: names, ...peers })
  const curl = await findCurl(folder, target, peers)
  try {
    const agentBy = (name: string, child: Child, byName: boolean): Contender => ({
      name,
      warms: true,
      slice: (slice) =>
        child.ask<Slice>({ kind: 'slice', byName, target, ...slice } satisfies AgentQuestion),
    })
    const all: Contender[] = [
      agentBy('agent', agent, true),
      agentBy('agent_by_address', agentByAddress, false),
      {
        name: 'raw',
        warms: true,
        slice: (slice) => raw.ask<Slice>({ target, ...slice } satisfies RawQuestion),
      },
      ...peersOf({ blackbox, blackbox_by_name: blackboxByName, curl }),
    ]
    for (const { byName, child } of agentsBefore ?? []) {
      all.push(agentBy(byName ? 'agent_before' : 'agent_before_by_address', child, byName))
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
      reportCost(context, protocol, slices, {
        version: blackbox?.version ?? null,
        site: site.server,
      })
      await measureCostGrowth(context, agent, target, { ...protocol, inFlight })
    }
  } finally {
    await Promise.all([agent, agentByAddress, raw].map((child) => child.close()))
    await Promise.all((agentsBefore ?? []).map(({ child }) => child.close()))
    await Promise.all([blackbox?.close(), blackboxByName?.close()])
    await Promise.all([names?.close(), site.close()])
  }
}

/** Those that the machine has. */
const peersOf = (peers: Readonly<Record<string, Pick<Contender, 'slice'> | null>>): Contender[] =>
  Object.entries(peers).flatMap(([name, peer]) =>
    peer === null ? [] : [{ name, warms: false, slice: peer.slice }],
  )

/** Everybody in turn, first in a round that warms up; who is first moves on from round to round. */
const playRounds = async (
  { quick, say }: BenchContext,
  { name, secure, count }: Protocol,
  contenders: readonly Contender[],
): Promise<Slices> => {
  const slices = new Map<string, Slice[]>(contenders.map((each) => [each.name, []]))
  const last = repeatsOf(quick)
  for (let round = quick ? 1 : 0; round <= last; round++) {
    say(`${name}, ${round === 0 ? 'warm-up' : `round ${round} of ${last}: ${count} checks each`}`)
    const turn = round % contenders.length
    for (const each of [...contenders.slice(turn), ...contenders.slice(0, turn)]) {
      const times = round === 0 && each.warms ? warmTimes : 1
      const slice = await each.slice({ secure, count: times * count, inFlight })
      if (slice.failed > slice.count * failedShareMax) {
        throw new Error(`${slice.failed} of ${slice.count} ${name} checks by ${each.name} failed`)
      }
      if (round > 0) slices.get(each.name)?.push(slice)
    }
  }
  return slices
}

const costOf = ({ cpuSeconds, count }: Slice): number => (cpuSeconds / count) * 1_000

const reportCost = (
  { report }: BenchContext,
  protocol: Protocol,
  slices: Slices,
  { version, site }: { version: string | null; site: string },
): void => {
  for (const [name, each] of slices) {
    const runs = each.map(costOf)
    report({
      figure: `${protocol.name}_${name}_cpu_per_1000_checks`,
      value: median(runs),
      unit: 'CPU s',
      context: {
        runs,
        checksPerSecond: median(each.map(({ count, wallSeconds }) => count / wallSeconds)),
        ...(name === 'openssl' ? {} : { inFlight }),
        site,
        ...(name.startsWith('blackbox') ? { version } : {}),
      },
    })
  }
  for (const { of, to, ...aim } of [...protocol.ratios, ...ofBefore]) {
    const [own, other] = [slices.get(of), slices.get(to)]
    if (own === undefined || other === undefined) continue
    const runs = own.map((slice, at) => {
      const beside = other[at]
      return beside === undefined ? Number.NaN : costOf(slice) / costOf(beside)
    })
    report({
      figure: `${protocol.name}_${of}_to_${to}`,
      value: median(runs),
      unit: 'ratio',
      ...aim,
      context: { runs },
    })
  }
}
