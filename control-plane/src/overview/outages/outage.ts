import type { Outage } from '@probe-mesh/contracts/overview/outage-log'
import { statusEvidence } from '../../checks/status-evidence.ts'
import type { HeartbeatWatch } from '../../heartbeats/outage.ts'
import { regionViews } from '../../status/region-status.ts'
import { knownSpans, lengthOf, within, type FlipRow, type Span } from '../../status/spans.ts'
import { newCheckState } from '../../status/state.ts'
import type { OutageRecord } from './outages-store.ts'

/** The evidence for the duration of an outage. */
export type OutageEvidence = {
  /** From its begin to its end, oldest first. */
  flips: readonly FlipRow[]
  /** When its check was paused. */
  paused: readonly Span[]
  watch: HeartbeatWatch
}

/** An outage at `nowMs`. Its time down is what uptime counts as down, within the outage (S-1109). */
export const describeOutage = (record: OutageRecord, evidence: OutageEvidence, nowMs: number): Outage => {
  const endedAtMs = record.endedAtMs ?? record.pausedAtMs
  const untilMs = Math.max(record.startedAtMs, endedAtMs ?? nowMs)
  const downMs = downTime(record, evidence, untilMs, nowMs)
  return {
    id: record.id,
    checkId: record.checkId,
    checkName: record.checkName,
    checkType: record.checkType,
    startedAt: new Date(record.startedAtMs).toISOString(),
    endedAt: endedAtMs === null ? null : new Date(untilMs).toISOString(),
    status: endedAtMs === null ? statusOf(record, evidence, nowMs) : 'ended',
    durationSeconds: downMs / 1000,
    unmeasuredSeconds: (untilMs - record.startedAtMs - downMs) / 1000,
    reason: record.reason,
    regions: [
      ...new Set([...record.regions, ...(endedAtMs === null ? failingNow(record, nowMs) : [])]),
    ].toSorted(),
    incidentIds: record.incidentIds,
    alertsSent: record.alertsSent,
    maintenance: record.maintenance,
  }
}

const downTime = (
  record: OutageRecord,
  { flips, paused, watch }: OutageEvidence,
  untilMs: number,
  nowMs: number,
): number => {
  const evidence = statusEvidence(checkOf(record), { flips, paused }, watch, nowMs)
  const knownUntilMs = record.endedAtMs ?? evidence.knownUntilMs
  const down = knownSpans({ ...evidence, knownUntilMs }).filter(({ isDown }) => isDown)
  return lengthOf(within(down, { fromMs: record.startedAtMs, toMs: untilMs }))
}

/** Down while the record counts. */
const statusOf = (
  record: OutageRecord,
  { flips, watch }: OutageEvidence,
  nowMs: number,
): 'down' | 'unmeasured' => {
  const { knownUntilMs } = statusEvidence(checkOf(record), { flips, paused: [] }, watch, nowMs)
  return record.status === 'down' && knownUntilMs >= nowMs ? 'down' : 'unmeasured'
}

const failingNow = (record: OutageRecord, nowMs: number): string[] =>
  record.checkType === 'heartbeat'
    ? []
    : regionViews(record.states ?? {}, checkOf(record), nowMs)
        .filter(({ status }) => status === 'down')
        .map(({ region }) => region)

const checkOf = ({ checkType, checkRegions, intervalSeconds, status, states }: OutageRecord) => ({
  type: checkType,
  regions: checkRegions,
  intervalSeconds,
  state: { ...newCheckState, status: status ?? newCheckState.status, regions: states ?? {} },
})
