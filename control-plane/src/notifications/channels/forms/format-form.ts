import type { JsonConfig } from '@probe-mesh/contracts/channel/json-forms'
import type { ChannelRequest, OutgoingMessage } from './request.ts'
import { formatDefault } from './default.ts'
import { formatGoogleChat } from './google-chat.ts'
import { formatGotify } from './gotify.ts'
import { formatJsm } from './jsm.ts'
import { formatMattermost } from './mattermost.ts'
import { formatNtfy } from './ntfy.ts'
import { formatPagerduty } from './pagerduty.ts'
import { formatPushover } from './pushover.ts'
import { formatSlack } from './slack.ts'
import { formatTelegram } from './telegram.ts'
import { formatTemplate } from './template.ts'

/** The request of a `json` channel, in its form. */
export const formatForm = (config: JsonConfig, outgoing: OutgoingMessage): ChannelRequest => {
  switch (config.form) {
    case undefined:
    case 'default':
      return formatDefault(config, outgoing)
    case 'slack':
      return formatSlack(config, outgoing)
    case 'pagerduty':
      return formatPagerduty(config, outgoing)
    case 'telegram':
      return formatTelegram(config, outgoing)
    case 'ntfy':
      return formatNtfy(config, outgoing)
    case 'mattermost':
      return formatMattermost(config, outgoing)
    case 'google_chat':
      return formatGoogleChat(config, outgoing)
    case 'gotify':
      return formatGotify(config, outgoing)
    case 'pushover':
      return formatPushover(config, outgoing)
    case 'jsm':
      return formatJsm(config, outgoing)
    case 'template':
      return formatTemplate(config, outgoing)
  }
}
