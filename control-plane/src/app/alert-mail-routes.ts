import { alertMailRoutes } from '@probe-mesh/contracts/alert/alert-address'
import type { FastifyInstance } from 'fastify'
import {
  confirmAlertAddress,
  endAlertAddress,
  findAddressToConfirm,
  findAddressToEnd,
  type AddressLinkContext,
} from '../alerts/address-links.ts'
import { bindMailedLink } from '../http/mailed-links.ts'

/** The routes behind the links in alert mails to addresses of people who are no members. */
export const bindAlertMails = (app: FastifyInstance, context: AddressLinkContext): void => {
  const { addressToConfirm, confirmAddress, addressToEnd, endAddress } = alertMailRoutes
  bindMailedLink(app, addressToConfirm, (token) => findAddressToConfirm(context, token))
  bindMailedLink(app, confirmAddress, (token) => confirmAlertAddress(context, token))
  bindMailedLink(app, addressToEnd, (token) => findAddressToEnd(context, token))
  bindMailedLink(app, endAddress, (token) => endAlertAddress(context, token))
}
