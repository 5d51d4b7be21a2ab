import { answerRoutes } from './answer-routes.ts'
import { reads, type Tool } from './tool.ts'

const service = { slug: 'service' } as const
const named = 'Takes a name, alias, domain or slug.'
const honest =
  '"blocked" is not down, "no_data" is not healthy, and outside the catalog it is "not_covered" with similar names.'

/** The seven outage tools, on both endpoints (S-1225). */
export const outageTools: readonly Tool[] = [
  {
    name: 'is_service_down',
    title: 'Is a service down?',
    description: `Tells whether a popular service (GitHub, Stripe, ...) is down now, and where, by our own probes in several regions. ${named} Quote the summary and cite the url. "probes" says what a response proves: "answers" is not "works". ${honest}`,
    route: answerRoutes.isServiceDown,
    argumentNames: service,
    annotations: reads,
  },
  {
    name: 'get_regional_readings',
    title: 'Readings of a service by region',
    description: `Returns the newest reading of a service from each region. ${named}`,
    route: answerRoutes.getRegionalReadings,
    argumentNames: service,
    annotations: reads,
  },
  {
    name: 'get_report_volume',
    title: 'Number of user reports',
    description: `Returns the number of user reports about a service, by region, whether it is unusual for this hour, and the readings of our probes. Reports never decide a status. ${named}`,
    route: answerRoutes.getReportVolume,
    argumentNames: service,
    annotations: reads,
  },
  {
    name: 'list_recent_incidents',
    title: 'Past outages of a service',
    description: `Lists past outages of a service that our probes detected, newest first, with the current reading. ${named}`,
    route: answerRoutes.listRecentIncidents,
    argumentNames: service,
    annotations: reads,
  },
  {
    name: 'get_stack',
    title: 'A stack of services',
    description:
      'Returns services that are used together (a web shop, an AI application, ...), by the slug of the stack: the status of each, and how many are down or degraded. For an unknown stack the refusal lists all.',
    route: answerRoutes.getStack,
    argumentNames: { idOrSlug: 'stack' },
    annotations: reads,
  },
  {
    name: 'internet_weather',
    title: 'Internet weather',
    description:
      'Returns the speed of the internet by region: response times across the catalog against the usual ones at this hour.',
    route: answerRoutes.internetWeather,
    annotations: reads,
  },
  {
    name: 'is_the_internet_down',
    title: 'Is a shared provider down?',
    description:
      'Tells whether a provider that many services share (a CDN, a cloud region, a DNS provider) is down, inferred from outages that our probes confirmed. vendorOutage is one vendor whose own services fail together, which is no shared incident. For one service use is_service_down.',
    route: answerRoutes.isTheInternetDown,
    annotations: reads,
  },
]
