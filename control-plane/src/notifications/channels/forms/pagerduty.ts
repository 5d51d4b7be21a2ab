import type { JsonConfigOf } from '@probe-mesh/contracts/channel/json-forms'
import type { ChannelMessage } from './message.ts'
import { rootOf, type ChannelRequest, type OutgoingMessage } from './request.ts'
import { severityOf } from './severity.ts'
import { fit, keyWithin } from './text.ts'

const apiUrlDefault = 'https://events.pagerduty.com'

/** Limits of the Events API v2. */
const summaryMax = 1_024
const keyMax = 255
/** An event may have 512 KB. */
const textMax = 10_000
const factsMax = 20
const factMax = 1_000

const severities = { critical: 'critical', warning: 'warning', info: 'info', ok: 'info' } as const

const actionOf = (event: ChannelMessage['event']): 'trigger' | 'acknowledge' | 'resolve' => {
  if (event === 'acknowledged') return 'acknowledge'
  return event === 'recovery' || event === 'resolved' ? 'resolve' : 'trigger'
}

/** All messages about an alert share a key: a reminder updates the alert, the recovery resolves it. */
export const formatPagerduty = (
  config: JsonConfigOf<'pagerduty'>,
  { message }: OutgoingMessage,
): ChannelRequest => ({
  url: `${rootOf(config.apiUrl ?? apiUrlDefault)}/v2/enqueue`,
  headers: {},
  body: JSON.stringify({
    routing_key: config.routingKey,
    event_action: actionOf(message.event),
    dedup_key: keyWithin(message.alertKey, keyMax),
    client: 'Probe Mesh',
    client_url: message.url,
    links: [{ href: message.url, text: 'View details' }],
    payload: {
      summary: fit(message.title, summaryMax),
      source: fit(sourceOf(message.facts), factMax),
      severity: severities[severityOf(message)],
      timestamp: message.at,
      custom_details: {
        text: fit(message.text, textMax),
        ...Object.fromEntries(
          message.facts.slice(0, factsMax).map(({ name, value }) => [fit(name, 100), fit(value, factMax)]),
        ),
      },
    },
  }),
})

/** The affected thing: its target, its name, or this product for what has neither. */
const sourceOf = (facts: OutgoingMessage['message']['facts']): string =>
  ['Target', 'Check', 'Project', 'Region']
    .flatMap((wanted) => facts.find(({ name, value }) => name === wanted && value !== '')?.value ?? [])
    .at(0) ?? 'Probe Mesh'
