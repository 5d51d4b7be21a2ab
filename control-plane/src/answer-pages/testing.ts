import type { InternetAnswer, WeatherAnswer } from '@probe-mesh/contracts/answers'
import { evidenceOf } from '../outage/evidence.ts'
import { at, t0 } from '../outage/testing.ts'
import { overallWeather, regionWeather, weatherSummary } from '../outage/weather.ts'

/** Answers as the verbs give them, of a service with a name that a test chooses. */

const site = 'https://probe-mesh.example'
const evidence = evidenceOf({ fresh: ['fra', 'iad'], measuredAtMs: t0 - 12_000 }, at())

export const weatherOf = (): WeatherAnswer => {
  const usual = { p50Ms: 118.4, p75Ms: 190, p95Ms: 610, samples: 16_500 }
  const regions = ['fra', 'iad', 'nrt', 'sjc'].map((region, index) =>
    regionWeather({
      region,
      now:
        index === 2
          ? null
          : {
              p50Ms: index === 1 ? 240 : 121,
              p75Ms: index === 1 ? 402.6 : 188,
              p95Ms: 990,
              samples: 2_750,
            },
      days: Array.from({ length: 7 }, () => usual),
      quarantined: false,
    }),
  )
  return {
    verdict: overallWeather(regions),
    regions,
    ...evidence,
    url: `${site}/weather`,
    summary: weatherSummary(regions, evidence),
  }
}

export const internetOf = (name: string): InternetAnswer => ({
  status: 'incident',
  sharedIncident: {
    factor: { kind: 'cdn', name },
    members: ['acme', 'beta', 'ci'].map((slug) => ({
      slug,
      name: slug === 'acme' ? name : slug,
      since: '2026-11-20T11:52:00.000Z',
    })),
    measuredCount: 14,
    regions: ['fra', 'iad'],
    since: '2026-11-20T11:52:00.000Z',
    confidence: 0.99997,
  },
  ...evidence,
  url: `${site}/internet`,
  summary: `An outage shared by services on the CDN ${name} seems to be under way.`,
})
