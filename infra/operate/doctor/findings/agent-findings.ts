import type { AnnouncementFacts, BusFacts } from '@probe-mesh/bus/nats/inspect'
import type { WaitingAgent } from '@probe-mesh/bus/port'
import { AgentReport, ownFaultOf } from '@probe-mesh/contracts/agent/agent-report'
import { nothingMeasured } from '@probe-mesh/contracts/mesh/mesh'
import type { Region } from '@probe-mesh/contracts/reading/regions'
import type { NotAllowed } from '@probe-mesh/control-plane/stores/clickhouse/server-facts'
import { broken, warning, type Finding } from './finding.ts'

/** Settings of the control planes that agents must share. */
export type ExpectedSettings = {
  /** The mark of the key of a region; null: SECRETS_KEY is unknown here. */
  regionKeyMark: ((region: string) => string) | null
  /** Whether some check may need a secret. */
  hasSecrets: boolean
  /** The networks of TARGET_ALLOW. */
  targetAllow: readonly string[]
  /** Readings of the last minutes that agents refused because of their TARGET_ALLOW. */
  notAllowed: readonly NotAllowed[]
}

/** An agent's REGION_KEY and TARGET_ALLOW. Older agents announce neither. */
export const settingFindings = (
  region: Region,
  { agent, settings }: AnnouncementFacts,
  { regionKeyMark, hasSecrets, targetAllow, notAllowed }: ExpectedSettings,
): Finding[] => {
  if (settings === null || settings === undefined) return []
  const { regionKey, targetAllow: own } = settings
  const mark = regionKeyMark?.(region) ?? null
  const isWrong = typeof regionKey === 'string' && mark !== null && regionKey !== mark
  const isMissing = regionKey === null && hasSecrets
  const lacking = Array.isArray(own) ? targetAllow.filter((network) => !own.includes(network)) : []
  const refused = notAllowed.find((one) => one.agent === agent && one.region === region)?.readings ?? 0
  return [
    ...(isWrong || isMissing
      ? [
          warning(
            'agents',
            `${agent} ${isWrong ? `has a REGION_KEY that is not the key of ${region}` : 'has no REGION_KEY'}, so it measures no check with secrets.`,
            `Set REGION_KEY on its machine to what this prints, and restart it: "npm run -s admin -- region-key ${region}".`,
          ),
        ]
      : []),
    ...(lacking.length > 0 && refused > 0
      ? [
          warning(
            'agents',
            `${agent} did not measure ${refused} times in 10 min: "the target address is not allowed". Its TARGET_ALLOW lacks ${lacking.join(', ')} of the control planes.`,
            `Set TARGET_ALLOW=${[...(own ?? []), ...lacking].join(',')} on its machine, and restart it.`,
          ),
        ]
      : []),
  ]
}

/** Two installations under one name: the later waits. */
export const waitingFinding = (
  { agent, region, instance }: WaitingAgent,
  regions: BusFacts['regions'],
): Finding => {
  const running = regions.find((one) => one.region === region)?.agents?.find((one) => one.agent === agent)
  const [here, there] = [instance, running?.instance ?? ''].map((text) => text.split('@')[1] ?? '')
  return warning(
    'agents',
    `Two agents have the name ${agent}: one runs${there === '' ? '' : ` on ${there}`}, another${here === '' ? '' : ` on ${here}`} waits and measures nothing.`,
    `Give the second its own name and credentials: "npm run -s admin -- agent enroll --region ${region} --name ${agent}-2 --out agent-${agent}-2.creds", and start it with AGENT=${agent}-2 and AGENT_CREDENTIALS=agent-${agent}-2.creds. Or stop it.`,
  )
}

/** Whether no region can measure, although agents run. @param live agents of all regions */
export const meshOutageFindings = (live: readonly AnnouncementFacts[]): Finding[] => {
  const isBlind = ({ report }: AnnouncementFacts): boolean => {
    const parsed = AgentReport.safeParse(report)
    return parsed.success && ownFaultOf(parsed.data) !== null
  }
  return live.length > 0 && live.every(isBlind) ? [noRegionMeasures()] : []
}

/** Agents run, and none reaches the internet. */
export const noRegionMeasures = (): Finding =>
  broken('agents', `${nothingMeasured.text}.`, nothingMeasured.advice)
