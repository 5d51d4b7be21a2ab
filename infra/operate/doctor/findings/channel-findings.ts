import type { FailingChannel } from '@probe-mesh/control-plane/mesh/doctor-facts-store'
import { ok, shownAge, warning, type Finding } from './finding.ts'

const topic = 'channels'
/** Listed one by one. */
const shownMax = 5

/** Whether messages about the mesh arrive. @param id OPERATOR_CHANNEL @param channels that it may name */
export const operatorChannelFindings = (
  id: string | null,
  channels: readonly string[],
  publicUrl: string,
): Finding[] =>
  id === null
    ? []
    : channels.includes(id)
      ? [ok(topic, 'OPERATOR_CHANNEL gets the messages about the mesh')]
      : [
          warning(
            topic,
            `OPERATOR_CHANNEL=${id} is no verified channel of the operator's account: faults of the mesh are reported nowhere.`,
            `Copy the id of one from ${publicUrl}/dashboard/channels, send it a test there, and set OPERATOR_CHANNEL on every control plane.`,
          ),
        ]

/** Channels that deliver nothing. @param publicUrl of the pages where they are edited */
export const channelFindings = (
  failing: readonly FailingChannel[],
  nowMs: number,
  publicUrl: string,
): Finding[] => {
  if (failing.length === 0) return [ok(topic, 'no channel fails every message')]
  const rest = failing.length - shownMax
  return [
    ...failing
      .slice(0, shownMax)
      .map(({ id, name, type, accountName, messages, sinceMs, lastError }) =>
        warning(
          topic,
          `The channel ${name} (${type}) of ${accountName} fails every message for ${shownAge(nowMs - sinceMs)}; ${messages} wait or failed. Last: ${lastError === '' ? 'no answer' : lastError}.`,
          `Repair its receiver, or correct its settings at ${publicUrl}/dashboard/channels/${id}. Then send a test: curl -X POST -H "Authorization: Bearer $API_KEY" ${publicUrl}/v1/notification-channels/${id}/test. Waiting messages follow by themselves.`,
        ),
      ),
    ...(rest > 0
      ? [
          warning(
            topic,
            `${rest} more channels fail every message.`,
            'Repair the listed ones, and run this command again.',
          ),
        ]
      : []),
  ]
}
