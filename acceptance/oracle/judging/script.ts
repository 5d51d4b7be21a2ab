import { between, seeded } from './random.ts'

/** The target's behaviour for a request. */
export type Answer = 'up' | 'slow' | 'e500' | 'hang' | 'reset'
export const bad: ReadonlySet<Answer> = new Set<Answer>(['e500', 'hang', 'reset'])

/** A period of failing answers for a check: [fromMs, toMs) since the start of the script. */
type Failure = {
  check: string
  answer: Extract<Answer, 'e500' | 'hang' | 'reset'>
  fromMs: number
  toMs: number
}

/** The target's answers by check and time. They depend only on the seed. */
export type Script = {
  seed: number
  spanMs: number
  /** Checks that always succeed. */
  steady: readonly string[]
  /** Checks that always succeed, slowly. */
  slow: readonly string[]
  /** Outages that every region sees, one per check. */
  outages: readonly Failure[]
  /** Failures shorter than an interval, which a region may miss. */
  blips: readonly Failure[]
}

const counts = { steady: 90, slow: 8, outages: 40, blipped: 12 }
const checksCount = counts.steady + counts.slow + counts.outages + counts.blipped
const kinds = ['e500', 'hang', 'reset'] as const
const outageMs = { min: 35_000, max: 80_000 }
const blipMs = 3_000
const blipEveryMs = { min: 50_000, max: 75_000 }
/** Times without failures: until all checks are measured again, and at the end, so that every end is seen. */
const quietMs = { first: 15_000, last: 45_000 }

export const createScript = (seed: number, spanMs: number): Script => {
  const random = seeded(seed)
  const names = Array.from({ length: checksCount }, (_, n) => `k${String(n).padStart(3, '0')}`)
  const nextNames = (count: number): string[] => names.splice(0, count)
  const lastMs = spanMs - quietMs.last
  const steady = nextNames(counts.steady)
  const slow = nextNames(counts.slow)
  const outages = nextNames(counts.outages).map((check, n): Failure => {
    const forMs = Math.round(between(random, outageMs.min, outageMs.max))
    const fromMs = Math.round(between(random, quietMs.first, lastMs - forMs))
    return { check, answer: kinds[n % kinds.length] ?? 'e500', fromMs, toMs: fromMs + forMs }
  })
  const blips = nextNames(counts.blipped).flatMap((check) => {
    const own: Failure[] = []
    let fromMs = Math.round(between(random, quietMs.first, blipEveryMs.max))
    while (fromMs < lastMs) {
      own.push({ check, answer: 'e500', fromMs, toMs: fromMs + blipMs })
      fromMs += Math.round(between(random, blipEveryMs.min, blipEveryMs.max))
    }
    return own
  })
  return { seed, spanMs, steady, slow, outages, blips }
}

/** The answer to a check's request. @param atMs since the start of the script; before it all succeed */
export const answerAt = (script: Script, check: string, atMs: number): Answer => {
  const failure = [...script.outages, ...script.blips].find(
    (one) => one.check === check && one.fromMs <= atMs && atMs < one.toMs,
  )
  if (failure !== undefined) return failure.answer
  return script.slow.includes(check) ? 'slow' : 'up'
}
