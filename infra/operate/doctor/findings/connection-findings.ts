import type { ConnectionFacts } from '@probe-mesh/bus/nats/connections'
import { leafName } from '../../../deploy/nats/register.ts'
import type { Enrolment } from '../../../deploy/nats/register.ts'
import { shownAge, warning } from './finding.ts'
import type { Finding } from './finding.ts'

/** A client that was refused is spoken of for so long after it came last. */
const refusedMsMax = 300_000
/** An agent subscribes as soon as it is connected. */
const connectingMsMax = 3_000
/** As the server says of a client whose credentials it did not take, or takes no more. */
const refusedReasons = /^(Authentication (Failure|Expired)|Credentials Revoked)$/i

/**
 * Clients of NATS that are refused, or that show the credentials of another region. Pure.
 * @param facts.regions those of the mesh
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
    ...lastRefused(connections, nowMs).map((one) =>
      refusedFinding(one, byKey.get(one.user), nowMs),
    ),
    ...connections.flatMap((one) => {
      const enrolment = byKey.get(one.user)
      if (enrolment === undefined || enrolment.name === leafName(enrolment.region)) return []
      const isIdle = one.subscriptions === 0 && nowMs - one.startedAtMs > connectingMsMax
      return one.ended === null && isIdle ? [otherRegionFinding(one, enrolment, facts)] : []
    }),
  ]
}

type Refused = ConnectionFacts & { ended: { atMs: number } }

/** The newest refusal of each client that was not let in since. */
const lastRefused = (connections: readonly ConnectionFacts[], nowMs: number): Refused[] => {
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
  const isInNow = ({ name, ended }: Refused) =>
    connections.some(
      (one) => one.name === name && one.ended === null && one.startedAtMs >= ended.atMs,
    )
  return [...newest.values()].filter((one) => !isInNow(one))
}

const refusedFinding = (
  { name, address, ended }: Refused,
  enrolment: Enrolment | undefined,
  nowMs: number,
): Finding => {
  const came = `${name} at ${address} is refused by NATS, last ${shownAge(nowMs - ended.atMs)} ago`
  if (enrolment === undefined) {
    return warning(
      'agents',
      `${came}: nobody was let in by its credentials.`,
      'They are of another mesh, or of another folder of keys: look at its AGENT_CREDENTIALS, or at NATS_KEYS here.',
    )
  }
  const { region, revokedAt, name: who } = enrolment
  const enroll = `npm run -s admin -- agent enroll --region ${region} --name ${who} --out agent-${who}.creds`
  return revokedAt === null
    ? warning(
        'agents',
        `${came}: the credentials of ${who} are not good.`,
        `Give it new ones: "npm run -s admin -- agent rotate ${who} --region ${region} --out <its file>".`,
      )
    : warning(
        'agents',
        `${came}: the credentials of ${who} were revoked at ${revokedAt}.`,
        `Stop it on its machine ("systemctl disable --now probe-mesh-agent@${who}"), or let it in again: "${enroll}", and restart it with AGENT_CREDENTIALS=agent-${who}.creds.`,
      )
}

const otherRegionFinding = (
  { name, address }: ConnectionFacts,
  { name: who, region }: Enrolment,
  { regions, enrolments }: { regions: readonly string[]; enrolments: readonly Enrolment[] },
): Finding => {
  // agents are called by their region, mostly
  const named = regions.find((one) => one !== region && name.startsWith(`${one}-`))
  const has = enrolments.some(
    (one) => one.name === name && one.region === named && one.revokedAt === null,
  )
  const file = `agent-${name}.creds`
  const act = has
    ? `agent rotate ${name} --region ${named} --out ${file}`
    : `agent enroll --region ${named ?? '<its region>'} --name ${name} --out ${file}`
  return warning(
    'agents',
    `${name} at ${address} shows the credentials of ${who}, which are of ${region}, and may do nothing that it asks for: its REGION is another.`,
    `Set REGION=${region} on its machine, or give it credentials of its own region: "npm run -s admin -- ${act}", and AGENT_CREDENTIALS=${file}.`,
  )
}
