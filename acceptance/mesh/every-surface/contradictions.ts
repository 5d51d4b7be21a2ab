import type { Moment, PageStatement, Statement, Text } from './statement.ts'

/** Instants that differ by less are the same: some surfaces cut milliseconds. */
const sameMs = 1_000
/** Shares are rounded, of a day. */
const sameSeconds = 2

/**
 * Every contradiction between two surfaces, or within one, in a line each. What is compared did not change while it
 * was read; the reader sees to that.
 */
export const contradictions = ({ name, statements, pages, texts }: Moment): string[] =>
  [
    ...Map.groupBy(statements, ({ check }) => check)
      .values()
      .flatMap((same) => [...pairs(same).flatMap(([a, b]) => between(a, b)), ...same.flatMap(within)]),
    ...Map.groupBy(pages, ({ page }) => page)
      .values()
      .flatMap((same) => pairs(same).flatMap(([a, b]) => betweenPages(a, b))),
    ...pages.flatMap((page) => againstComponents(page, statements)),
    ...texts.flatMap(foreignWords),
  ].map((line) => `${name}: ${line}`)

const pairs = <T>(all: readonly T[]): [T, T][] =>
  all.flatMap((one, at) => all.slice(at + 1).map((other): [T, T] => [one, other]))

const between = (a: Statement, b: Statement): string[] => {
  const differ = (what: string, ofA: unknown, ofB: unknown): string =>
    `${a.check}: ${a.surface} says ${what} ${show(ofA)}, ${b.surface} says ${show(ofB)}`
  const found: string[] = []
  if (a.status !== undefined && b.status !== undefined && a.status !== b.status)
    found.push(differ('status', a.status, b.status))
  const [stateOfA, stateOfB] = [publicState(a, b), publicState(b, a)]
  if ((a.state !== undefined || b.state !== undefined) && differs(stateOfA, stateOfB))
    found.push(differ('state', stateOfA, stateOfB))
  if (apart(a.sinceMs, b.sinceMs)) found.push(differ('since', a.sinceMs, b.sinceMs))
  if (
    a.failing !== undefined &&
    b.failing !== undefined &&
    show(sorted(a.failing)) !== show(sorted(b.failing))
  )
    found.push(differ('failing', sorted(a.failing), sorted(b.failing)))
  if (apartBy(sameSeconds, a.downSeconds, b.downSeconds))
    found.push(differ('seconds down', a.downSeconds, b.downSeconds))
  if (a.outage !== undefined && b.outage !== undefined) {
    if (apart(a.outage.beganMs, b.outage.beganMs))
      found.push(differ('began', a.outage.beganMs, b.outage.beganMs))
    else if (
      (a.outage.endedMs === null) !== (b.outage.endedMs === null) ||
      apart(a.outage.endedMs, b.outage.endedMs)
    )
      found.push(differ('ended', a.outage.endedMs, b.outage.endedMs))
  }
  for (const [one, other] of [
    [a, b],
    [b, a],
  ] as const) {
    for (const sentence of one.sentences ?? []) {
      const beyond =
        (other.failing ?? null) === null
          ? []
          : namedAsFailing(sentence).filter((region) => !other.failing?.includes(region))
      if (beyond.length > 0)
        found.push(
          `${one.check}: ${one.surface} names ${beyond.join(', ')} in "${sentence}", ${other.surface} lists ${show(other.failing)}`,
        )
    }
    const { outage } = other
    if (one.status === 'down' && outage !== undefined && outage.endedMs !== null)
      found.push(`${one.check}: ${one.surface} says down, ${other.surface} says the newest outage ended`)
    if (one.status === 'operational' && outage !== undefined && outage.endedMs === null)
      found.push(`${one.check}: ${one.surface} says operational, ${other.surface} says an outage is open`)
    if (outage?.endedMs === null && outage.regions !== undefined) {
      const missing = (one.failing ?? []).filter((region) => !outage.regions?.includes(region))
      if (missing.length > 0)
        found.push(
          `${one.check}: ${one.surface} lists ${missing.join(', ')} as failing, the open outage of ${other.surface} does not`,
        )
    }
  }
  return found
}

const within = ({ surface, check, sentences = [], outage, status, failing }: Statement): string[] => {
  const all = [
    ...sentences,
    ...(outage?.sentence === undefined || outage.sentence === null ? [] : [outage.sentence]),
  ]
  const found = all.flatMap(miscounted).map((why) => `${check}: ${surface} ${why}`)
  if (status === 'operational' && failing !== undefined && failing.length > 0)
    found.push(`${check}: ${surface} says operational and lists ${failing.join(', ')} as failing`)
  if (outage?.endedMs === null && typeof outage.sentence === 'string' && failing !== undefined) {
    const named = namedAsFailing(outage.sentence)
    const untold = named.length === 0 ? [] : failing.filter((region) => !named.includes(region))
    if (untold.length > 0)
      found.push(
        `${check}: ${surface} lists ${failing.join(', ')}, its open outage says "${outage.sentence}"`,
      )
  }
  return found
}

/** `3 of 4 regions fail (iad, fra, nrt)` names as many as it counts. */
const counted = /(\d+) of (\d+) regions (?:fail|are slow) \(([^)]*)\)/g

const miscounted = (sentence: string): string[] =>
  [...sentence.matchAll(counted)].flatMap(([text, count, of, names = '']) => {
    const { length } = names.split(', ')
    return length === Number(count) && Number(count) <= Number(of) ? [] : [`counts wrongly: "${text}"`]
  })

/** Regions that a sentence says fail now, in either language. */
const namedAsFailing = (sentence: string): string[] =>
  [
    /\d+ of \d+ regions fail \(([^)]*)\)/,
    /Failing in ([a-z]{3}(?:, [a-z]{3})*)\./,
    /Fehler in ([a-z]{3}(?:, [a-z]{3})*)\./,
  ].flatMap((pattern) => pattern.exec(sentence)?.[1]?.split(', ') ?? [])

/** The state that visitors should see, by a statement; a status alone does not know whether maintenance covers it. */
const publicState = (one: Statement, other: Statement): string | undefined => {
  if (one.state !== undefined) return one.state
  if (one.status === undefined) return undefined
  if (one.isCovered ?? other.isCovered ?? other.state === 'maintenance') return 'maintenance'
  return ['stale', 'unknown', 'paused'].includes(one.status) ? 'no_data' : one.status
}

const betweenPages = (a: PageStatement, b: PageStatement): string[] => {
  const found: string[] = []
  if (differs(a.state, b.state))
    found.push(`page ${a.page}: ${a.surface} says ${a.state}, ${b.surface} says ${b.state}`)
  if (differs(a.sentence, b.sentence))
    found.push(`page ${a.page}: ${a.surface} says "${a.sentence}", ${b.surface} says "${b.sentence}"`)
  return found
}

/** The worst first, as the specification says. */
const worstFirst = ['down', 'degraded', 'maintenance', 'no_data', 'operational']

/** A page without posts is as its worst component. */
const againstComponents = (
  { surface, page, state }: PageStatement,
  statements: readonly Statement[],
): string[] => {
  const states = statements.filter((one) => one.surface.startsWith(`${page} `) && one.state !== undefined)
  const worst = worstFirst.find((each) => states.some((one) => one.state === each))
  return state === undefined || worst === undefined || state === worst
    ? []
    : [`page ${page}: ${surface} says ${state}, its worst component is ${worst}`]
}

/** Words of ours that a page in the other language must not have. */
const ownWords = {
  en: /\b(is down|are down|Also down|Down now|Down again|Recovered|Failing in|Not measured in|Up in|No check of this incident|is no longer|regions fail|Investigating|Operational|Degraded|Resolved|All systems|outage|uptime|Maintenance)\b/,
  de: /\b(ausgefallen|Ausgefallen|Fehler in|Erreichbar in|Nicht gemessen|Wiederhergestellt|Betriebsbereit|Beeinträchtigt|Behoben|Wartung|verfügbar)\b/,
} as const

const foreignWords = ({ surface, language, text }: Text): string[] => {
  const found = ownWords[language === 'en' ? 'de' : 'en'].exec(text)
  if (found === null) return []
  const around = text.slice(Math.max(0, found.index - 60), found.index + 60).replaceAll(/\s+/g, ' ')
  return [`${surface} is in ${language} and says "${around}"`]
}

const differs = (a: string | undefined, b: string | undefined): boolean =>
  a !== undefined && b !== undefined && a !== b
type Maybe = number | null | undefined
const apartBy = (most: number, a: Maybe, b: Maybe): boolean =>
  typeof a === 'number' && typeof b === 'number' && Math.abs(a - b) > most
const apart = (a: Maybe, b: Maybe): boolean => apartBy(sameMs, a, b)
const sorted = (regions: readonly string[]): string[] => regions.toSorted()
const show = (value: unknown): string => JSON.stringify(value)
