import { clock, finding, type Facts, type Finding, type Flip, type StoredReading } from './facts.ts'

/** How late the end of a failure may be judged, because both control planes were dead. */
const lateMsMax = 60_000

/** Compares the flips of each check with its target's script. */
export const judgeFlips = (facts: Facts): Finding[] => {
  const { script, beganAt, flips } = facts
  const calm = new Set([...script.steady, ...script.slow])
  const failures = Map.groupBy([...script.outages, ...script.blips], ({ check }) => check)
  const isBehind = ({ check, at }: Flip): boolean =>
    (failures.get(check) ?? []).some(
      ({ fromMs, toMs }) => beganAt + fromMs <= at && at <= beganAt + toMs + lateMsMax,
    )
  const since = flips.filter(({ at }) => at >= beganAt)
  const text = ({ check, to, at }: Flip): string => `${check} ${to} ${clock(at)}`
  const of = (to: string) => since.filter((flip) => flip.to === to)
  const downs = of('down')
  const calmDown = downs.filter(({ check }) => calm.has(check))
  const calmDegraded = of('degraded').filter(({ check }) => calm.has(check))
  const others = downs.filter((flip) => !calm.has(flip.check) && !isBehind(flip))
  return [
    finding(
      `down flips of the ${calm.size} checks that were always up`,
      0,
      calmDown.length,
      calmDown.map(text),
    ),
    finding('degraded flips of the same', 0, calmDegraded.length, calmDegraded.map(text)),
    finding('down flips of others without a failure', 0, others.length, others.map(text)),
    finding('stale flips of any check', '', of('stale').length),
    ...judgeOutages(
      facts,
      Map.groupBy(since, ({ check }) => check),
    ),
  ]
}

const judgeOutages = (
  { script, beganAt, readings }: Facts,
  flipsOf: ReadonlyMap<string, readonly Flip[]>,
): Finding[] => {
  const missed: string[] = []
  const unmeasured: string[] = []
  const withoutEnd: string[] = []
  const endedEarly: string[] = []
  const seenAfter = new Map<string, number[]>()
  const overAfter: number[] = []
  for (const { check, answer, fromMs, toMs } of script.outages) {
    const [from, to] = [beganAt + fromMs, beganAt + toMs]
    const what = `${check} ${answer} ${clock(from)} to ${clock(to)}`
    const own = flipsOf.get(check) ?? []
    const seen = own.find((flip) => flip.to === 'down' && from <= flip.at && flip.at <= to + lateMsMax)
    if (seen === undefined) {
      const own = readings.filter(({ check: of, slot }) => of === check && from <= slot && slot < to)
      ;(isMeasured(own) ? missed : unmeasured).push(what)
      continue
    }
    seenAfter.set(answer, [...(seenAfter.get(answer) ?? []), seen.at - from])
    const over = own.find((flip) => flip.to === 'operational' && flip.version > seen.version)
    if (over === undefined) withoutEnd.push(what)
    else if (over.at < to) endedEarly.push(`${what}: over ${clock(over.at)}`)
    else overAfter.push(over.at - to)
  }
  const { outages } = script
  return [
    finding(
      'outages: of the script / seen',
      outages.length,
      outages.length - missed.length - unmeasured.length,
      missed,
    ),
    finding('of the others: stalled probes could not measure twice', unmeasured.length, ''),
    ...[...seenAfter].map(([answer, delays]) =>
      finding(`outages by ${answer}: seen after (median, latest)`, delays.length, spanText(delays)),
    ),
    finding('outages reported over while they lasted', 0, endedEarly.length, endedEarly),
    finding('outages whose end was not seen', 0, withoutEnd.length, withoutEnd),
    finding('their ends seen after (median, latest)', overAfter.length, spanText(overAfter)),
  ]
}

/** Whether two regions, or the only one, have two readings down. */
const isMeasured = (readings: readonly StoredReading[]): boolean => {
  const regions = new Set(readings.map(({ region }) => region)).size
  const down = readings.filter(({ kind, verdict }) => kind === 'scheduled' && verdict === 'down')
  const twice = [...Map.groupBy(down, ({ region }) => region).values()]
  return twice.filter((own) => own.length > 1).length >= Math.min(2, regions)
}

/** The median and maximum of durations. */
export const spanText = (spans: readonly number[]): string => {
  const sorted = spans.toSorted((a, b) => a - b)
  const seconds = (ms: number | undefined) => `${((ms ?? 0) / 1_000).toFixed(1)} s`
  return `${seconds(sorted[Math.floor(sorted.length / 2)])}, ${seconds(sorted.at(-1))}`
}
