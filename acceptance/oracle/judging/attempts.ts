import {
  clock,
  finding,
  type Facts,
  type Fault,
  type Finding,
  type Request,
  type StoredReading,
} from './facts.ts'

/** An attempt recorded in a reading, with the time in which its request can have reached the target. */
type Attempt = { fromMs: number; toMs: number; reading: StoredReading }

/** The rounding of two clocks on one machine. */
const roundingMs = 3
/** On a busy machine an attempt starts before its timestamp, and the target records it late. */
const delayMs = 250

/** The time of the last attempt, according to its reading. It ended before the reading arrived. */
export const lastAttemptOf = ({ measuredAt, latencyMs, receivedAt }: StoredReading) => ({
  fromMs: measuredAt - roundingMs,
  toMs: latencyMs === null ? receivedAt : measuredAt + latencyMs + delayMs,
})

/** The last attempt, and the one before it, which started after the slot. */
const attemptsOf = (reading: StoredReading): Attempt[] => {
  const { attempts, slot, measuredAt } = reading
  const last = { ...lastAttemptOf(reading), reading }
  const earlier = { fromMs: slot - roundingMs, toMs: measuredAt + delayMs, reading }
  return Array.from({ length: attempts }, (_, n) => (n === 0 ? last : earlier))
}

/**
 * Pairs as many requests and attempts of one check as possible: each request gets the attempt with the
 * earliest end.
 */
const pair = (
  requests: readonly Request[],
  attempts: readonly Attempt[],
): { requestsLeft: Request[]; attemptsLeft: Attempt[] } => {
  const coming = attempts.toSorted((a, b) => a.fromMs - b.fromMs)
  const attemptsLeft: Attempt[] = []
  const requestsLeft: Request[] = []
  let open: Attempt[] = []
  let next = 0
  for (const request of requests.toSorted((a, b) => a.at - b.at)) {
    for (let one = coming[next]; one !== undefined && one.fromMs <= request.at;) {
      open.push(one)
      one = coming[++next]
    }
    attemptsLeft.push(...open.filter(({ toMs }) => toMs < request.at))
    open = open.filter(({ toMs }) => toMs >= request.at).toSorted((a, b) => a.toMs - b.toMs)
    if (open.shift() === undefined) requestsLeft.push(request)
  }
  attemptsLeft.push(...open, ...coming.slice(next))
  return { requestsLeft, attemptsLeft }
}

/**
 * How long before and after a kill or freeze of an agent a request may be without a reading: it was in
 * progress, or an agent that woke repeated the run of another.
 */
const aroundMs = { before: 10_000, after: 20_000 }
const isExplained = (at: number, faults: readonly Fault[]): boolean =>
  faults.some(
    ({ region, fromMs, toMs }) =>
      region !== null && fromMs - aroundMs.before <= at && at <= toMs + aroundMs.after,
  )

/** Compares the target's requests with the attempts in readings. */
export const judgeAttempts = ({ requests, readings, faults }: Facts): Finding[] => {
  const requestsOf = Map.groupBy(requests, ({ check }) => check)
  const readingsOf = Map.groupBy(readings, ({ check }) => check)
  const requestsLeft: Request[] = []
  const attemptsLeft: Attempt[] = []
  for (const check of new Set([...requestsOf.keys(), ...readingsOf.keys()])) {
    const seen = requestsOf.get(check) ?? []
    const attempts = (readingsOf.get(check) ?? []).flatMap(attemptsOf)
    requestsLeft.push(...pair(seen, attempts).requestsLeft)
    // a delayed probe may record an attempt that it never sent; such a reading is unmeasured
    const judging = attempts.filter(({ reading }) => reading.verdict !== 'unmeasured')
    attemptsLeft.push(...pair(seen, judging).attemptsLeft)
  }
  const noted = readings.reduce((sum, { attempts }) => sum + attempts, 0)
  const unexplained = requestsLeft.filter(({ at }) => !isExplained(at, faults))
  return [
    finding('requests at the target / attempts recorded in readings', requests.length, noted),
    finding(
      'requests without a reading, agent killed or frozen',
      requestsLeft.length - unexplained.length,
      '',
    ),
    finding(
      'requests without a reading, other',
      0,
      unexplained.length,
      unexplained.map(({ check, at, answer }) => `${check} ${clock(at)} ${answer}`),
    ),
    finding(
      'recorded attempts without a request, in readings that judge the target',
      0,
      attemptsLeft.length,
      attemptsLeft.map(({ reading }) => exampleOf(reading)),
    ),
  ]
}

export const exampleOf = (reading: StoredReading): string =>
  `${reading.check} ${reading.region} ${reading.kind} slot ${clock(reading.slot)} measured ` +
  `${clock(reading.measuredAt)} ${reading.verdict}, ${reading.attempts} attempts, ${reading.latencyMs} ms`
