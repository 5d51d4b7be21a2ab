import type { MailMessage } from '../notifications/message.ts'
import { frameMail } from './mail-frame.ts'
import { plainName } from './plain-name.ts'

/**
 * The letter that asks whether an address wants a page's mail. Its receiver may be a stranger to the
 * account: the words are ours, and names that the account chose stand in them as plain text.
 */
export const confirmationMail = (asked: {
  pageName: string
  /** null: the whole page */
  componentName: string | null
  confirmUrl: string
}): MailMessage => {
  const { componentName, confirmUrl } = asked
  const page = `the status page "${plainName(asked.pageName, 'without a name')}"`
  const what =
    componentName === null ? page : `"${plainName(componentName, 'a component')}" on ${page}`
  const { host } = new URL(confirmUrl)
  return {
    subject: 'Confirm your subscription to status updates',
    isPrivate: true,
    ...frameMail({
      heading: 'Confirm your subscription to status updates',
      body: `Somebody, probably you, asked for mail about incidents and maintenance of ${what} on ${host}. An account of Probe Mesh publishes that page and chose its name.\nOpen the link and press the button to confirm. It works for 24 hours.`,
      link: { label: 'Confirm the subscription', url: confirmUrl },
      footer: 'If it was not you, do nothing: you will get no more mail about it.',
    }),
  }
}
