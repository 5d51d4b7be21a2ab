import type { MailMessage } from '../deliveries/message.ts'
import { frameMail } from './mail-frame.ts'

/** The letter that asks whether an address wants a page's mail. */
export const confirmationMail = (asked: {
  pageName: string
  /** null: the whole page */
  componentName: string | null
  confirmUrl: string
}): MailMessage => {
  const { pageName, componentName, confirmUrl } = asked
  const what = componentName === null ? pageName : `${componentName} on ${pageName}`
  return {
    subject: `Confirm your subscription to ${pageName}`,
    isPrivate: true,
    ...frameMail({
      heading: `Confirm your subscription to ${what}`,
      body: 'Somebody, probably you, asked for this mail: news of incidents and maintenance. Open the link and press the button to confirm. It works for 24 hours.',
      link: { label: 'Confirm the subscription', url: confirmUrl },
      footer: 'If it was not you, do nothing: you will get no more mail about it.',
    }),
  }
}
