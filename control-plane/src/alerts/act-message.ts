import type { Notice } from './when-to-alert.ts'

/** What a message about an act says. Null: the notice is about the check itself. */
export const actTexts = (
  { event, alert }: Notice,
  name: string,
  phrase: string,
): { title: string; text: string } | null => {
  switch (event) {
    case 'acknowledged':
      return {
        title: `${name} ${phrase}: acknowledged by ${alert.acknowledged?.by ?? 'a member'}`,
        text: 'No more reminders follow. You get a message if it gets worse, and when it recovers.',
      }
    case 'resolved':
      return {
        title: `${name} ${phrase}: messages ended by ${alert.resolved?.by ?? 'a member'}`,
        text: 'No more messages follow about this outage. The check is measured as before.',
      }
    default:
      return null
  }
}
