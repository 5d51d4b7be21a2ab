import { alertLinkRoutes } from '@probe-mesh/contracts/open-alert/alert-link-routes'
import type { FastifyInstance } from 'fastify'
import { acknowledgeByLink, readAlertLink, type LinkContext } from '../alerts/alert-links.ts'
import { bindMailedLink } from '../http/mailed-links.ts'

/** The routes behind the links of alert mails, which `web` shows. */
export const bindAlertLinks = (app: FastifyInstance, context: LinkContext): void => {
  bindMailedLink(app, alertLinkRoutes.readAlertLink, (token) => readAlertLink(context, token))
  bindMailedLink(app, alertLinkRoutes.useAlertLink, (token, address) =>
    acknowledgeByLink(context, token, address),
  )
}
