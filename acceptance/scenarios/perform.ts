import { vi } from 'vitest'
import { createAnswerClient, type AnswerClient } from './answer-client.ts'
import type { Behaviour } from './behaviour.ts'
import { expectInternet, expectMoment, expectWeather, stackOf } from './expect-moment.ts'
import type { ReportsUsual } from './expect-service.ts'
import { fleetRegions, startFleet, type Fleet } from './fleet.ts'
import { intervalSeconds } from './interval.ts'
import type { Matrix } from './matrix.ts'
import type { Act, Moment, Play, Scenario } from './scenario.ts'
import { hostOf } from './services.ts'
import { startWitness } from './witness.ts'

/** Default number of intervals until answers must be as expected. */
const withinIntervals = 15
/** Shorter waits after the first problem. */
const patienceLost = { timeout: 7.5 * intervalSeconds * 1_000, interval: 1_000 }

/** The problems of each scenario, by its name, and of the whole fleet, by the play's name; empty: none. */
export type Performance = ReadonlyMap<string, readonly string[]>

/**
 * Plays all scenarios on one fleet, act by act, while a witness queries every service. A scenario that fails
 * an act does not stop the others.
 */
export const perform = async (play: Play, matrix: Matrix): Promise<Performance> => {
  const problems = new Map([play, ...play.scenarios].map(({ name }) => [name, [] as string[]]))
  const note = (name: string, act: Act, error: unknown): void => {
    const problem = `${act.name}: ${textOf(error)}`
    console.info(`${name}: ${problem}`)
    problems.set(name, [...(problems.get(name) ?? []), problem])
  }
  const fleet = await startFleet({
    services: play.scenarios.flatMap(({ services }) => services),
    stacks: play.scenarios.flatMap((scenario) => stackOf(scenario) ?? []),
    usual: [...(play.usual ?? []), ...play.scenarios.flatMap(usualOf)],
    ...(play.prepare === undefined ? {} : { prepare: play.prepare }),
  })
  const client = createAnswerClient(fleet.answersUrl)
  const witness = startWitness(fleet, matrix)
  try {
    for (const [index, act] of play.acts.entries()) {
      // answers may still report an incident that ended with the previous act
      const around = play.acts.slice(Math.max(0, index - 1), index + 1)
      witness.expectIncident(
        around.some(({ internet }) => typeof internet !== 'string' || internet === 'unknown'),
      )
      const moments = play.scenarios.flatMap((scenario) => {
        const moment = scenario.moments[act.name]
        return moment === undefined ? [] : [{ scenario, moment }]
      })
      // settings of the first act hold from the first reading
      if (index === 0) for (const { moment } of moments) begin(fleet, moment)
      await act.happens?.({ fleet, client })
      const intervals = act.withinIntervals ?? withinIntervals
      const patience = { timeout: intervals * intervalSeconds * 1_000, interval: 500 }
      const beganMs = performance.now()
      if (index > 0) for (const { moment } of moments) begin(fleet, moment)
      for (const { moment } of moments) await report(client, moment)
      const usual: ReportsUsual = play.reportsUsual
      const wait = [...problems.values()].flat().length > 0 ? patienceLost : patience
      await Promise.all(
        moments.map(({ scenario, moment }) =>
          vi
            .waitFor(() => expectMoment(fleet, client, { scenario, moment, usual }), wait)
            .catch((error: unknown) => note(scenario.name, act, error)),
        ),
      )
      await vi
        .waitFor(async () => {
          await expectInternet(client, act.internet)
          if (act.weather !== undefined) await expectWeather(client, act.weather)
        }, wait)
        .catch((error: unknown) => note(play.name, act, error))
      const took = (performance.now() - beganMs) / (intervalSeconds * 1_000)
      console.info(`${play.name}, ${act.name}: after ${took.toFixed(1)} of ${intervals} intervals`)
    }
  } finally {
    await witness.close()
    await fleet.close()
  }
  return problems
}

/** The difference in one line. */
const textOf = (error: unknown): string => {
  if (!(error instanceof Error)) return String(error)
  if (!('expected' in error && 'actual' in error)) return error.message
  return `${error.message}: expected ${JSON.stringify(error.expected)}, got ${JSON.stringify(error.actual)}`
}

const usualOf = ({ services }: Scenario) =>
  services.flatMap(({ slug, usualMs }) =>
    usualMs === undefined ? [] : [{ slug, regions: fleetRegions, latencyMs: usualMs, perHour: 6 }],
  )

const begin = ({ target }: Fleet, { set = {} }: Moment): void => {
  for (const [name, how] of Object.entries(set)) {
    const host = hostOf(name)
    if (typeof how === 'string') target.behave(host, how)
    else {
      for (const [region, behaviour] of Object.entries(how) as [string, Behaviour][]) {
        target.behave(host, behaviour, [region])
      }
    }
  }
}

const report = async (client: AnswerClient, moment: Moment): Promise<void> => {
  for (const { slug, region, visitors, from = 0, times = 1 } of moment.report ?? []) {
    for (let time = 0; time < times; time += 1) {
      await Promise.all(
        Array.from({ length: visitors }, (_, index) => client.report(slug, region, from + index)),
      )
    }
  }
}
