import type { ConnectionFacts } from '@probe-mesh/bus/nats/connections'
import { leafName, type Enrolment } from '../../../deploy/nats/register.ts'
import { shownAge, warning, type Finding } from './finding.ts'

/** A refused client is reported for this long after its last attempt. */
const refusedMsMax = 300_000
/** An agent subscribes as soon as it is connected. */
const connectingMsMax = 3_000
/** NATS's reasons for refused, expired and revoked credentials. */
const refusedReasons = /^(Authentication (Failure|Expired)|Credentials Revoked)$/i

/**
 * Findings about clients that NATS refuses, or that use the credentials of another region.
 * @param facts.regions of the mesh
 */
export const connectionFindings = (
  facts: {
    connections: readonly ConnectionFacts[]
    enrolments: readonly Enrolment[]
    regions: readonly string[]
  },
  nowMs: number,
): Finding[] => {
  const { connections } = facts
  const byKey = new Map(facts.enrolments.map((enrolment) => [enrolment.key, enrolment]))
  return [
    ...newestRefusals(connections, nowMs).map((one) => refusedFinding(one, byKey.get(one.user), nowMs)),
    ...connections.flatMap((one) => {
      const enrolment = byKey.get(one.user)
      if (enrolment === undefined || enrolment.name === leafName(enrolment.region)) return []
      const isIdle = one.subscriptions === 0 && nowMs - one.startedAtMs > connectingMsMax
      return one.ended === null && isIdle ? [otherRegionFinding(one, enrolment, facts)] : []
    }),
  ]
}

type Refused = ConnectionFacts & { ended: { atMs: number } }

/** The newest refusal of each client that has not connected since. */
const newestRefusals = (connections: readonly ConnectionFacts[], nowMs: number): Refused[] => {
  const newest = new Map<string, Refused>()
  for (const one of connections) {
    const { ended } = one
    if (ended === null || !refusedReasons.test(ended.reason)) continue
    if (nowMs - ended.atMs > refusedMsMax) continue
    const before = newest.get(one.name)
    if (before === undefined || before.ended.atMs < ended.atMs) {
      newest.set(one.name, { ...one, ended })
    }
  }
  const hasReconnected = ({ name, ended }: Refused) =>
    connections.some((one) => one.name === name && one.ended === null && one.startedAtMs >= ended.atMs)
  return [...newest.values()].filter((one) => !hasReconnected(one))
}

const refusedFinding = (
  { name, address, ended }: Refused,
  enrolment: Enrolment | undefined,
  nowMs: number,
): Finding => {
  const refusal = `NATS refuses ${name} at ${address}, last ${shownAge(nowMs - ended.atMs)} ago`
  if (enrolment === undefined) {
    return warning(
      'agents',
      `${refusal}: its credentials are unknown.`,
      'They are from another mesh or another key folder: correct its AGENT_CREDENTIALS, or NATS_KEYS here.',
    )
  }
  const { region, revokedAt, name: who } = enrolment
  const enroll = `npm run -s admin -- agent enroll --region ${region} --name ${who} --out agent-${who}.creds`
  return revokedAt === null
    ? warning(
        'agents',
        `${refusal}: the credentials of ${who} are invalid or expired.`,
        `Issue new ones: "npm run -s admin -- agent rotate ${who} --region ${region} --out <its file>".`,
      )
    : warning(
        'agents',
        `${refusal}: the credentials of ${who} were revoked at ${revokedAt}.`,
        `Stop it on its machine ("systemctl disable --now probe-mesh-agent@${who}"), or enroll it again: "${enroll}", and restart it with AGENT_CREDENTIALS=agent-${who}.creds.`,
      )
}

const otherRegionFinding = (
  { name, address }: ConnectionFacts,
  { name: who, region }: Enrolment,
  { regions, enrolments }: { regions: readonly string[]; enrolments: readonly Enrolment[] },
): Finding => {
  // agent names mostly start with their region
  const named = regions.find((one) => one !== region && name.startsWith(`${one}-`))
  const has = enrolments.some((one) => one.name === name && one.region === named && one.revokedAt === null)
  const file = `agent-${name}.creds`
  const act = has
    ? `agent rotate ${name} --region ${named} --out ${file}`
    : `agent enroll --region ${named ?? '<its region>'} --name ${name} --out ${file}`
  return warning(
    'agents',
    `${name} at ${address} uses the credentials of ${who} in ${region}, but its REGION is another, so NATS refuses its subjects.`,
    `Set REGION=${region} on its machine, or issue credentials of its own region: "npm run -s admin -- ${act}", and AGENT_CREDENTIALS=${file}.`,
  )
}
