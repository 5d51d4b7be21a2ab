import type { AnnouncementFacts, BusFacts, StreamFacts } from '@probe-mesh/bus/nats/inspect'
import { AgentReport, ownFaultOf } from '@probe-mesh/contracts/agent/agent-report'
import { noticeAdvice } from '@probe-mesh/contracts/mesh/mesh'
import { isOlderVersion } from '@probe-mesh/contracts/mesh/older-version'
import type { Region } from '@probe-mesh/contracts/reading/regions'
import { presence } from '@probe-mesh/contracts/mesh/subjects'
import { broken, ok, shownAge, shownBytes, warning } from './finding.ts'
import type { Finding, Gathered } from './finding.ts'
import manifest from '@probe-mesh/control-plane/package.json' with { type: 'json' }
import { clockFinding } from './store-findings.ts'

const lagWarning = 1_000
const lagBroken = 20_000
const lagAgeWarningMs = 60_000
const fullWarning = 0.7
const fullBroken = 0.9
const spoolWarning = 5_000

/** What the operator's folder of keys says besides; each is null where that is not known here. */
export type BusContext = {
  /** Regions that NATS was configured for. */
  knownRegions: readonly string[] | null
  /** Whose credentials NATS_CREDENTIALS are, where they are an agent's. */
  agentOfCredentials: { path: string; name: string; region: string } | null
  /** A control plane's. */
  rightCredentials: string | null
}

const nothingKnown: BusContext = {
  knownRegions: null,
  agentOfCredentials: null,
  rightCredentials: null,
}

/** What NATS holds, and which agents announce themselves there. Pure. */
export const busFindings = (
  gathered: Gathered<{ bus: BusFacts; askedAtMs: number }>,
  context: BusContext = nothingKnown,
): Finding[] => {
  if (!gathered.ok) {
    const agent = context.agentOfCredentials
    return [
      agent === null
        ? broken(
            'nats',
            `NATS does not answer: ${gathered.why}.`,
            'Start it ("systemctl start probe-mesh-nats"), or set NATS_URL and NATS_CREDENTIALS. Until then agents measure on and keep what they read.',
          )
        : broken(
            'nats',
            `NATS_CREDENTIALS (${agent.path}) are those of the agent ${agent.name} of ${agent.region}, and not a control plane's.`,
            `Set NATS_CREDENTIALS=${context.rightCredentials ?? "<the control-plane.creds that 'npm run nats-config' wrote>"}.`,
          ),
    ]
  }
  const { bus, askedAtMs } = gathered.facts
  const nowMs = bus.nowMs ?? askedAtMs
  const regions = { known: context.knownRegions, asked: bus.regions.map(({ region }) => region) }
  return [
    ok('nats', `${bus.server} answers, in ${Math.round(bus.rttMs)} ms`),
    ...(bus.nowMs === null
      ? []
      : [clockFinding('clock', "the NATS server's clock", bus.nowMs - askedAtMs)]),
    ...bus.streams.flatMap(({ name, facts }) => streamFindings(name, facts, nowMs)),
    ...bus.regions.flatMap(({ region, agents }) =>
      regionFindings(region, agents, { nowMs, ...regions }),
    ),
  ]
}

const streamFindings = (name: string, facts: StreamFacts | null, nowMs: number): Finding[] => {
  if (facts === null) {
    return [
      broken(
        'lag',
        `${name} is not there.`,
        'Start a control plane: it makes what NATS has to hold.',
      ),
    ]
  }
  const { bytes, bytesMax, oldestAtMs } = facts
  const share = bytesMax > 0 ? bytes / bytesMax : 0
  const room = `${name} holds ${shownBytes(bytes)} of ${shownBytes(bytesMax)}`
  const full = 'Its consumers are behind: what comes when it is full waits on the agents.'
  return [
    share >= fullBroken
      ? broken('disk', `${room}.`, full)
      : share >= fullWarning
        ? warning('disk', `${room}.`, full)
        : ok('disk', room),
    ...Object.entries(facts.waiting).map(([consumer, waiting]) =>
      lagFinding(`${name} ${consumer}`, waiting, oldestAtMs === null ? 0 : nowMs - oldestAtMs),
    ),
  ]
}

/** How far a consumer is behind. @param waiting messages; null: the consumer is not there */
export const lagFinding = (who: string, waiting: number | null, oldestMs: number): Finding => {
  const topic = 'lag'
  if (waiting === null) {
    return broken(
      topic,
      `${who} is not there, or not for every partition: a control plane of another version, or somebody by hand, removed it.`,
      'Run one version on every control plane, and restart each, which makes it again: "systemctl restart probe-mesh-control-plane".',
    )
  }
  const age = oldestMs > lagAgeWarningMs ? `, the oldest for ${shownAge(oldestMs)}` : ''
  const message = `${who}: ${waiting} messages wait${age}`
  const next =
    'Look at partitions without an owner, at the stores, and at the load of the control planes; more of them share the work.'
  if (waiting >= lagBroken) return broken(topic, `${message}.`, next)
  const isBehind = waiting >= lagWarning || (waiting > 0 && oldestMs > lagAgeWarningMs)
  return isBehind ? warning(topic, `${message}.`, next) : ok(topic, message)
}

const isLive = ({ takenAtMs }: AnnouncementFacts, nowMs: number): boolean =>
  nowMs - takenAtMs <= presence.silentMs

const regionFindings = (
  region: Region,
  agents: readonly AnnouncementFacts[] | null,
  { nowMs, known, asked }: { nowMs: number; known: BusContext['knownRegions']; asked: string[] },
): Finding[] => {
  const live = (agents ?? []).filter((agent) => isLive(agent, nowMs))
  if (live.length === 0) {
    if (known !== null && !known.includes(region)) {
      return [
        broken(
          'agents',
          `${region} stands in REGIONS, and NATS was configured for ${known.join(', ')}: no agent can be let in there.`,
          `Set REGIONS=${asked.filter((one) => known.includes(one)).join(',')} on every control plane, or make it part of the mesh: "npm run nats-config -- --regions ${[...known, region].join(',')}", then "npm run -s admin -- agent enroll --region ${region}".`,
        ),
      ]
    }
    return [
      broken(
        'agents',
        `${region} has no agent: nothing is measured from there.`,
        `Start one ("REGION=${region} npm run agent", or "systemctl start probe-mesh-agent@NAME" on its machine); where one runs or ended, its last line says why it is not heard ("journalctl -u probe-mesh-agent@NAME"; it ends with 77 where it is not let in, with 78 where its credentials are not of ${region}). What it measures is kept there meanwhile. If there should be none, take ${region} out of REGIONS.`,
      ),
    ]
  }
  const names = live.map(({ agent, version }) => `${agent} (${version})`).join(', ')
  const older = live.filter(({ version }) => isOlderVersion(version, manifest.version))
  return [
    older.length === 0
      ? ok('agents', `${region}: ${names}`)
      : warning(
          'agents',
          `${region}: ${names}: ${older.length} of ${live.length} run an older build than this one (${manifest.version}).`,
          noticeAdvice.version,
        ),
    ...live.flatMap(agentFindings),
  ]
}

const agentFindings = (announced: AnnouncementFacts): Finding[] => {
  const { agent, report, takenAtMs } = announced
  const named = nameFindings(announced)
  const told = AgentReport.safeParse(report)
  if (!told.success) return named
  const { at } = told.data
  const [spool, dropped] = [told.data.spool ?? null, told.data.dropped ?? null]
  const lost = dropped === null ? 0 : dropped.full + dropped.old + dropped.damaged + dropped.disk
  const fault = ownFaultOf(told.data)
  const clock = clockFinding('clock', `the clock of ${agent}`, at - takenAtMs)
  return [
    ...named,
    ...(clock.level === 'ok' ? [] : [withoutUs(clock)]),
    ...(fault === null
      ? []
      : [
          warning(
            'agents',
            `${agent} ${faultWords[fault.what]}, for ${shownAge(fault.forMs)}: nothing that fails there is counted.`,
            'Look at the resolver and the network of its machine, and at its CANARIES.',
          ),
        ]),
    ...(spool !== null && spool.readings >= spoolWarning
      ? [
          warning(
            'spool',
            `${agent} keeps ${spool.readings} readings, ${shownBytes(spool.bytes)}, that are not stored.`,
            'They are stored once it gets through: look at lag and storing.',
          ),
        ]
      : []),
    ...(lost > 0
      ? [
          warning(
            'spool',
            `${agent} has dropped ${lost} readings since it started.`,
            'Give it a larger SPOOL_BYTES_MAX and disk, and shorten outages.',
          ),
        ]
      : []),
  ]
}

const nameFindings = ({ agent, enrolledAs }: AnnouncementFacts): Finding[] =>
  typeof enrolledAs !== 'string'
    ? []
    : [
        warning(
          'agents',
          `${agent} runs with the credentials of ${enrolledAs.slice(0, 63)}: "agent list" and "agent revoke" know it as that.`,
          `Set AGENT=${enrolledAs.slice(0, 63)}, or enroll ${agent} and give it its own file.`,
        ),
      ]

const faultWords = {
  names: 'has a resolver that answers for no name',
  network: 'reaches none of its canaries',
} as const

/** An agent's clock is held against NATS's, by which it was heard. */
const withoutUs = ({ level, topic, message, next = '' }: Finding): Finding => ({
  level,
  topic,
  message: message.replace("this machine's", "the NATS server's"),
  next,
})
