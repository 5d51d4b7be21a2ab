import { codeOf } from '@probe-mesh/runtime/errors'
import { createRecent } from '@probe-mesh/runtime/recent'
import { randomBytes } from 'node:crypto'
import { isIP } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import type { Resolver } from '../request/resolve.ts'
import type { Controls } from './name-facts.ts'

/** Checks whether the resolver resolves other names while one name fails. */
export type NameControls = {
  /**
   * @param name the failing name
   * @param denied the resolver reports that the name does not exist: then it must resolve another to an
   * address now, or this one within the last hour
   * @param sinceMs start of the failing attempt, by `now`: older answers do not count
   */
  ask(name: string, denied: boolean, sinceMs: number): Promise<Controls>
  /** Records a name that was just resolved, for later controls. */
  addResolved(host: () => string | null): void
}

/** Questions per round. */
export const controlQuestionsMax = 2
const roundMsMax = 2_000
/** How long a round is valid, ms; the next one starts no earlier. */
const answeredMs = 1_000
const failedMs = 5_000
const resolvedMax = 100
/** Older names may no longer exist. */
const resolvedMsMax = 3_600_000

/**
 * Queries the hosts of canaries, or names of other checks when no canary has a name (an intranet). For a name
 * without an answer, a query for a canary has a random label in front, so that no cache can answer: a denial
 * of the label is an answer, and proves that the resolver recurses now. A denied name needs an address of a
 * canary or of another check: one canary reached by its address proves nothing about the resolver.
 * @param hosts of canaries; addresses are ignored
 * @param onTurn called when the resolver stops answering for all of them, and when it answers again
 */
export const createNameControls = ({
  hosts,
  resolver,
  now = () => performance.now(),
  pause = async (ms) => void (await wait(ms)),
  onTurn = () => undefined,
}: {
  hosts: readonly string[]
  resolver: Pick<Resolver, 'resolve4'>
  now?: () => number
  pause?: (ms: number) => Promise<void>
  onTurn?: (answers: boolean) => void
}): NameControls => {
  const canaries = hosts.filter((host) => isIP(host) === 0)
  const resolvedNames = createRecent<number>(resolvedMax)
  let known: { controls: Controls; at: number } | null = null
  let provenAt = -Infinity
  let round: Promise<Controls> | null = null
  let answers = true

  const turn = (controls: Controls): Controls => {
    if (controls !== 'none' && answers !== (controls === 'answered')) {
      answers = !answers
      onTurn(answers)
    }
    return controls
  }
  const askCanaries = async (): Promise<Controls> => {
    const at = now()
    const label = `probe-${randomBytes(6).toString('hex')}`
    const queries = pickCanaries(canaries).map((host) => isAnswered(resolver.resolve4(`${label}.${host}`)))
    const controls = turn((await anyWithin(queries)) ? 'answered' : 'failed')
    known = { controls, at: controls === 'answered' ? at : now() }
    return controls
  }
  const isNewEnough = (sinceMs: number): boolean =>
    known !== null && (known.controls === 'failed' || known.at >= sinceMs)
  const afterPause = async (ms: number): Promise<Controls> => {
    if (ms > 0) await pause(ms)
    return askCanaries()
  }
  const askNames = async (names: readonly string[]): Promise<Controls> => {
    const queries = names.map((other) => isAnswered(resolver.resolve4(other), hasNoIpv4))
    return (await anyWithin(queries)) ? 'answered' : 'failed'
  }
  const askDenied = async (name: string): Promise<Controls> => {
    const at = now()
    if (at - provenAt < answeredMs) return 'answered'
    const sinceMs = at - resolvedMsMax
    const others = othersOf(name, resolvedNames, sinceMs)
    const asked = [...others.slice(0, 1), ...pickCanaries(canaries), ...others.slice(1)]
    if (asked.length === 0) return (resolvedNames.get(name) ?? -Infinity) >= sinceMs ? 'itself' : 'none'
    const resolved = await askNames(asked.slice(0, controlQuestionsMax))
    const controls = canaries.length === 0 ? turn(resolved) : resolved
    if (controls === 'answered') provenAt = at
    return controls
  }
  return {
    ask: async (name, denied, sinceMs) => {
      if (denied) return askDenied(name)
      if (canaries.length === 0) {
        const others = othersOf(name, resolvedNames, now() - resolvedMsMax)
        return others.length === 0 ? 'none' : turn(await askNames(others))
      }
      // a round already under way may be too old as well
      const joined = round === null ? null : await round
      if (joined !== null && isNewEnough(sinceMs)) return joined
      const believedMs = known?.controls === 'answered' ? answeredMs : failedMs
      const left = known === null ? 0 : known.at + believedMs - now()
      if (known !== null && left > 0 && isNewEnough(sinceMs)) return known.controls
      round ??= afterPause(left).finally(() => {
        round = null
      })
      return round
    },
    addResolved: (host) => {
      const name = host()
      if (name === null) return
      resolvedNames.delete(name)
      resolvedNames.set(name, now())
    },
  }
}

/** A few canaries, from a random start. */
const pickCanaries = (canaries: readonly string[]): string[] => {
  const from = randomBytes(1).readUInt8() % canaries.length
  return [...canaries.slice(from), ...canaries.slice(0, from)].slice(0, controlQuestionsMax)
}

type Resolved = ReturnType<typeof createRecent<number>>

/** The names resolved last, those of other sites first. */
const othersOf = (name: string, names: Resolved, sinceMs: number): string[] => {
  const recent = [...names.entries()].flatMap(([other, at]) => (at >= sinceMs && other !== name ? other : []))
  const isElsewhere = (other: string): boolean => siteOf(other) !== siteOf(name)
  return [
    ...recent.filter(isElsewhere).toReversed(),
    ...recent.filter((other) => !isElsewhere(other)).toReversed(),
  ].slice(0, controlQuestionsMax)
}

const siteOf = (name: string): string => name.split('.').slice(-2).join('.')

/** An existing name may have only IPv6 addresses. */
const hasNoIpv4: ReadonlySet<string> = new Set(['ENODATA'])
const isAbsent: ReadonlySet<string> = new Set(['ENODATA', 'ENOTFOUND'])

const isAnswered = (queries: Promise<string[]>, orCode: ReadonlySet<string> = isAbsent): Promise<boolean> =>
  queries.then(
    () => true,
    (error: unknown) => orCode.has(codeOf(error)),
  )

/** Whether any becomes true in time. */
const anyWithin = (queries: readonly Promise<boolean>[]): Promise<boolean> =>
  new Promise((resolve) => {
    const timer = setTimeout(resolve, roundMsMax, false)
    const end = (answered: boolean): void => {
      clearTimeout(timer)
      resolve(answered)
    }
    for (const each of queries) void each.then((answered) => answered && end(true))
    void Promise.all(queries).then((all) => end(all.includes(true)))
  })
