import { judgeAttempts, exampleOf, lastAttemptOf } from './attempts.ts'
import { finding, type Facts, type Finding, type StoredReading } from './facts.ts'
import { judgeFlips } from './flips.ts'
import { judgeMessages } from './messages.ts'
import { judgeSlots, judgeStored } from './slots.ts'
import { bad } from './script.ts'

/** Compares verdicts with the target's answers during the last attempt. */
const judgeVerdicts = ({ requests, readings }: Facts): Finding[] => {
  const requestsOf = Map.groupBy(requests, ({ check }) => check)
  const met = (reading: StoredReading) => {
    const { fromMs, toMs } = lastAttemptOf(reading)
    return (requestsOf.get(reading.check) ?? []).filter(({ at }) => fromMs <= at && at <= toMs)
  }
  const of = (verdict: string) => readings.filter((reading) => reading.verdict === verdict)
  const falseDown = of('down').filter((one) => met(one).every(({ answer }) => !bad.has(answer)))
  const falseUp = of('up').filter((one) => met(one).every(({ answer }) => bad.has(answer)))
  const line = (what: string, wrong: readonly StoredReading[]) =>
    finding(what, 0, wrong.length, wrong.map(exampleOf))
  return [
    line('readings down although the target answered well', falseDown),
    line('readings up although the target did not', falseUp),
    line('readings blocked', of('blocked')),
    finding('readings unmeasured (the probe was stalled)', '', of('unmeasured').length),
  ]
}

/** Compares the arrival of readings with their time of measurement. */
const judgeLateness = ({ readings }: Facts): Finding[] => {
  const late = readings.map(({ measuredAt, receivedAt }) => receivedAt - measuredAt)
  const sorted = late.toSorted((a, b) => a - b)
  const at = (share: number): string =>
    `${((sorted[Math.floor(share * (sorted.length - 1))] ?? 0) / 1_000).toFixed(1)} s`
  return [
    finding('received after it was measured: median, p99, latest', '', [0.5, 0.99, 1].map(at).join(', ')),
  ]
}

/** Compares outside observations with everything that the product stored, answered and sent. */
export const judge = (facts: Facts): Finding[] => [
  ...judgeAttempts(facts),
  ...judgeStored(facts),
  ...judgeSlots(facts),
  ...judgeVerdicts(facts),
  ...judgeFlips(facts),
  ...judgeMessages(facts),
  finding(
    `status of ${facts.statuses.length} checks: by the API / by the gateway`,
    '',
    '',
    facts.statuses.flatMap(({ check, api, gateway }) =>
      api === gateway ? [] : [`${check}: ${api}, gateway ${gateway}`],
    ),
  ),
  ...judgeLateness(facts),
]
