import type { AnnouncementFacts, BusFacts, StreamFacts } from '@probe-mesh/bus/nats/inspect'
import { AgentReport, ownFaultOf } from '@probe-mesh/contracts/agent/agent-report'
import { noticeAdvice } from '@probe-mesh/contracts/mesh/mesh'
import { isOlderVersion } from '@probe-mesh/contracts/mesh/older-version'
import type { Region } from '@probe-mesh/contracts/reading/regions'
import { presence } from '@probe-mesh/contracts/mesh/subjects'
import {
  meshOutageFindings,
  settingFindings,
  waitingFinding,
  type ExpectedSettings,
} from './agent-findings.ts'
import {
  broken,
  ok,
  shownAge,
  shownBytes,
  unanswered,
  warning,
  type Finding,
  type Gathered,
} from './finding.ts'
import manifest from '@probe-mesh/control-plane/package.json' with { type: 'json' }
import { clockFinding } from './store-findings.ts'

const lagWarning = 1_000
const lagBroken = 20_000
const lagAgeWarningMs = 60_000
const fullWarning = 0.7
const fullBroken = 0.9
const spoolWarning = 5_000

/** Facts of the operator's key folder; null: unknown on this machine. */
export type BusContext = {
  /** Regions in NATS's configuration. */
  knownRegions: readonly string[] | null
  /** The agent whose credentials NATS_CREDENTIALS are; null: not an agent's. */
  agentOfCredentials: { path: string; name: string; region: string } | null
  /** The file with a control plane's credentials. */
  controlPlaneCredentials: string | null
  /** The settings that agents must share with the control planes. */
  expected: ExpectedSettings
}

/** Without the operator's key folder. */
export const nothingKnown: BusContext = {
  knownRegions: null,
  agentOfCredentials: null,
  controlPlaneCredentials: null,
  expected: { regionKeyMark: null, hasSecrets: false, targetAllow: [], notAllowed: [] },
}

/** Findings about NATS's streams and the announced agents. */
export const busFindings = (
  gathered: Gathered<{ bus: BusFacts; askedAtMs: number }>,
  context: BusContext = nothingKnown,
): Finding[] => {
  if (!gathered.ok) {
    const agent = context.agentOfCredentials
    return [
      agent === null
        ? unanswered(
            'nats',
            gathered,
            `NATS does not answer: ${gathered.why}.`,
            'Start it ("systemctl start probe-mesh-nats"), or correct NATS_URL and NATS_CREDENTIALS. Agents keep measuring, and spool their readings.',
          )
        : broken(
            'nats',
            `NATS_CREDENTIALS (${agent.path}) belong to the agent ${agent.name} of ${agent.region}, not to a control plane.`,
            `Set NATS_CREDENTIALS=${context.controlPlaneCredentials ?? "<the control-plane.creds that 'npm run nats-config' wrote>"}.`,
          ),
    ]
  }
  const { bus, askedAtMs } = gathered.facts
  const nowMs = bus.nowMs ?? askedAtMs
  const regions = {
    known: context.knownRegions,
    configured: bus.regions.map(({ region }) => region),
  }
  return [
    ok('nats', `${bus.server} answers, in ${Math.round(bus.rttMs)} ms`),
    ...(bus.nowMs === null ? [] : [clockFinding('clock', "the NATS server's clock", bus.nowMs - askedAtMs)]),
    ...bus.streams.flatMap(({ name, facts }) => streamFindings(name, facts, nowMs)),
    ...bus.regions.flatMap(({ region, agents }) =>
      regionFindings(region, agents, { nowMs, ...regions, expected: context.expected }),
    ),
    ...bus.regions.flatMap(({ waiting }) =>
      waiting.filter((one) => isLive(one, nowMs)).map((one) => waitingFinding(one, bus.regions)),
    ),
    ...meshOutageFindings(
      bus.regions.flatMap(({ agents }) => (agents ?? []).filter((agent) => isLive(agent, nowMs))),
    ),
  ]
}

const streamFindings = (name: string, facts: StreamFacts | null, nowMs: number): Finding[] => {
  if (facts === null) {
    return [
      broken('lag', `The stream ${name} does not exist.`, 'Start a control plane: it creates the streams.'),
    ]
  }
  const { bytes, bytesMax, oldestAtMs } = facts
  const share = bytesMax > 0 ? bytes / bytesMax : 0
  const room = `${name} uses ${shownBytes(bytes)} of ${shownBytes(bytesMax)}`
  const full =
    'Its consumers are behind; "lag" in this list has the reason. When it is full, readings wait on the agents.'
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

/** How far a consumer is behind. @param waiting messages; null: the consumer is missing */
export const lagFinding = (who: string, waiting: number | null, oldestMs: number): Finding => {
  const topic = 'lag'
  if (waiting === null) {
    return broken(
      topic,
      `The consumer ${who} is missing for some or all partitions: another version or a person deleted it.`,
      'Run one version on all control planes, and restart each to create the consumer: "systemctl restart probe-mesh-control-plane".',
    )
  }
  const age = oldestMs > lagAgeWarningMs ? `, the oldest for ${shownAge(oldestMs)}` : ''
  const message = `${who}: ${waiting} messages wait${age}`
  const next =
    'Check partitions without an owner, Postgres and ClickHouse in this list, then the load of the control planes. Add control planes to share the load.'
  if (waiting >= lagBroken) return broken(topic, `${message}.`, next)
  const isBehind = waiting >= lagWarning || (waiting > 0 && oldestMs > lagAgeWarningMs)
  return isBehind ? warning(topic, `${message}.`, next) : ok(topic, message)
}

const isLive = ({ takenAtMs }: { takenAtMs: number }, nowMs: number): boolean =>
  nowMs - takenAtMs <= presence.silentMs

const regionFindings = (
  region: Region,
  agents: readonly AnnouncementFacts[] | null,
  {
    nowMs,
    known,
    configured,
    expected,
  }: {
    nowMs: number
    known: BusContext['knownRegions']
    configured: string[]
    expected: ExpectedSettings
  },
): Finding[] => {
  const live = (agents ?? []).filter((agent) => isLive(agent, nowMs))
  if (live.length === 0) {
    if (known !== null && !known.includes(region)) {
      return [
        broken(
          'agents',
          `REGIONS contains ${region}, but NATS is configured for ${known.join(', ')} only, so no agent of ${region} can connect.`,
          `Set REGIONS=${configured.filter((one) => known.includes(one)).join(',')} on every control plane, or add the region to the mesh: "npm run nats-config -- --regions ${[...known, region].join(',')}", then "npm run -s admin -- agent enroll --region ${region}".`,
        ),
      ]
    }
    return [
      broken(
        'agents',
        `${region} has no online agent, so it measures nothing.`,
        `Start one ("REGION=${region} npm run agent", or "systemctl start probe-mesh-agent@NAME" on its machine). If one runs or exited, its last log line has the reason ("journalctl -u probe-mesh-agent@NAME"; exit code 77: NATS refused it, 78: its credentials are not of ${region}). A running agent spools its readings meanwhile. If the region needs no agent, remove ${region} from REGIONS.`,
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
    ...live.flatMap((agent) => settingFindings(region, agent, expected)),
  ]
}

const agentFindings = (announced: AnnouncementFacts): Finding[] => {
  const { agent, report, takenAtMs } = announced
  const named = nameFindings(announced)
  const parsed = AgentReport.safeParse(report)
  if (!parsed.success) return named
  const { at } = parsed.data
  const [spool, dropped] = [parsed.data.spool ?? null, parsed.data.dropped ?? null]
  const lost = dropped === null ? 0 : dropped.full + dropped.old + dropped.damaged + dropped.disk
  const fault = ownFaultOf(parsed.data)
  const clock = clockFinding('clock', `the clock of ${agent}`, at - takenAtMs)
  return [
    ...named,
    ...(clock.level === 'ok' ? [] : [comparedWithNats(clock)]),
    ...(fault === null
      ? []
      : [
          warning(
            'agents',
            `${agent} ${faultTexts[fault.what]}, for ${shownAge(fault.forMs)}. Its failed probes do not count.`,
            'Check the resolver and the network of its machine: "curl -sSI https://one.one.one.one" must answer there. Where it may reach only some hosts, set CANARIES to hosts that it may reach, as host:port, and restart it.',
          ),
        ]),
    ...(spool !== null && spool.readings >= spoolWarning
      ? [
          warning(
            'spool',
            `The spool of ${agent} has ${spool.readings} readings (${shownBytes(spool.bytes)}) that are not stored yet.`,
            'The agent delivers them when the path is free. Check "lag" and "storing" in this list.',
          ),
        ]
      : []),
    ...(lost > 0
      ? [
          warning(
            'spool',
            `${agent} has dropped ${lost} readings since it started.`,
            'Give it a larger SPOOL_BYTES_MAX and a larger disk.',
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
          `${agent} uses the credentials of ${enrolledAs.slice(0, 63)}, the name that "agent list" and "agent revoke" use.`,
          `Set AGENT=${enrolledAs.slice(0, 63)}, or enroll ${agent} and use its own credentials.`,
        ),
      ]

const faultTexts = {
  names: 'has a resolver that resolves no name',
  network: 'reaches none of its canaries',
} as const

/** An agent's clock is compared with the NATS server's. */
const comparedWithNats = ({ level, topic, message, next = '' }: Finding): Finding => ({
  level,
  topic,
  message: message.replace("this machine's", "the NATS server's"),
  next,
})
