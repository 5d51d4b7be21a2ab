import type { MailMessage } from '../notifications/mail/mail.ts'
import { plainName } from './plain-name.ts'
import type { IncidentStatus } from '@probe-mesh/contracts/incident/incident'
import { publicFormats } from '@probe-mesh/contracts/status-page/words/formats'
import type { PublicWords } from '@probe-mesh/contracts/status-page/words/public-words'
import { wordsOf } from '@probe-mesh/contracts/status-page/words/words-of'
import { frameMail } from './mail-frame.ts'

/**
 * The mail that requests a confirmation of a subscription, in the language of the page. The receiver may not
 * know the account, so the words are ours, and names that the account chose are plain text without links.
 */
export const confirmationMail = (subscription: {
  pageName: string
  /** null: the whole page */
  componentName: string | null
  locale: string
  confirmUrl: string
}): MailMessage => {
  const { componentName, confirmUrl, locale } = subscription
  const { language, mail } = wordsOf(locale)
  const { confirm } = mail
  const page = confirm.page(`"${plainName(subscription.pageName, confirm.unnamed)}"`)
  const what =
    componentName === null
      ? page
      : confirm.component(`"${plainName(componentName, confirm.unnamedComponent)}"`, page)
  const { host } = new URL(confirmUrl)
  return {
    subject: confirm.subject,
    isPrivate: true,
    ...frameMail({
      language,
      heading: confirm.subject,
      body: confirm.body(what, host),
      link: { label: confirm.action, url: confirmUrl },
      footer: confirm.footer,
    }),
  }
}

/** News of a page for its subscribers. Times are Unix milliseconds. */
export type News = {
  pageName: string
  locale: string
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

/**
 * The mail of a piece of news, in the language of its page. Only the unsubscribe link differs between
 * subscribers.
 */
export const newsMail = (news: News): ((unsubscribeUrl: string) => MailMessage) => {
  const words = wordsOf(news.locale)
  const { mail, language } = words
  const [kind, facts] = factsOf(news, words)
  const pageName = plainName(news.pageName, mail.unnamedPage)
  const subject = `[${pageName}] ${kind}: ${news.title}`
  return (unsubscribeUrl) => ({
    subject,
    ...frameMail({
      language,
      heading: `${kind}: ${news.title}`,
      facts: [[mail.page, pageName], ...facts, [mail.affected, affectedText(news, words)]],
      body: news.body,
      link: { label: mail.read, url: news.url },
      footer: mail.because(pageName),
      unsubscribe: { label: mail.unsubscribe, url: unsubscribeUrl },
    }),
    unsubscribeUrl,
  })
}

type Facts = (readonly [string, string])[]

const factsOf = (news: News, { mail, statuses }: PublicWords): readonly [string, Facts] => {
  const { instant } = publicFormats(news.locale)
  switch (news.about) {
    case 'incident_update': {
      const status = statuses[news.status]
      return [
        status,
        [
          [mail.status, status],
          [mail.at, instant(news.atMs)],
        ],
      ]
    }
    case 'maintenance':
      return news.what === 'cancelled'
        ? [mail.maintenanceCancelled, [[mail.wasToStart, instant(news.startsAtMs)]]]
        : [
            news.what === 'changed' ? mail.maintenanceChanged : mail.maintenance,
            [
              [mail.starts, instant(news.startsAtMs)],
              [mail.ends, instant(news.endsAtMs)],
            ],
          ]
    default:
      return news satisfies never
  }
}

const affectedText = ({ affected, wholePage }: News, { mail, headline }: PublicWords): string => {
  if (wholePage) return mail.wholePage
  if (affected.length === 0) return mail.nothingShown
  const shown = headline.list(affected.slice(0, affectedMax))
  const more = affected.length - affectedMax
  return more > 0 ? mail.more(shown, more) : shown
}
