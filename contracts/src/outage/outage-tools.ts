import { answerRoutes } from './answer-routes.ts'
import { reads } from './tool.ts'
import type { Tool } from './tool.ts'

const service = { slug: 'service' } as const
const named = 'Takes a name, an alias, a domain or a slug ("GitHub", "gh", "github.com").'
const honest =
  '"blocked" is never down, "no_data" is never healthy, and what is not in the catalog is "not_covered" with names to try.'

/** The seven outage tools, on both endpoints (S-1225). */
export const outageTools: readonly Tool[] = [
  {
    name: 'is_service_down',
    title: 'Is a service down?',
    description: `Whether a popular service (GitHub, Stripe, ...) is down now, and where, from our own probes in several regions. ${named} The summary can be repeated as it stands, with the url to cite; "probes" names what was asked and what that shows: where it only answers, that is not that the service works. ${honest}`,
    route: answerRoutes.isServiceDown,
    argumentNames: service,
    annotations: reads,
  },
  {
    name: 'get_regional_readings',
    title: 'Readings of a service by region',
    description: `The newest reading of a service from every region: status, latency, when it was measured and whether that is still fresh. ${named}`,
    route: answerRoutes.getRegionalReadings,
    argumentNames: service,
    annotations: reads,
  },
  {
    name: 'get_report_volume',
    title: 'How many people report problems',
    description: `How many people report problems with a service, by region, and whether that is unusual for the hour, always beside what our probes read: reports never decide a status. ${named}`,
    route: answerRoutes.getReportVolume,
    argumentNames: service,
    annotations: reads,
  },
  {
    name: 'list_recent_incidents',
    title: 'Past outages of a service',
    description: `Past outages of a service that our probes saw, newest first, with the current reading. ${named}`,
    route: answerRoutes.listRecentIncidents,
    argumentNames: service,
    annotations: reads,
  },
  {
    name: 'get_stack',
    title: 'A stack of services',
    description:
      'A set of services that are used together (a web shop, an AI application, ...), by its slug: how each stands, and how many are down or degraded.',
    route: answerRoutes.getStack,
    argumentNames: { idOrSlug: 'stack' },
    annotations: reads,
  },
  {
    name: 'internet_weather',
    title: 'Internet weather',
    description:
      'How fast the internet is now, by region: response times across the catalog beside what is usual at this hour, "normal" or "slower".',
    route: answerRoutes.internetWeather,
    annotations: reads,
  },
  {
    name: 'is_the_internet_down',
    title: 'Is something shared down?',
    description:
      'Whether something that many services share (a CDN, a cloud region, a DNS provider) is down, inferred from outages that our probes confirmed. One vendor whose own services fail together is told in vendorOutage, and is no shared incident. It says nothing of a single service: ask is_service_down.',
    route: answerRoutes.isTheInternetDown,
    annotations: reads,
  },
]
