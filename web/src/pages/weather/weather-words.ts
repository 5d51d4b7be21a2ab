import type { InternetAnswer, RegionWeather, WeatherVerdict } from '@probe-mesh/contracts/outage/internet'
import { limits } from '@probe-mesh/contracts/schema/limits'
import { duration, milliseconds, none } from '../../html/measures.ts'
import type { Wording } from '../../html/components/tag.ts'

type WeatherWording = Wording & { tone: 'good' | 'bad' | 'silent' }

const verdictWords: Readonly<Record<WeatherVerdict, WeatherWording>> = {
  normal: { tone: 'good', text: 'normal' },
  slower: { tone: 'bad', text: 'slower' },
  no_data: { tone: 'silent', text: 'no data' },
}

/** Measurements without a verdict differ from missing measurements; neither is healthy. */
const unjudged: WeatherWording = { tone: 'silent', text: 'no verdict' }

export const regionWords = ({ verdict, p50Ms }: RegionWeather): WeatherWording =>
  verdict === 'no_data' && p50Ms !== null ? unjudged : verdictWords[verdict]

/** Over all regions. */
export const overallWords = (verdict: WeatherVerdict, regions: readonly RegionWeather[]): WeatherWording =>
  verdict === 'no_data' && regions.some(({ p50Ms }) => p50Ms !== null) ? unjudged : verdictWords[verdict]

/** `slower, 240 ms`: a region in short, with its median response time. */
export const regionText = (region: RegionWeather): string => {
  const { text } = regionWords(region)
  return region.p50Ms === null ? text : `${text}, ${milliseconds(region.p50Ms)}`
}

/** `2.03x`: the present median divided by the usual one. */
export const ratioText = ({ ratio }: RegionWeather): string => (ratio === null ? none : `${ratio}x`)

export const usualText = ({ baseline }: RegionWeather, percentile: 'p50Ms' | 'p75Ms' | 'p95Ms'): string =>
  milliseconds(baseline?.[percentile] ?? null)

export const nowCaption = `Response times of all services in the last ${duration(limits.weatherWindowMs / 1000)}, by region`
export const usualCaption = 'The same hour on the last seven days, by region'

/** The meaning of the verdicts, and their limits. */
export const weatherMeaning =
  'Slower: the response times of a region are well above the usual ones at this hour. No verdict: there are too few readings now, or on too few of the last seven days, to know what is usual. No data: nothing is measured there now. Paths between regions and single providers are not measured for this.'

export const internetWords: Readonly<Record<InternetAnswer['status'], Wording>> = {
  none: { tone: 'good', text: 'no shared incident' },
  incident: { tone: 'bad', text: 'shared incident' },
  no_data: { tone: 'silent', text: 'no data' },
}
