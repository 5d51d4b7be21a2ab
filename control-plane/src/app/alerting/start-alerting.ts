import type { LoopContext } from '../../stores/loop-context.ts'
import type { MailLinks } from '../../alerts/context.ts'
import type { ClickHouse } from '../../stores/clickhouse/connect.ts'
import { startAlerter } from './alerter.ts'
import { startExpiryWatcher } from '../../checks/expiry/expiry-watcher.ts'
import { startNoticeWatcher, type NoticeWatch } from './notice-watcher.ts'
import type { NoticeContext } from './notify-operator.ts'
import { startBurnWatcher } from '../../objectives/burn-watcher.ts'
import { startSpikeWatcher } from '@probe-mesh/error-tracking/feature'

/** Starts all sources of alerts: checks, expiry, errors, objectives, and the mesh itself. */
export const startAlerting = async (
  capabilities: NoticeContext &
    NoticeWatch &
    LoopContext &
    MailLinks & { clickhouse: ClickHouse; errorTracking?: 'on' | 'off' },
): Promise<{ close(): Promise<void> }> => {
  const alerter = await startAlerter(capabilities)
  const isOn = capabilities.errorTracking !== 'off'
  const spikes = isOn ? [startSpikeWatcher({ ...capabilities, metrics: alerter.metrics })] : []
  const expiries = startExpiryWatcher({ ...capabilities, metrics: alerter.metrics })
  const burns = startBurnWatcher(capabilities)
  const notices = startNoticeWatcher(capabilities)
  return {
    close: async () => {
      await Promise.all([alerter, ...spikes, expiries, burns, notices].map((loop) => loop.close()))
    },
  }
}
