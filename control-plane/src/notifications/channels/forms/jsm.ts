import type { JsonConfigOf } from '@probe-mesh/contracts/channel/json-forms'
import { formatOpsgenie } from './opsgenie.ts'
import { rootOf, type ChannelRequest, type OutgoingMessage } from './request.ts'

const apiUrlDefault = 'https://api.atlassian.com'

/** Jira Service Management has the alerts of Opsgenie under another address. */
export const formatJsm = (
  { apiKey, apiUrl }: JsonConfigOf<'jsm'>,
  outgoing: OutgoingMessage,
): ChannelRequest =>
  formatOpsgenie({ apiKey, apiUrl: `${rootOf(apiUrl ?? apiUrlDefault)}/jsm/ops/integration` }, outgoing)
