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

const between = (a: Statement, b: Statement): string[] => [
  ...differences(a, b).map(
    ([what, ofA, ofB]) =>
      `${a.check}: ${a.surface} says ${what} ${show(ofA)}, ${b.surface} says ${show(ofB)}`,
  ),
  ...against(a, b),
  ...against(b, a),
]

type Difference = readonly [what: string, ofA: unknown, ofB: unknown]

const differences = (a: Statement, b: Statement): readonly Difference[] => {
  const [stateOfA, stateOfB] = [publicState(a, b), publicState(b, a)]
  const hasState = a.state !== undefined || b.state !== undefined
  const [failingOfA, failingOfB] = [a, b].map(({ failing }) => failing?.toSorted())
  const compared: readonly (readonly [...Difference, isOther: boolean])[] = [
    ['status', a.status, b.status, differs(a.status, b.status)],
    ['state', stateOfA, stateOfB, hasState && differs(stateOfA, stateOfB)],
    ['since', a.sinceMs, b.sinceMs, apart(a.sinceMs, b.sinceMs)],
    [
      'failing',
      failingOfA,
      failingOfB,
      differs(failingOfA && show(failingOfA), failingOfB && show(failingOfB)),
    ],
    ['seconds down', a.downSeconds, b.downSeconds, apartBy(sameSeconds, a.downSeconds, b.downSeconds)],
  ]
  return [
    ...compared.flatMap(([what, ofA, ofB, isOther]): Difference[] => (isOther ? [[what, ofA, ofB]] : [])),
    ...outageDifferences(a.outage, b.outage),
  ]
}

const outageDifferences = (a: Statement['outage'], b: Statement['outage']): readonly Difference[] => {
  if (a === undefined || b === undefined) return []
  if (apart(a.beganMs, b.beganMs)) return [['began', a.beganMs, b.beganMs]]
  const isOther = (a.endedMs === null) !== (b.endedMs === null) || apart(a.endedMs, b.endedMs)
  return isOther ? [['ended', a.endedMs, b.endedMs]] : []
}

/** What one statement says that the other denies. */
const against = (one: Statement, other: Statement): string[] => [
  ...(one.sentences ?? []).flatMap((sentence) => {
    const beyond = other.failing === undefined ? [] : missingIn(other.failing, namedAsFailing(sentence))
    return beyond.length === 0
      ? []
      : [
          `${one.check}: ${one.surface} names ${beyond.join(', ')} in "${sentence}", ${other.surface} lists ${show(other.failing)}`,
        ]
  }),
  ...(other.outage === undefined ? [] : againstOutage(one, other.outage, other.surface)),
]

const againstOutage = (
  { check, surface, status, failing = [] }: Statement,
  { endedMs, regions }: NonNullable<Statement['outage']>,
  other: string,
): string[] => {
  const found: string[] = []
  if (status === 'down' && endedMs !== null)
    found.push(`${check}: ${surface} says down, ${other} says the newest outage ended`)
  if (status === 'operational' && endedMs === null)
    found.push(`${check}: ${surface} says operational, ${other} says an outage is open`)
  const missing = endedMs !== null || regions === undefined ? [] : missingIn(regions, failing)
  if (missing.length > 0)
    found.push(
      `${check}: ${surface} lists ${missing.join(', ')} as failing, the open outage of ${other} does not`,
    )
  return found
}

const missingIn = (regions: readonly string[], named: readonly string[]): string[] =>
  named.filter((region) => !regions.includes(region))

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
const show = (value: unknown): string => JSON.stringify(value)
