import { composeAlertMail, composeAlert } from '@probe-mesh/control-plane/alerts/alert-message'
import { playAlert, t0, watchedCheck } from '@probe-mesh/control-plane/alerts/testing'
import type { DeliveryDraft } from '@probe-mesh/control-plane/notifications/delivery-record'
import { insertDeliveries } from '@probe-mesh/control-plane/notifications/deliveries-store'
import { origin } from './test-web.ts'
import type { TestWeb } from './test-web.ts'

/** Writes a mail for each reason and each name, as the alerter does. */
export const writeAlerts = async (
  { at }: TestWeb,
  accountId: string,
  { names, reasons }: { names: readonly string[]; reasons: readonly string[] },
): Promise<void> => {
  const game = playAlert()
  game.flip('down', t0)
  game.look(t0)
  const [notice] = game.notices
  if (notice === undefined) throw new Error('there is nothing to tell')
  const drafts = reasons.map((reason, n): DeliveryDraft => {
    const [name = '', rule = ''] = [names[n % names.length], names[(n + 1) % names.length]]
    const check = watchedCheck({ fra: 'down', iad: null }, notice.atMs, { name })
    const told = { ...notice, alert: { ...notice.alert, reason } }
    return {
      accountId,
      kind: 'mail',
      recipient: 'reader@example.com',
      cause: `alert ${n}`,
      message: composeAlertMail(composeAlert(told, check, rule, origin).content),
      expiresAtMs: at.now() + 86_400_000,
    }
  })
  await insertDeliveries(at.sql, drafts, at.now())
}
