import type { FastifyInstance } from 'fastify'
import {
  type AddressLinkContext,
  confirmAlertAddress,
  endAlertAddress,
  findAddressToConfirm,
  findAddressToEnd,
} from '../alerts/address-links.ts'
import type { LinkContext } from '../alerts/alert-links.ts'
import { bindAlertLinks } from './alert-links.ts'
import { alertMailRoutes } from '@probe-mesh/contracts/alert/alert-address'
import { bindMailedLink } from '../http/mailed-links.ts'
import { withDeadline } from '@probe-mesh/runtime/deadline'
import { refuse } from '@probe-mesh/contracts/schema/refusal'
import { sendRefusal } from '../http/send-refusal.ts'
import { readCalendar } from '../on-call/calendar.ts'

/** A slower answer counts as a database that is unavailable. */
const answerMsMax = 10_000

/** The calendar of a schedule, for programs that hold its secret address. */
const bindOnCallCalendar = (app: FastifyInstance, context: Parameters<typeof readCalendar>[0]): void => {
  app.get('/on-call/:name', async (request, reply) => {
    const { name } = request.params as { name: string }
    const token = /^([\w-]{64})\.ics$/.exec(name)?.[1] ?? ''
    const text = await withDeadline(readCalendar(context, token), answerMsMax)
    if (text === null) return sendRefusal(reply, refuse('SV-3001'))
    return reply
      .header('content-type', 'text/calendar; charset=utf-8')
      .header('cache-control', 'private, max-age=300')
      .send(text)
  })
}

/** The routes behind the links in alert mails to addresses of people who are no members. */
const bindAlertMails = (app: FastifyInstance, context: AddressLinkContext): void => {
  const { addressToConfirm, confirmAddress, addressToEnd, endAddress } = alertMailRoutes
  bindMailedLink(app, addressToConfirm, (token) => findAddressToConfirm(context, token))
  bindMailedLink(app, confirmAddress, (token) => confirmAlertAddress(context, token))
  bindMailedLink(app, addressToEnd, (token) => findAddressToEnd(context, token))
  bindMailedLink(app, endAddress, (token) => endAlertAddress(context, token))
}

/** Routes whose address is the credential: links in alert mails, and calendars. */
export const bindSecretLinks = (app: FastifyInstance, context: AddressLinkContext & LinkContext): void => {
  bindAlertMails(app, context)
  bindAlertLinks(app, context)
  bindOnCallCalendar(app, context)
}
