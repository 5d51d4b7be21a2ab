import { expect } from 'vitest'
import { up, type ReportsExpected, type Scenario } from '../scenario.ts'

const reported = (
  count: number,
  verdict: ReportsExpected['verdict'],
  regions: Readonly<Record<string, number>>,
): ReportsExpected => ({ last15Minutes: count, last60Minutes: count, verdict, regions })

/** A service with many reports every week at this hour. */
export const muchReported = { slug: 'much-reported', usualReports: 30 }

/** People's reports never set a verdict (S-1310). */
export const reports: readonly Scenario[] = [
  {
    name: 'a flood of reports is unusual, and the working service stays up',
    services: [{ slug: 'flooded' }],
    moments: {
      before: { services: { flooded: up() } },
      during: {
        report: [
          { slug: 'flooded', region: 'fra', visitors: 250 },
          { slug: 'flooded', region: null, visitors: 50, from: 250 },
        ],
        services: { flooded: up({ reports: reported(300, 'unusual', { fra: 250, unknown: 50 }) }) },
      },
      after: {
        services: { flooded: up({ reports: reported(300, 'unusual', { fra: 250, unknown: 50 }) }) },
      },
      later: { services: { flooded: up() } },
    },
  },
  {
    name: 'fourteen reports on a quiet service are not unusual, fifteen are',
    services: [{ slug: 'fourteen' }, { slug: 'fifteen' }],
    moments: {
      during: {
        report: [
          { slug: 'fourteen', region: 'iad', visitors: 14 },
          { slug: 'fifteen', region: 'iad', visitors: 15 },
        ],
        services: {
          fourteen: up({ reports: reported(14, 'normal', { iad: 14 }) }),
          fifteen: up({ reports: reported(15, 'unusual', { iad: 15 }) }),
        },
      },
    },
  },
  {
    name: 'the usual number of reports of this weekly hour is not unusual',
    services: [{ slug: muchReported.slug }],
    moments: {
      during: {
        report: [{ slug: muchReported.slug, region: 'nrt', visitors: muchReported.usualReports }],
        services: {
          [muchReported.slug]: up({
            reports: reported(muchReported.usualReports, 'normal', { nrt: muchReported.usualReports }),
          }),
        },
      },
    },
  },
  {
    name: 'repeated reports of one visitor count once per service',
    services: [{ slug: 'hammered' }, { slug: 'hammered-too' }],
    moments: {
      during: {
        report: [
          { slug: 'hammered', region: 'sjc', visitors: 1, times: 8 },
          { slug: 'hammered-too', region: 'sjc', visitors: 1, times: 8 },
        ],
        services: {
          hammered: up({ reports: reported(1, 'normal', { sjc: 1 }) }),
          'hammered-too': up({ reports: reported(1, 'normal', { sjc: 1 }) }),
        },
      },
      later: {
        report: [{ slug: 'hammered', region: 'sjc', visitors: 1 }],
        services: {
          hammered: up({ reports: reported(1, 'normal', { sjc: 1 }) }),
          'hammered-too': up(),
        },
      },
    },
  },
  {
    name: 'a report from a region without probes counts as unknown, one for an uncovered service does not count',
    services: [{ slug: 'far-away' }],
    moments: {
      during: {
        report: [{ slug: 'far-away', region: 'syd', visitors: 3 }],
        services: { 'far-away': up({ reports: reported(3, 'normal', { unknown: 3 }) }) },
        verify: async ({ client }) => {
          const receipt = await client.report('nobody-lists-this', 'fra')
          expect(receipt).toMatchObject({
            ok: true,
            answer: { counted: false, status: 'not_covered', reports: { last15Minutes: 0 } },
          })
          const wrong = await client.report('far-away', 'Frankfurt')
          expect(wrong).toMatchObject({ ok: false, problem: { code: 'SV-2001' } })
        },
      },
    },
  },
]
