import { answerRoutes } from './answer-routes.ts'
import { reads, type Tool } from './tool.ts'

const service = { slug: 'service' } as const
const named = 'Accepts a name, an alias, a domain or a slug ("GitHub", "gh", "github.com").'
const honest =
  '"blocked" does not mean down, "no_data" does not mean healthy, and a service outside the catalog is "not_covered" with similar names.'

/** The seven outage tools, on both endpoints (S-1225). */
export const outageTools: readonly Tool[] = [
  {
    name: 'is_service_down',
    title: 'Is a service down?',
    description: `Tells whether a popular service (GitHub, Stripe, ...) is down now, and where, by our own probes in several regions. ${named} Quote the summary and cite the url. "probes" lists the requested URLs and what a response proves: "answers" does not prove that the service works. ${honest}`,
    route: answerRoutes.isServiceDown,
    argumentNames: service,
    annotations: reads,
  },
  {
    name: 'get_regional_readings',
    title: 'Readings of a service by region',
    description: `Returns the newest reading of a service from each region: status, latency, time and freshness. ${named}`,
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
      'Returns a set of services that are used together (a web shop, an AI application, ...), by its slug: the status of each, and how many are down or degraded. For an unknown stack the refusal lists all stacks and those that are spelled alike.',
    route: answerRoutes.getStack,
    argumentNames: { idOrSlug: 'stack' },
    annotations: reads,
  },
  {
    name: 'internet_weather',
    title: 'Internet weather',
    description:
      'Returns the current speed of the internet by region: response times across the catalog against the usual ones at this hour, "normal" or "slower".',
    route: answerRoutes.internetWeather,
    annotations: reads,
  },
  {
    name: 'is_the_internet_down',
    title: 'Is a shared provider down?',
    description:
      'Tells whether a provider that many services share (a CDN, a cloud region, a DNS provider) is down, inferred from outages that our probes confirmed. vendorOutage reports one vendor whose own services fail together; that is not a shared incident. For a single service, use is_service_down.',
    route: answerRoutes.isTheInternetDown,
    annotations: reads,
  },
]
