import type { FastifyInstance } from 'fastify'
import type { AddressLinkContext } from '../alerts/address-links.ts'
import type { LinkContext } from '../alerts/alert-links.ts'
import { bindAlertLinks } from './alert-links.ts'
import { bindAlertMails } from './alert-mail-routes.ts'
import { bindOnCallCalendar } from './on-call-calendar.ts'

/** Routes whose address is the credential: links in alert mails, and calendars. */
export const bindSecretLinks = (app: FastifyInstance, context: AddressLinkContext & LinkContext): void => {
  bindAlertMails(app, context)
  bindAlertLinks(app, context)
  bindOnCallCalendar(app, context)
}
