import type { MailMessage } from '../notifications/mail/mail.ts'
import { plainName } from './plain-name.ts'
import type { IncidentStatus } from '@probe-mesh/contracts/incident/incident'
import { html, textOf, withBreaks } from '@probe-mesh/runtime/html'

/**
 * The mail that asks an address to confirm its subscription. The receiver may not know the account, so the
 * words are ours, and names that the account chose are plain text without links.
 */
export const confirmationMail = (subscription: {
  pageName: string
  /** null: the whole page */
  componentName: string | null
  confirmUrl: string
}): MailMessage => {
  const { componentName, confirmUrl } = subscription
  const page = `the status page "${plainName(subscription.pageName, 'without a name')}"`
  const what = componentName === null ? page : `"${plainName(componentName, 'a component')}" on ${page}`
  const { host } = new URL(confirmUrl)
  return {
    subject: 'Confirm your subscription to status updates',
    isPrivate: true,
    ...frameMail({
      heading: 'Confirm your subscription to status updates',
      body: `Someone, probably you, subscribed this address to mail about incidents and maintenance of ${what} on ${host}. An account of Probe Mesh publishes that page and chose its name.\nOpen the link and press the button to confirm. The link works for 24 hours.`,
      link: { label: 'Confirm the subscription', url: confirmUrl },
      footer: 'If it was not you, ignore this mail: you will get no further mail about it.',
    }),
  }
}

/** News of a page for its subscribers. Times are Unix milliseconds. */
export type News = {
  pageName: string
  wholePage: boolean
  /** The names of the affected components. */
  affected: readonly string[]
  /** The same news on the page. */
  url: string
  title: string
  body: string
} & (
  | { about: 'incident_update'; status: IncidentStatus; atMs: number }
  | {
      about: 'maintenance'
      what: 'announced' | 'changed' | 'cancelled'
      startsAtMs: number
      endsAtMs: number
    }
)

const affectedMax = 20

/** The mail of a piece of news. Only the unsubscribe link differs between subscribers. */
export const newsMail = (news: News): ((unsubscribeUrl: string) => MailMessage) => {
  const [kind, facts] = factsOf(news)
  const pageName = plainName(news.pageName, 'Status page')
  const subject = `[${pageName}] ${kind}: ${news.title}`
  return (unsubscribeUrl) => ({
    subject,
    ...frameMail({
      heading: `${kind}: ${news.title}`,
      facts: [['Page', pageName], ...facts, ['Affected', affectedText(news)]],
      body: news.body,
      link: { label: 'Read it on the status page', url: news.url },
      footer: `You get this mail because you subscribed to ${pageName}.`,
      unsubscribeUrl,
    }),
    unsubscribeUrl,
  })
}

type Facts = (readonly [string, string])[]

const factsOf = (news: News): readonly [string, Facts] => {
  switch (news.about) {
    case 'incident_update': {
      const status = statusNames[news.status]
      return [
        status,
        [
          ['Status', status],
          ['At', timeText(news.atMs)],
        ],
      ]
    }
    case 'maintenance':
      return news.what === 'cancelled'
        ? ['Maintenance cancelled', [['Was to start', timeText(news.startsAtMs)]]]
        : [
            news.what === 'changed' ? 'Maintenance changed' : 'Maintenance',
            [
              ['Starts', timeText(news.startsAtMs)],
              ['Ends', timeText(news.endsAtMs)],
            ],
          ]
    default:
      return news satisfies never
  }
}

const statusNames = {
  investigating: 'Investigating',
  identified: 'Identified',
  monitoring: 'Monitoring',
  resolved: 'Resolved',
} as const satisfies Record<IncidentStatus, string>

const affectedText = ({ affected, wholePage }: News): string => {
  if (wholePage) return 'the whole page'
  if (affected.length === 0) return 'no component that the page shows now'
  const shown = affected.slice(0, affectedMax).join(', ')
  const more = affected.length - affectedMax
  return more > 0 ? `${shown} and ${more} more` : shown
}

/** UTC to the minute. */
const timeText = (ms: number): string => `${new Date(ms).toISOString().slice(0, 16).replace('T', ' ')} UTC`

/** The parts of a mail, rendered as plain text and as simple HTML. */
type MailParts = {
  heading: string
  /** Name and value, one on a line. */
  facts?: readonly (readonly [string, string])[]
  body?: string
  link: { label: string; url: string }
  /** Why the reader gets this mail. */
  footer: string
  unsubscribeUrl?: string
}

/** A mail as text and HTML. User content is text in the HTML, never markup. */
const frameMail = (parts: MailParts): { text: string; html: string } => ({
  text: frameText(parts),
  html: frameHtml(parts),
})

const frameText = ({ heading, facts = [], body, link, footer, unsubscribeUrl }: MailParts) =>
  [
    heading,
    facts.map(([name, value]) => `${name}: ${value}`).join('\n'),
    body ?? '',
    `${link.label}: ${link.url}`,
    `-- \n${footer}${unsubscribeUrl === undefined ? '' : `\nUnsubscribe: ${unsubscribeUrl}`}`,
  ]
    .filter((part) => part !== '')
    .join('\n\n') + '\n'

const frameHtml = ({ heading, facts = [], body, link, footer, unsubscribeUrl }: MailParts): string => {
  const shown = facts.map(
    ([name, value], at) => html`${at > 0 && html`<br /> `}${name}: <strong>${value}</strong>`,
  )
  return textOf(
    html`<!doctype html>
      <html lang="en">
        <head>
          <meta charset="utf-8" />
          <title>${heading}</title>
        </head>
        <body style="font: 1rem/1.5 system-ui, sans-serif; max-width: 40rem">
          <h1 style="font-size: 1.25rem">${heading}</h1>
          ${shown.length > 0 && html`<p>${shown}</p> `}${
            body !== undefined && html`<p>${withBreaks(body)}</p> `
          }
          <p><a href="${link.url}">${link.label}</a></p>
          <hr />
          <p>
            ${footer}${
              unsubscribeUrl !== undefined &&
              html`<br />
                <a href="${unsubscribeUrl}">Unsubscribe</a>`
            }
          </p>
        </body>
      </html> `,
  )
}
