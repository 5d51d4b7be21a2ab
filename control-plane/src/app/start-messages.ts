import type { LoopContext } from '../stores/loop-context.ts'
import type { Bus } from '@probe-mesh/bus/port'
import { startAlerting } from './alerting/start-alerting.ts'
import { takeBackUntried } from '../alerts/alert-messages-store.ts'
import { startDomainLoop } from '../checks/expiry/domain-loop.ts'
import { seeNotices } from '../mesh/mesh-notices.ts'
import type { Freshen } from '../status/live-states.ts'
import type { MeshWatch } from '../mesh/mesh-watch.ts'
import { createChannelSender } from '../notifications/channels/channel-sender.ts'
import { startDeliverer } from '../notifications/deliverer.ts'
import { createMailer, type Mailer } from '../notifications/mail/mailer.ts'
import { startNotifier } from '../notifications/notifier.ts'
import { createResolver } from '../notifications/outgoing/resolve.ts'
import type { Vault } from '../secrets/vault.ts'
import type { ClickHouse } from '../stores/clickhouse/connect.ts'
import { startNewsExpander } from '../subscribers/news-expander.ts'
import { createUnsubscribeTokens } from '../accounts/link-tokens.ts'
import { startTelemetryPusher } from '../telemetry/telemetry-pusher.ts'
import type { Config } from './config.ts'
import { isMeasuring, startOutgoingHeartbeat } from './outgoing-heartbeat.ts'

/** Starts the loops that notify people and other systems. */
export const startMessages = async (
  capabilities: LoopContext & {
    bus: Bus
    clickhouse: ClickHouse
    config: Config
    secretsKey: string
    vault: Vault
    watch: MeshWatch
    freshen: Freshen
    /** Whether this process owns the work that one process does for all. */
    isOurs: () => boolean
  },
) => {
  const { sql, clickhouse, config, secretsKey, vault, watch, now } = capabilities
  const { publicUrl, operatorChannel, errorTracking } = config
  const links = { publicUrl, operatorChannel, tokens: createUnsubscribeTokens(secretsKey) }
  const notifier = await startNotifier(capabilities)
  const look = () => seeNotices({ sql, watch, now })
  const alerter = await startAlerting({ ...capabilities, ...links, look, errorTracking })
  const domains = startDomainLoop({ ...capabilities, bootstrapUrl: config.rdapBootstrap, rules: config })
  const expander = await startNewsExpander({ ...capabilities, ...links })
  const outgoing = { rules: config, resolver: createResolver(), vault, now }
  const channelSender = createChannelSender(outgoing)
  const deliverer = await startDeliverer({
    ...capabilities,
    channelSender,
    mailer: mailerOf(config),
    publicUrl,
    random: Math.random,
    beforeClaim: () => takeBackUntried(sql, now()),
  })
  const telemetry = startTelemetryPusher({ ...capabilities, ...outgoing, random: Math.random })
  const heartbeat = startOutgoingHeartbeat({
    ...capabilities,
    ...outgoing,
    isMeasuring: () => isMeasuring(clickhouse),
    url: config.heartbeatUrl,
    network: config.network,
  })
  const loops = [notifier, alerter, domains, expander, deliverer, telemetry, heartbeat]
  return {
    tokens: links.tokens,
    channelSender,
    close: async () => {
      await Promise.all(loops.map((loop) => loop.close()))
    },
  }
}

const mailerOf = ({ smtpUrl, mailFrom }: Config): Mailer | null =>
  smtpUrl === null || mailFrom === null ? null : createMailer({ smtpUrl, from: mailFrom })
