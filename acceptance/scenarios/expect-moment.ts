import { plateLevels, type PlateLevel } from '@probe-mesh/contracts/outage/answers'
import { expect } from 'vitest'
import type { AnswerClient } from './answer-client.ts'
import { answerTo, expectService, type ReportsUsual } from './expect-service.ts'
import type { Fleet } from './fleet.ts'
import type { InternetExpected, Moment, Scenario, WeatherExpected } from './scenario.ts'
import { stackIdOf } from './services.ts'

/** The stack with a scenario's services. */
export const stackOf = ({ services }: Scenario): { slug: string; members: string[] } | null => {
  const [first] = services
  return first === undefined
    ? null
    : { slug: `${first.slug}-stack`, members: services.map(({ slug }) => slug) }
}

/**
 * Compares every tool with a scenario's moment; the two tools about the whole fleet with its act. @throws the
 * first difference
 */
export const expectMoment = async (
  fleet: Fleet,
  client: AnswerClient,
  { scenario, moment, usual }: { scenario: Scenario; moment: Moment; usual: ReportsUsual },
): Promise<void> => {
  for (const [slug, expected] of Object.entries(moment.services)) {
    const listed = scenario.services.find((service) => service.slug === slug)
    if (listed === undefined) throw new Error(`${slug} is not a service of this scenario`)
    await expectService(client, listed, expected, usual)
  }
  await expectStack(client, scenario, moment)
  await expectNames(client, moment)
  const [first] = scenario.services
  for (const [region, status] of Object.entries(moment.queried ?? {})) {
    const params = { slug: first?.slug ?? '' }
    const answer = await answerTo(client, 'isServiceDown', { params, query: { region } })
    const regionsRead = status === 'no_data' ? [] : [region]
    expect(answer, `queried for ${region}`).toMatchObject({ status, regionsRead })
  }
  await moment.verify?.({ fleet, client })
}

const expectStack = async (client: AnswerClient, scenario: Scenario, moment: Moment): Promise<void> => {
  const stack = stackOf(scenario)
  if (stack === null || Object.keys(moment.services).length < stack.members.length) return
  const services = stack.members.map((slug) => {
    const expected = moment.services[slug]
    return { slug, level: expected?.level ?? expected?.status ?? 'no_data' }
  })
  const { status, summary } = moment.stack ?? rolledUp(services.map(({ level }) => level))
  // by its id or its slug
  const idOrSlug = services.length > 1 ? stackIdOf(stack.slug) : stack.slug
  const answer = await answerTo(client, 'getStack', { params: { idOrSlug } })
  expect(answer).toMatchObject({ stack: { slug: stack.slug }, services, status, summary })
}

/** A stack's level and summary (S-1218, S-1219). */
const rolledUp = (levels: readonly PlateLevel[]): { status: PlateLevel; summary: string } => {
  const count = (...some: PlateLevel[]): number => levels.filter((one) => some.includes(one)).length
  const failing = count('down', 'down_in_some_regions', 'degraded')
  const silent = count('no_data') > 0 ? `, ${count('no_data')} with no data` : ''
  const refused = count('blocked') > 0 ? `, ${count('blocked')} blocked` : ''
  return {
    status: plateLevels.find((level) => levels.includes(level)) ?? 'no_data',
    summary: `${failing} of ${levels.length} services down or degraded${silent}${refused}`,
  }
}

export const expectInternet = async (client: AnswerClient, expected: InternetExpected): Promise<void> => {
  const { status, sharedIncident } = await answerTo(client, 'isTheInternetDown')
  if (expected === 'unknown') {
    expect({ status, kind: sharedIncident?.factor.kind }).toEqual({
      status: 'incident',
      kind: 'unknown',
    })
    return
  }
  if (typeof expected === 'string') {
    expect({ status, sharedIncident }).toEqual({ status: expected, sharedIncident: null })
    return
  }
  expect(status).toBe('incident')
  expect(sharedIncident?.factor.name).toBe(expected.factor)
  const members = sharedIncident?.members.map(({ slug }) => slug)
  expect(members).toEqual(expected.members.toSorted())
}

export const expectWeather = async (client: AnswerClient, expected: WeatherExpected): Promise<void> => {
  const { verdict, regions } = await answerTo(client, 'internetWeather')
  const byRegion = Object.fromEntries(regions.map((each) => [each.region, each.verdict]))
  expect({ verdict, regions: byRegion }).toEqual(expected)
}

const expectNames = async (client: AnswerClient, { names = {} }: Moment): Promise<void> => {
  for (const [name, expected] of Object.entries(names)) {
    const params = { slug: name }
    const status = await answerTo(client, 'isServiceDown', { params })
    if (typeof expected === 'string') {
      expect(status.service?.slug, name).toBe(expected)
      continue
    }
    const answers = [
      status,
      await answerTo(client, 'getRegionalReadings', { params }),
      await answerTo(client, 'getReportVolume', { params }),
      await answerTo(client, 'listRecentIncidents', { params }),
    ]
    for (const answer of answers) {
      expect(answer, name).toMatchObject({
        service: null,
        status: 'not_covered',
        didYouMean: expected.didYouMean,
        regionsRead: [],
        measuredAt: null,
        freshness: { verdict: 'no_data' },
      })
      expect(answer.summary).toContain('is not in our catalog')
    }
  }
}
