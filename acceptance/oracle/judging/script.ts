import { between, seeded } from './random.ts'

/** What the target does with a request. */
export type Answer = 'up' | 'slow' | 'e500' | 'hang' | 'reset'
export const bad: ReadonlySet<Answer> = new Set<Answer>(['e500', 'hang', 'reset'])

/** A time in which the target answers a check badly: [fromMs, toMs) since the script began. */
export type Failure = {
  check: string
  answer: Extract<Answer, 'e500' | 'hang' | 'reset'>
  fromMs: number
  toMs: number
}

/** What the target answers to whom, and when: it follows from a seed alone. */
export type Script = {
  seed: number
  spanMs: number
  /** Always answered well. */
  steady: readonly string[]
  /** Always answered well, after a while. */
  slow: readonly string[]
  /** Long enough that every region meets it. One a check. */
  outages: readonly Failure[]
  /** Shorter than an interval: a region may meet it or not. */
  blips: readonly Failure[]
}

const counts = { steady: 90, slow: 8, outages: 40, blipped: 12 }
export const checksCount = counts.steady + counts.slow + counts.outages + counts.blipped
const kinds = ['e500', 'hang', 'reset'] as const
const outageMs = { min: 35_000, max: 80_000 }
const blipMs = 3_000
const blipEveryMs = { min: 50_000, max: 75_000 }
/** Nothing fails before all is measured once more, nor so late that its end cannot be seen. */
const quietMs = { first: 15_000, last: 45_000 }

export const createScript = (seed: number, spanMs: number): Script => {
  const random = seeded(seed)
  const names = Array.from({ length: checksCount }, (_, n) => `k${String(n).padStart(3, '0')}`)
  const take = (count: number): string[] => names.splice(0, count)
  const lastMs = spanMs - quietMs.last
  const steady = take(counts.steady)
  const slow = take(counts.slow)
  const outages = take(counts.outages).map((check, n): Failure => {
    const forMs = Math.round(between(random, outageMs.min, outageMs.max))
    const fromMs = Math.round(between(random, quietMs.first, lastMs - forMs))
    return { check, answer: kinds[n % kinds.length] ?? 'e500', fromMs, toMs: fromMs + forMs }
  })
  const blips = take(counts.blipped).flatMap((check) => {
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

/** What a check's request is answered. @param atMs since the script began; before that all is well */
export const answerAt = (script: Script, check: string, atMs: number): Answer => {
  const failure = [...script.outages, ...script.blips].find(
    (one) => one.check === check && one.fromMs <= atMs && atMs < one.toMs,
  )
  if (failure !== undefined) return failure.answer
  return script.slow.includes(check) ? 'slow' : 'up'
}
